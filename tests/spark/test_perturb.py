"""Made queries judged by what other values in a column change: no edge is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.amount import of_all
from tests.spark.perturb.carried import carried
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.programs import Program, text_of
from tests.spark.perturb.session import session_of
from tests.spark.perturb.tables import TABLES

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-perturb")]

SEEDS = range(500, of_all(510, 505))  # `python -m tests.spark.perturb` judges more
JOINED = "SELECT x.a + x.b AS v, y.e FROM @t1 AS x JOIN @t4 AS y ON x.s = y.s"


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    session = session_of(Path(tmp_path_factory.mktemp("perturb")))
    yield Judge(session, "p", TABLES, seed=1)
    session.stop()


@pytest.mark.sampled
def test_no_made_query_loses_an_edge(judge: Judge) -> None:
    verdicts = {seed: judge.judge(Program(text_of(seed), judge.spark), seed) for seed in SEEDS}
    assert {text_of(seed): found.lost for seed, found in verdicts.items() if found.lost} == {}
    assert sum(not found.why_not for found in verdicts.values()) > len(SEEDS) / 2


SUBTYPES = {"INDIRECT": "CONDITIONAL", "DIRECT": "IDENTITY"}


@pytest.mark.parametrize(
    ("kind", "indirect", "changed"),
    [
        ("INDIRECT", {(("0",), ("t1", ("s",))), (("1",), ("t1", ("b",)))}, set()),
        ("DIRECT", set(), {(("0",), ("t1", ("s",)))}),
    ],
)
def test_what_carries_values_is_direct_and_the_same_only_as_it_is(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, kind: str, indirect: Any, changed: Any
) -> None:
    judged_facet = judge.facet

    def other(frame: Any) -> Any:
        facet = judged_facet(frame)
        assert facet is not None
        for entry in facet["fields"].values():
            for item in entry["inputFields"]:
                item["transformations"] = [{"type": kind, "subtype": SUBTYPES[kind]}]
        return facet

    monkeypatch.setattr(judge, "facet", other)
    text = "SELECT upper(s) || '!' AS u, b AS w FROM @t1 WHERE a IS NULL OR a < 99"
    program = Program(text, judge.spark)
    found = carried(judge, program, judge.judge(program, 1))
    assert (set(found.indirect), set(found.changed)) == (indirect, changed)


def test_what_only_decides_carries_no_value(judge: Judge) -> None:
    program = Program(
        "SELECT if(x.a > 1, 'p', 'q') AS u, max_by(y.e, x.b) AS v FROM @t1 AS x JOIN @t4 AS y "
        "ON x.s = y.s GROUP BY x.a > 1 ORDER BY min(x.d)",
        judge.spark,
    )
    verdict = judge.judge(program, 1)
    found = carried(judge, program, verdict)
    assert (verdict.why_not, found.indirect, found.changed) == ("", (), ())
    assert found.runs > 3


@pytest.mark.parametrize(
    ("gone", "lost"),
    [
        (("t1", "b"), {(("0",), ("t1", ("b",)))}),
        (("t4", "e"), {(("1",), ("t4", ("e",)))}),
        (("t1", "s"), {(("0",), ("t1", ("s",))), (("1",), ("t1", ("s",)))}),
    ],
)
def test_an_edge_that_is_taken_away_is_missed(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, gone: Any, lost: Any
) -> None:
    judged_facet = judge.facet

    def less(frame: Any) -> Any:
        facet = judged_facet(frame)
        assert facet is not None
        lists = [facet["dataset"], *(entry["inputFields"] for entry in facet["fields"].values())]
        for items in lists:
            items[:] = [i for i in items if (judge.names[i["name"]], i["field"]) != gone]
        return facet

    monkeypatch.setattr(judge, "facet", less)
    found = judge.judge(Program(JOINED, judge.spark), 1)
    assert set(found.lost) == lost


def test_an_edge_that_is_made_up_changes_nothing(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_facet = judge.facet

    def more(frame: Any) -> Any:
        facet = judged_facet(frame)
        assert facet is not None
        fields = facet["fields"]
        fields["1"]["inputFields"] += fields["0"]["inputFields"]
        return facet

    monkeypatch.setattr(judge, "facet", more)
    found = judge.judge(Program(JOINED, judge.spark), 1, edges=True)
    assert (found.idle, found.lost) == (((("1",), ("t1", ("a",))), (("1",), ("t1", ("b",)))), ())


def test_what_only_the_order_of_rows_decides_is_no_lost_edge(judge: Judge) -> None:
    text = "SELECT first(b) AS v FROM (SELECT b, row_number() OVER (ORDER BY id) FROM @t1)"
    assert judge.judge(Program(text, judge.spark), 1).lost == ()


MANY_ROWS = "SELECT s FROM @t1 WHERE a < 5 AND (SELECT count(*) FROM @t1) > 30"


def test_a_query_that_few_rows_say_nothing_of_is_judged_on_more(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    wider = Judge(judge.session, "p", TABLES, seed=1, count=60, shown=judge.shown)
    program = Program(MANY_ROWS, judge.spark)
    few = judge.judge(program, 1)
    assert (few.why_not, few.by, few.facet) == ("no rows", None, None)
    more = judge.judge(program, 1, wider=[wider])
    assert (more.why_not, more.by, more.lost) == ("", wider, ())
    judged_facet = judge.facet
    monkeypatch.setattr(
        judge, "facet", lambda frame: {**(judged_facet(frame) or {}), "dataset": []}
    )
    assert judge.judge(program, 1, wider=[wider]).lost == ((("0",), ("t1", ("a",))),)
