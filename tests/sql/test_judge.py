"""A sample of `python -m tests.sql.judge`: made statements on databases that run here."""

from collections.abc import Iterator

import pytest

from tests.amount import of_all
from tests.sql.judge.dialects import DATABASES
from tests.sql.judge.engines import Engine, engine
from tests.sql.judge.findings import blocks
from tests.sql.judge.judge import COUNTS, TextJudge, judge
from tests.sql.judge.shrink import shrunk
from tests.sql.judge.statements import ROUTINES, script

SAMPLE = range(of_all(40, 12))
SMALL = range(of_all(3, 1))  # a statement costs seconds where each run is a job
HERE = (
    "sqlite",
    "duckdb",
    pytest.param("postgres", marks=pytest.mark.postgres),
    pytest.param(
        "spark", marks=[pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("sql-spark")]
    ),
)


@pytest.fixture(scope="module", params=HERE)
def database(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with engine(request.param) as started:
        yield started


@pytest.fixture(scope="module")
def judges(database: Engine) -> list[TextJudge]:
    return [TextJudge(database, 0, count) for count in COUNTS]


@pytest.mark.sampled
def test_made_statements_have_the_lineage_that_running_them_shows(judges: list[TextJudge]) -> None:
    """Statements that people thought of miss what a grammar combines."""
    name = judges[0].engine.dialect.name
    sample = SMALL if name == "spark" else SAMPLE
    outcomes = [judge(judges, script(name, seed), seed) for seed in sample]
    wrong = [outcome for outcome in outcomes if outcome.kind == "wrong"]
    assert [found for outcome in wrong for found in outcome.findings if found.kind != "case"] == []
    assert sum(bool(outcome.kind) for outcome in outcomes) >= len(sample) // 2


@pytest.mark.parametrize("database", [HERE[2]], indirect=True)
def test_blocks_with_variables_have_the_lineage_that_running_them_shows(
    judges: list[TextJudge],
) -> None:
    """No earlier statement had a branch or a loop: what these hand on was lost in silence."""
    seeds = range(ROUTINES, ROUTINES + len(SAMPLE))
    outcomes = [judge(judges, script("postgres", seed), seed) for seed in seeds]
    assert [outcome.findings for outcome in outcomes if outcome.kind == "wrong"] == []
    assert sum(outcome.kind == "right" for outcome in outcomes) > len(SAMPLE) // 2


def test_findings_are_what_the_database_does(judges: list[TextJudge]) -> None:
    """A finding whose right lineage nobody ran would be an opinion."""
    name = judges[0].engine.dialect.name
    for block in (block for block in blocks() if block.database == name):
        outcome = judge(judges, block.statements, 0, edges=True)
        assert outcome.why_not == "", block.text()
        said = set(outcome.findings) | set(outcome.idle)
        if block.is_open:
            assert set(block.findings) <= said, block.text()
        else:
            silent = set() if outcome.reported else said
            assert set(block.findings) & silent == set(), block.text()


@pytest.mark.parametrize("database", HERE[:-1], indirect=True)  # Spark takes minutes
def test_an_edge_that_is_taken_away_is_seen(judges: list[TextJudge]) -> None:
    """A judge that sees nothing calls everything right."""
    text = "INSERT INTO sink SELECT id, amount, upper(state) FROM raw WHERE amount > 0"
    assert judge(judges, [text], 0).kind == "right"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.sql.judge.judge.items", lambda inputs, names: [])
        findings = judge(judges, [text], 0).findings
    assert {(f.kind, f.column, f.source) for f in findings} >= {
        ("lost", "sink.id", "raw.id"),
        ("lost", "sink.label", "raw.state"),
        ("lost", "sink.id", "raw.amount"),
        ("lost", "sink.total", "raw.amount"),
    }
    assert any(f.kind == "carried" for f in findings)


@pytest.mark.parametrize(("name", "seed"), [("postgres", 272), ("postgres", 468), ("mysql", 37)])
def test_a_statement_in_another_schema_can_name_every_table(name: str, seed: int) -> None:
    """The grammar had only tables of that schema; the sample's twelve seeds join no others."""
    path, insert = script(name, seed)
    assert path.startswith(("SET search_path", "USE")), path
    assert insert.startswith("INSERT INTO"), insert


@pytest.mark.parametrize("name", DATABASES)
def test_a_seed_makes_one_statement(name: str) -> None:
    """Counts that are kept by seed are worth nothing where a seed makes different statements."""
    assert [script(name, seed) for seed in range(5)] == [script(name, seed) for seed in range(5)]
    assert len({tuple(script(name, seed)) for seed in range(40)}) > 35


def test_a_script_is_made_smaller_while_its_defect_stays() -> None:
    """A finding of thirty lines tells nobody what is wrong."""
    script = (
        "CREATE TEMP TABLE t AS SELECT id, v FROM orders WHERE v > 1",
        "CREATE TABLE out_1 AS SELECT upper(x.note) AS n, 2 AS m FROM orders AS x",
    )
    smallest = shrunk(script, "sqlite", lambda some: any("note" in text for text in some))
    assert smallest == ("CREATE TABLE out_1 AS SELECT x.note FROM orders",)
