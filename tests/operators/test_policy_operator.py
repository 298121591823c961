"""ColgraphPolicyOperator: fails, warns or passes by the tags in the store."""

from pathlib import Path
from typing import Any

import pytest
from airflow.sdk._shared.secrets_masker import redact

from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.operators.policy import ColgraphPolicyOperator
from airflow_colgraph.store.errors import NoStore
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import AirflowFailException
from tests.store.samples import NOON, copy_event, output

MART = {"datasets": ["n/mart"], "tags": ["pii"]}


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    tags = {"tags": {"tags": [{"key": "pii", "value": "email", "field": "mail"}]}}
    opened = Store.open(url)
    opened.add(
        [
            copy_event("mart", 10, "mart", {"m": "raw.mail DIRECT:AGGREGATION"}),
            {"eventTime": "2026-11-20T12:01:00Z", "dataset": output("raw", **tags)},
        ]
    )
    opened.close()
    return url


def operator(**given: Any) -> ColgraphPolicyOperator:
    return ColgraphPolicyOperator(task_id="policy", **given)


def test_the_password_of_a_rendered_url_is_hidden() -> None:
    """A template field is on a page of Airflow: `store` was, with its password."""
    url = "postgresql://me:{{ word }}@db/lineage?sslpassword=k3yk3yk3y"
    operator = ColgraphPolicyOperator(task_id="policy", store=url, **MART)
    operator.render_template_fields({"word": "w0rdw0rd"})
    assert operator.store == "postgresql://me:w0rdw0rd@db/lineage?sslpassword=k3yk3yk3y"
    # another test of the process may have made the word "password" a secret, too
    shown = redact(operator.store).replace("ssl***", "sslpassword")
    assert shown == "postgresql://me:***@db/lineage?sslpassword=***"


def test_a_broken_policy_fails_the_task(store: str) -> None:
    with pytest.raises(AirflowFailException, match="1 policy checked: 1 error"):
        operator(**MART, store=store).execute({})
    other = {**MART, "tags": ["gdpr"]}
    with pytest.raises(AirflowFailException, match="no tag that matches 'gdpr' is or was set"):
        operator(**other, store=store).execute({})
    assert operator(**other, optional=True, store=store).execute({}) == []
    assert operator(**MART, store=store, at=str(NOON // 1000)).execute({}) == []


def test_a_store_that_is_not_there_fails_the_task_and_is_not_created(tmp_path: Path) -> None:
    """A mistyped store was created, and clean."""
    with pytest.raises(NoStore, match="does not exist"):
        operator(**MART, store=f"sqlite:///{tmp_path}/typo/x.db").execute({})
    assert list(tmp_path.iterdir()) == []


def test_a_warning_is_the_result(store: str) -> None:
    (found,) = operator(**MART, severity="warning", store=store).execute({})
    assert (found["field"], found["tag"], found["path"][0]["job"]) == ("m", "pii=email", "mart")


def test_a_file_has_policies_and_rules(store: str, tmp_path: Path) -> None:
    config = tmp_path / "rules.toml"
    config.write_text("[[policy.rules]]\ndatasets = ['n/*']\ntags = ['pii']\n")
    with pytest.raises(AirflowFailException, match="1 policy checked: 2 errors"):
        operator(config=str(config), store=store).execute({})
    config.write_text("[[tags.rules]]\naggregation = false\n")
    assert operator(**MART, config=str(config), store=store).execute({}) == []
    with pytest.raises(SettingsError, match=r"there are no \[\[policy.rules\]\]"):
        operator(config=str(config), store=store).execute({})


@pytest.mark.parametrize(
    "given", [{}, {"datasets": ["x"]}, {"tags": ["x"]}, {**MART, "severity": "note"}]
)
def test_wrong_arguments_fail_the_import(given: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        operator(**given)


def test_templates_are_rendered(store: str) -> None:
    made = operator(datasets=["n/{{ name }}"], tags=["{{ tag }}"], store="{{ store }}")
    made.render_template_fields({"name": "mart", "tag": "pii", "store": store})
    with pytest.raises(AirflowFailException):
        made.execute({})
