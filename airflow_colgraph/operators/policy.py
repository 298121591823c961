"""An operator that fails when a dataset has a tag that it must not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from airflow_colgraph import conf
from airflow_colgraph.check import tag_settings
from airflow_colgraph.check.policy import check, table
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.exports.formats.tag_json import tag_json
from airflow_colgraph.operators.urls import HidesPasswords
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import AirflowFailException, BaseOperator


class ColgraphPolicyOperator(HidesPasswords, BaseOperator):  # type: ignore[misc]
    """Check that no dataset has a tag that it must not have, wherever the tag came from.

    Args:
        datasets: Patterns of NAMESPACE/NAME that must not have the tags.
        tags: Patterns of KEY or KEY=VALUE.
        severity: `error` fails the task, `warning` only logs.
        optional: Whether the patterns may match nothing. Without it the task fails if the store
            has no such dataset, or if such a tag was never set.
        config: A TOML file with more policies, and with rules of how tags travel.
        at: The time at which tags are checked. Default: now.
        store: The store's URL. Default: `[colgraph] store`.

    Returns:
        The tags that a policy only warns of, each with the path by which it came, as the task's
        XCom.

    Raises:
        SettingsError: There is no policy, or the file cannot be used.
        AirflowFailException: A policy is broken, or the result is undetermined: a pattern matches
            nothing, or there are too many edges. The task is not retried.
        NoStore: There is no store at the URL.
    """

    template_fields: Sequence[str] = ("datasets", "tags", "config", "at", "store")

    def __init__(
        self,
        *,
        datasets: Sequence[str] = (),
        tags: Sequence[str] = (),
        severity: str = "error",
        optional: bool = False,
        config: str | None = None,
        at: str | None = None,
        store: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Check the arguments, so that a wrong one fails the DAG's import."""
        super().__init__(**kwargs)
        self.datasets = datasets
        self.tags = tags
        self.severity = severity
        self.optional = optional
        self.config = config
        self.at = at
        self.store = store
        if bool(datasets) != bool(tags) or not (datasets or config):
            raise SettingsError("Give datasets and tags, or a config.")
        if severity not in tag_settings.SEVERITIES:
            raise SettingsError(f"Severity is {severity!r}. Expected error or warning.")

    def execute(self, context: Any) -> list[dict[str, Any]]:
        """Check, log the result, and return what is only warned of."""
        settings = tag_settings.TagSettings()
        if self.config:
            settings = tag_settings.read(Path(self.config))
        if self.datasets:
            own = tag_settings.Policy(
                tuple(self.datasets), tuple(self.tags), self.severity, self.optional
            )
            settings = replace(settings, policies=(*settings.policies, own))
        if not settings.policies:
            raise SettingsError(f"{self.config}: there are no [[policy.rules]]")
        with Store.open(self.store or conf.store(), create=False) as store:
            report = check(store, settings, clock.parse(self.at) if self.at else None)
        for line in table(report).splitlines():
            self.log.info("%s", line)
        if report.exit_code:
            raise AirflowFailException(report.summary)
        return [tag_json(violation.field_tag) for violation in report.violations]
