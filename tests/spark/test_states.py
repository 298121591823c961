"""Made programs with checkpoints, views, loops, sessions: no edge is lost in silence."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.amount import of_all
from tests.spark.perturb import stateful
from tests.spark.perturb.judge import TRIES
from tests.spark.perturb.oracle import Claims
from tests.spark.perturb.power import SEEN, shows, taken, without
from tests.spark.perturb.programs import Program
from tests.spark.perturb.states import StateJudge, StateProgram, judge_of

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-states")]

A, B = ("t1", ("a",)), ("t1", ("b",))
SEEDS = range(700, of_all(704, 702))  # `python -m tests.spark.perturb --state` judges more

TWICE = """\
base = T('t1')
v = base.where('b > 1').select('a', 's').localCheckpoint()
w = base.where('id > 2').select('a', 's').localCheckpoint()
out = v.select('a').union(w.select(F.col('a') + 1)).union(base.select('b'))"""
STREAMED = """\
v = streamed('t4', lambda b: b.where('a > 0').select('s', 'e').localCheckpoint())
out = v.alias('x').join(v.alias('y'), F.expr('x.s = y.s')).selectExpr('x.s', 'y.e AS f')"""
DRIVEN = """\
v = T('t1').select('a')
out = S.createDataFrame(v.collect(), v.schema)"""
VARIED = """\
S.sql('DECLARE OR REPLACE VARIABLE x BIGINT')
T('t1').createOrReplaceTempView('w')
S.sql('BEGIN DECLARE y BIGINT; SET y = (SELECT max(b) FROM w); SET x = y + 1; END')
N = another()
T('t4', N).createOrReplaceTempView('w')
one, other = together(lambda: N.table('w').select('a').localCheckpoint(), lambda: S.table('w')
    .select('id').localCheckpoint())
out = other.withColumn('v', F.expr('x'))"""


FUNCTIONS = {  # that drop rows, which a constant column shows only by how many there are
    "of a frame": "v.mapInPandas(lambda parts: (p[p.a > 2] for p in parts), v.schema)",
    "of groups": "v.groupBy('b').applyInPandas(lambda part: part[part.a > 2], v.schema)",
    "of an RDD": "S.createDataFrame(v.rdd.filter(lambda row: (row.a or 0) > 2), v.schema)",
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StateJudge]:
    found = judge_of(Path(tmp_path_factory.mktemp("states")), seed=1)
    yield found
    found.session.stop()


def program(judge: StateJudge, text: str) -> StateProgram:
    return StateProgram(text, judge.session)


@pytest.mark.sampled
def test_no_made_program_loses_an_edge(judge: StateJudge) -> None:
    texts = {seed: stateful.program(seed) for seed in SEEDS}
    verdicts = {text: judge.judge(program(judge, text), seed) for seed, text in texts.items()}
    assert {text: found.lost for text, found in verdicts.items() if found.lost} == {}
    assert any(not found.why_not for found in verdicts.values())


@pytest.mark.parametrize("text", [TWICE, STREAMED, VARIED])
def test_each_kind_of_state_is_judged(judge: StateJudge, text: str) -> None:
    verdict = judge.judge(program(judge, text), 1)
    assert (verdict.why_not, verdict.lost, verdict.reported) == ("", (), ())
    assert verdict.claims is not None
    assert all(verdict.claims.columns.values())


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_all_that_a_function_of_rows_sees_may_decide_on_rows(
    judge: StateJudge, function: str
) -> None:
    text = f"v = T('t1').select('a', 'b')\nout = {function}.select(F.lit(1).alias('x'))"
    made = program(judge, text)
    verdict = judge.judge(made, 1)
    assert (verdict.why_not, verdict.lost) == ("", ())
    assert verdict.claims == Claims({("0",): frozenset()}, frozenset({A, B}))
    base = judge.run(made, judge.base)
    assert base
    assert shows([(judge, base)], made, Claims({("0",): frozenset()}, frozenset({B})), 1, TRIES)


def test_what_went_through_the_driver_is_missing_and_reported(judge: StateJudge) -> None:
    verdict = judge.judge(program(judge, DRIVEN), 1)
    assert (verdict.lost, verdict.reported) == ((), ((("0",), ("t1", ("a",))),))


def test_an_edge_that_is_taken_away_shows(judge: StateJudge) -> None:
    made = program(judge, TWICE)
    found = taken([judge], [], made, judge.judge(made, 1), 1)
    assert {one.outcome for one in found} == {SEEN}


def test_of_queries_without_state_most_edges_that_are_taken_away_show(judge: StateJudge) -> None:
    text = "SELECT x.a + x.b AS v, upper(y.s) AS w FROM @t1 AS x JOIN @t4 AS y ON x.s = y.s"
    made = Program(text, judge.spark)
    found = taken([judge], [], made, judge.judge(made, 1), 1)
    assert {one.outcome for one in found} == {SEEN}


def test_an_edge_that_others_repeat_cannot_be_missed() -> None:
    a, b = ("t", ("a",)), ("t", ("b",))
    claims = Claims({("0",): frozenset((a, b)), ("1",): frozenset((b,))}, frozenset((a,)))
    assert without(claims, ("0",), a) is None
    assert without(claims, ("0",), b) == claims._replace(
        columns={("0",): frozenset((a,)), ("1",): frozenset((b,))}
    )
    assert without(claims, None, a) == claims._replace(rows=frozenset())


def test_each_kind_is_made() -> None:
    made = [stateful.Stateful(seed) for seed in range(300)]
    for one in made:
        compile(one.program(), "<made>", "exec")
    assert {kind for one in made for kind in one.kinds} == set(stateful.KINDS)
