"""What made programs have shown is counted once, kept by ten seeds, and shown as tables."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.spark.perturb import results
from tests.spark.perturb.carried import NOTHING
from tests.spark.perturb.judge import Edge, Verdict
from tests.spark.perturb.results import JUDGED, PROGRAMS, QUERIES, Record, counts_of, recorded

EDGE: Edge = (("0",), ("t1", ("a",)))


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (Verdict(), {"judged": 1, "right": 1}),
        (Verdict(reported=(EDGE,)), {"judged": 1, "reported": 1}),
        (Verdict(lost=(EDGE,), reported=(EDGE,)), {"judged": 1, "wrong": 1}),
        (Verdict(why_not="no rows"), {}),
    ],
)
def test_a_program_is_right_reported_or_wrong(verdict: Verdict, outcome: dict[str, int]) -> None:
    assert counts_of(verdict, NOTHING) == {"made": 1, **outcome}


def test_what_carries_values_and_is_not_direct_is_wrong() -> None:
    for shown in (NOTHING._replace(indirect=(EDGE,)), NOTHING._replace(changed=(EDGE,))):
        assert counts_of(Verdict(), shown) == {"made": 1, "judged": 1, "wrong": 1}


def run(path: Path, kind: str, seeds: Iterable[int]) -> None:
    record = Record("4.1", kind, JUDGED, path)
    for seed in seeds:
        record.add(seed, Counter(made=1, judged=1, right=1))


def test_only_whole_tens_are_kept_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    run(path, QUERIES, range(95, 128))
    run(path, PROGRAMS, range(100, 110))
    run(path, QUERIES, range(110, 120))  # again
    kept = recorded(path)["4.1"]
    ten = dict.fromkeys(JUDGED, 0) | {"made": 10, "judged": 10, "right": 10}
    assert kept == {QUERIES: {"10": ten, "11": ten}, PROGRAMS: {"10": ten}}
    record = Record("4.1", QUERIES, JUDGED, path)
    assert [seed for seed in (99, 100, 119, 120) if record.is_kept(seed)] == [100, 119]
    assert not Record("4.2", QUERIES, JUDGED, path).is_kept(100)


def test_the_tables_are_sums(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    run(path, QUERIES, range(20))
    record = Record("4.1", results.of_power(QUERIES), results.POWER, path)
    for seed in range(10):
        record.add(seed, Counter(seen=2, missed=1 if seed < 2 else 0, idle=1))
    lines = list(results.tables(recorded(path)["4.1"]))
    assert f"| {QUERIES} | 20 | 20 | 20 | 0 | 0 |" in lines
    assert f"| {PROGRAMS} | 0 | 0 | 0 | 0 | 0 |" in lines
    assert f"| {QUERIES} | 20 | 2 | 10 | 91 % |" in lines
    assert f"| {PROGRAMS} | 0 | 0 | 0 |  |" in lines
