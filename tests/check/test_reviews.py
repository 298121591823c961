"""Columns at which somebody has ended a tag, until a day."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.check.policy import PolicyReport, check, table
from airflow_colgraph.check.tag_settings import read
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.store.store import Store
from tests.store.samples import event, memory_store, output

Json = dict[str, Any]
REVIEW = """
[[tags.reviews]]
tags = ["pii"]
datasets = ["n/staging"]
columns = ["{column}"]
reason = "only the  domain"
by = "anna"
until = 2027-01-31
"""
POLICY = '[[policy.rules]]\ndatasets = ["n/mart"]\ntags = ["pii"]\n'
TAG = {"tags": {"tags": [{"key": "pii", "value": "email", "field": "mail"}]}}


def stored(*more: Json) -> Store:
    """raw.mail, which is tagged -> staging.domain -> mart.domain."""
    store = memory_store()
    store.add(
        [
            event("load", 1, [{**output("raw", {"mail": ""}), "facets": TAG}]),
            event("stage", 2, [output("staging", {"domain": "raw.mail"})]),
            event("job", 3, [output("mart", {"domain": "staging.domain"})]),
            *more,
        ]
    )
    return store


def report(store: Store, folder: Path, text: str, today: date) -> PolicyReport:
    (folder / "colgraph.toml").write_text(text + POLICY)
    return check(store, read(folder=folder, today=today))


@pytest.mark.parametrize(
    ("column", "today", "code"),
    [
        ("domain", date(2027, 1, 31), 0),
        ("dom*", date(2026, 11, 27), 0),
        ("other", date(2026, 11, 27), 1),
        ("domain", date(2027, 2, 1), 1),
    ],
)
def test_a_tag_ends_where_somebody_has_looked(
    tmp_path: Path, column: str, today: date, code: int
) -> None:
    assert report(stored(), tmp_path, REVIEW.format(column=column), today).exit_code == code


def test_values_of_earlier_runs_end_there_too(tmp_path: Path) -> None:
    masked = {**output("staging", {"domain": "raw.mail DIRECT:TRANSFORMATION:masking"})}
    masked["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": "OVERWRITE"}
    store = stored(event("stage", 4, [masked]))
    without = report(store, tmp_path, "", date(2026, 11, 27))
    assert [violation.earlier for violation in without.violations] == [True]
    text = REVIEW.format(column="domain")
    assert report(store, tmp_path, text, date(2026, 11, 27)).exit_code == 0


def test_a_tag_that_is_set_on_the_column_stays(tmp_path: Path) -> None:
    facets = {"tags": {"tags": [{"key": "pii", "value": "domain", "field": "domain"}]}}
    store = stored(event("stage", 4, [{**output("staging", {}), "facets": facets}]))
    reviewed = report(store, tmp_path, REVIEW.format(column="domain"), date(2026, 11, 27))
    assert [one.field_tag.tag.value for one in reviewed.violations] == ["domain"]


def test_an_expired_review_is_named(tmp_path: Path) -> None:
    expired = report(stored(), tmp_path, REVIEW.format(column="domain"), date(2027, 2, 1))
    note = "pii at domain of n/staging, until 2027-01-31 by anna: only the domain"
    assert f"note     an expired review: {note}\n" in table(expired)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('by = "anna"', "", "tags.reviews needs by, a text"),
        ("2027-01-31", '"soon"', "tags.reviews needs until, a day such as 2027-01-31"),
        ('datasets = ["n/staging"]', "", "tags.reviews needs datasets, a list of patterns"),
        ("columns", "colums", "did you mean 'columns'?"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = REVIEW.format(column="domain").replace(old, new)
    with pytest.raises(SettingsError, match=r"colgraph\.toml: .*") as raised:
        report(stored(), tmp_path, text, date(2026, 11, 27))
    assert message in str(raised.value)
