"""Policies over history: values of tagged columns from runs whose edges have ended since."""

import random
from typing import Any

import pytest

from airflow_colgraph.check.policy import check
from airflow_colgraph.check.tag_settings import Policy, TagSettings
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES
from tests.store.samples import copy_event, event, memory_store, output

Json = dict[str, Any]
SETTINGS = TagSettings(DEFAULT_RULES, (Policy(("n/mart",), ("pii",)),))
TAG = {"tags": {"tags": [{"key": "pii", "value": "email", "field": "mail"}]}}
RAW = event("load", 1, [{**output("raw", {"mail": ""}), "facets": TAG}])
MASKED = "raw.mail DIRECT:TRANSFORMATION:masking"


def write(minute: int, source: str, state: str = "", name: str = "mart", job: str = "job") -> Json:
    made = output(name, {"mail": source} if source else {"mail": ""})
    if state:
        made["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": state}
    return event(job, minute, [made])


CASES = {
    "raw": ([write(2, "raw.mail", "OVERWRITE")], True),
    "masked over it": (
        [write(2, "raw.mail", "OVERWRITE"), write(3, MASKED, "OVERWRITE")],
        False,
    ),
    "masked behind it": (
        [write(2, "raw.mail", "OVERWRITE"), write(3, MASKED, "ALTER")],
        True,
    ),
    "masked behind it, then all anew": (
        [
            write(2, "raw.mail", "OVERWRITE"),
            write(3, MASKED, "ALTER"),
            write(4, MASKED, "OVERWRITE"),
        ],
        False,
    ),
    "its own rows again": (
        [write(2, "raw.mail", "OVERWRITE"), write(3, "mart.mail", "OVERWRITE")],
        True,
    ),
    "its own rows, masked": (
        [
            write(2, "raw.mail", "OVERWRITE"),
            write(3, MASKED.replace("raw", "mart"), "OVERWRITE"),
        ],
        False,
    ),
    "a copy from before the mask": (
        [
            write(2, "raw.mail", "OVERWRITE", "staging", "stage"),
            write(3, "staging.mail", "OVERWRITE"),
            write(4, MASKED, "OVERWRITE", "staging", "stage"),
        ],
        True,
    ),
    "a copy from after the mask": (
        [
            write(2, "raw.mail", "OVERWRITE", "staging", "stage"),
            write(3, MASKED, "OVERWRITE", "staging", "stage"),
            write(4, "staging.mail", "OVERWRITE"),
        ],
        False,
    ),
    "a copy of old rows beside masked ones": (
        [
            write(2, "raw.mail", "OVERWRITE", "staging", "stage"),
            write(3, MASKED, "ALTER", "staging", "stage"),
            write(4, "staging.mail", "OVERWRITE"),
        ],
        True,
    ),
}


@pytest.mark.parametrize(("writes", "is_broken"), CASES.values(), ids=CASES)
def test_old_values_count_until_they_are_replaced(writes: list[Json], is_broken: bool) -> None:
    """Rows from before a mask were clean: only the edges of the latest run were followed."""
    store = memory_store()
    store.add([RAW, *writes])
    report = check(store, SETTINGS)
    assert [violation.field_tag.field.field for violation in report.violations] == (
        ["mail"] if is_broken else []
    )
    for violation in report.violations:
        assert violation.field_tag.since < violation.field_tag.until


NO_TAG = event("load", 4, [{**output("raw", {"mail": ""}), "facets": {"tags": {"tags": []}}}])


@pytest.mark.parametrize(
    ("writes", "is_broken"),
    [
        ([write(2, "raw.mail", "OVERWRITE"), NO_TAG], True),
        ([write(2, "raw.mail", "OVERWRITE"), NO_TAG, write(5, "raw.mail", "OVERWRITE")], False),
        ([write(2, "raw.mail", "OVERWRITE"), NO_TAG, write(5, "raw.mail", "ALTER")], True),
    ],
    ids=["copied before", "copied anew", "more behind it"],
)
def test_a_tag_that_is_no_longer_reported(writes: list[Json], is_broken: bool) -> None:
    """Such a tag counted for nothing: what was copied while it was there was clean in silence."""
    store = memory_store()
    store.add([RAW, *writes])
    report = check(store, SETTINGS)
    assert bool(report.violations) == is_broken
    assert all(violation.earlier for violation in report.violations)


def test_unrelated_writes_are_clean() -> None:
    store = memory_store()
    store.add([RAW, copy_event("job", 2, "mart", {"mail": "other.mail"})])
    assert check(store, SETTINGS).violations == []


class Rows:
    """A made history by its rows: which are tagged values, and which edges hold."""

    def __init__(self, seed: int) -> None:
        """Nothing is written; `raw` has tagged values and `clean` others."""
        self.random = random.Random(seed)
        self.rows = {"raw": [True], "clean": [False]}
        self.edges: dict[str, set[str]] = {}  # by output, the sources of unmasked copies
        self.events = [RAW]

    def run(self, minute: int) -> None:
        """One more run: a copy of any dataset, masked or not, over or behind what is there."""
        name = self.random.choice(["t1", "t2", "mart"])
        source = self.random.choice(["raw", "clean", *(self.rows.keys() - {"raw", "clean"})])
        masks, appends = self.random.random() < 0.3, self.random.random() < 0.4
        how = MASKED.replace("raw", source) if masks else f"{source}.mail"
        self.events.append(write(minute, how, "ALTER" if appends else "OVERWRITE", name, name))
        brought = [False] if masks else list(self.rows[source])
        self.rows[name] = brought + (self.rows.get(name, []) if appends else [])
        self.edges[name] = (self.edges.get(name, set()) if appends else set()) | (
            set() if masks else {source}
        )

    def expected(self) -> tuple[set[str], set[str]]:
        """The datasets with tagged rows, and those that have some after their next runs, too."""
        tagged = {name for name, rows in self.rows.items() if any(rows)} - {"raw"}
        reached = {"raw"}
        for _ in self.edges:
            reached |= {name for name, sources in self.edges.items() if sources & reached}
        return tagged, tagged | reached - {"raw"}


@pytest.mark.parametrize("seed", range(25))
def test_a_made_history_against_its_rows(seed: int) -> None:
    history = Rows(seed)
    for minute in range(2, 14):
        history.run(minute)
    store = memory_store()
    store.add(history.events)
    settings = TagSettings(DEFAULT_RULES, (Policy(("n/t*", "n/mart"), ("pii",), optional=True),))
    broken = {violation.field_tag.field.name for violation in check(store, settings).violations}
    tagged, at_most = history.expected()
    assert tagged <= broken <= at_most
