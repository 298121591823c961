"""The rules of tags and policies in colgraph.toml and pyproject.toml."""

from pathlib import Path

import pytest

from airflow_colgraph.check.policy import EARLIER, check, table
from airflow_colgraph.check.tag_settings import Policy, TagSettings, read
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.admin import tags as admin
from airflow_colgraph.store.model.tag_travel import TravelRule
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query.tags import changes
from tests.store.samples import NOON, copy_event, event, memory_store, output

TEXT = """
[[{0}tags.rules]]
tags = ["pii*"]
indirect = ["JOIN"]
aggregation = false

[[{0}policy.rules]]
datasets = ["s3://public/*"]
tags = ["pii", "gdpr=high"]
severity = "warning"
"""


@pytest.mark.parametrize(
    ("name", "prefix"), [("colgraph.toml", ""), ("pyproject.toml", "tool.colgraph.")]
)
def test_the_rules_are_read(tmp_path: Path, name: str, prefix: str) -> None:
    (tmp_path / name).write_text(TEXT.format(prefix))
    found = read(folder=tmp_path)
    assert found.travel == (TravelRule(), TravelRule(("pii*",), ("JOIN",), aggregation=False))
    assert found.policies == (Policy(("s3://public/*",), ("pii", "gdpr=high"), "warning"),)
    assert read(folder=tmp_path / "elsewhere") == TagSettings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tags = 1", "tags is a table"),
        ("[tags]\nrules = 1", "write [[tags.rules]]: it is a list of tables"),
        ("[[tags.rules]]\nmasked = true", "tags.rules is one of tags, indirect, masking, "),
        ("[[tags.rules]]\nmasking = 1", "masking is true or false"),
        ("[[tags.rules]]\nindirect = true", "indirect is a list of strings"),
        ("[[policy.rules]]\ntags = ['x']", "policy.rules needs datasets, a list of patterns"),
        (
            "[[policy.rules]]\ntags = ['x']\ndatasets = ['x']\nseverity = 'note'",
            "policy.rules.severity is one of warning, error, not 'note'",
        ),
        ("[policy", "Expected"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}: ")
    assert message in str(error.value)


def test_a_policy_is_about_every_name_of_a_dataset() -> None:
    link = {"symlinks": {"identifiers": [{"namespace": "h", "name": "t", "type": "TABLE"}]}}
    tags = {"tags": {"tags": [{"key": "gdpr", "value": "low"}, {"key": "pii", "value": "email"}]}}
    store = memory_store()
    store.add(event("load", 1, [output("mart", {"x": "raw.x"}, **link, **tags)]))

    def found(datasets: str, tag: str) -> int:
        settings = TagSettings(policies=(Policy((datasets,), (tag,)),))
        return len(check(store, settings).violations)

    assert [found(name, "pii") for name in ("n/mart*", "h/t", "n/*", "x/mart")] == [1, 1, 1, 0]
    tried = ("gdpr", "gdpr=high", "gdpr=l*", "pii=*")
    assert [found("h/*", tag) for tag in tried] == [1, 0, 1, 1]


def test_the_most_severe_policy_counts_and_a_limit_leaves_it_undetermined() -> None:
    store = memory_store()
    store.add([copy_event("mart", 1, "mart", {"m": "raw.x", "o": "raw.x"})])
    with store.connection() as connection:
        found = changes(
            connection, ("n", "raw"), ["x"], [Tag("pii")], is_set=True, at=NOON, by="anna"
        )
    admin.write(store, found)
    warning = Policy(("n/*",), ("p*",), "warning")
    both = check(store, TagSettings(policies=(warning, Policy(("n/mart",), ("pii",)))))
    assert [(one.severity, one.field_tag.field.name) for one in both.violations] == [
        ("error", "mart"),
        ("error", "mart"),
        ("warning", "raw"),
    ]
    assert both.exit_code == 1
    assert both.summary == "2 policies checked: 2 errors, 1 warning"
    cut = check(store, TagSettings(policies=(warning,)), limit=1)
    assert (cut.exit_code, cut.truncated) == (2, True)


def test_what_was_written_before_a_fix_upstream_is_still_found() -> None:
    store = memory_store()
    masked = "raw.x DIRECT:TRANSFORMATION:masking"
    store.add(
        [
            copy_event("stage", 1, "stage", {"x": "raw.x"}),
            copy_event("mart", 2, "mart", {"m": "stage.x"}),
            copy_event("stage", 3, "stage", {"x": masked}),
        ]
    )
    with store.connection() as connection:
        found = changes(
            connection, ("n", "raw"), ["x"], [Tag("pii")], is_set=True, at=NOON, by="anna"
        )
    admin.write(store, found)
    settings = TagSettings(policies=(Policy(("n/mart",), ("pii",)),))
    report = check(store, settings)
    assert [(one.earlier, one.field_tag.field.field) for one in report.violations] == [(True, "m")]
    assert EARLIER in table(report)
    store.add(copy_event("mart", 4, "mart", {"m": "stage.x"}))
    assert check(store, settings).exit_code == 0
