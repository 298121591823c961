"""Tags against values: what is tagged shows in no output without its tag."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.amount import of_all
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.programs import Program, text_of
from tests.spark.perturb.session import session_of
from tests.spark.perturb.tables import TABLES
from tests.spark.perturb.tagged import tagged

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-perturb")]

SEEDS = range(700, of_all(708, 705))  # `python -m oracles.tag_oracle` judges more


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    session = session_of(Path(tmp_path_factory.mktemp("tagged")))
    yield Judge(session, "p", TABLES, seed=1)
    session.stop()


@pytest.mark.sampled
def test_no_value_shows_without_its_tag(judge: Judge) -> None:
    found = {seed: tagged(judge, Program(text_of(seed), judge.spark)) for seed in SEEDS}
    assert {text_of(seed): one.missed for seed, one in found.items() if one.missed} == {}
    assert sum(bool(one.shown) for one in found.values()) > 2


def test_sha2_and_count_stop_a_tag(judge: Judge) -> None:
    text = (
        "SELECT s, upper(s) AS u, max(s) AS m, sha2(s, 256) AS h, count(s) AS c, "
        "count(DISTINCT s) AS e, md5(upper(s)) AS o FROM @t1 GROUP BY s"
    )
    found = tagged(judge, Program(text, judge.spark))
    s = ("t1", ("s",))
    assert found.tags == {((column,), s) for column in "012"}
    assert found.shown == found.tags
    assert found.unseen == frozenset()


def test_a_lost_edge_is_a_miss(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    judged_facet = judge.facet

    def less(frame: Any) -> Any:
        facet = judged_facet(frame)
        assert facet is not None
        items = facet["fields"]["0"]["inputFields"]
        items[:] = [one for one in items if one["field"] != "s"]
        return facet

    monkeypatch.setattr(judge, "facet", less)
    found = tagged(judge, Program("SELECT concat(s, b) AS v, s AS w FROM @t1", judge.spark))
    assert found.missed == {(("0",), ("t1", ("s",)))}
