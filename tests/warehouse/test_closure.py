"""What a closure reaches is what the store's own traversal reaches, of every field at once."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.store.model import clock, field_path
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse import graph_tasks, struct_parts
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.closure import FOLLOWING, closure
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.starts import Starts, listed, named
from oracles.sample_company import compare, sampled
from tests.store.samples import at, copy_event
from tests.warehouse.random_events import NESTED, random_events
from tests.warehouse.store_answers import Both, StoreAnswers, both_of
from tests.warehouse.tables import write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

SEEDS = (1, 2, 3, 4)
AT = clock.parse_iso(at(40))


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.fixture(scope="module")
def both(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    events = [event for seed in SEEDS for event in random_events(seed, 100)]
    with both_of(spark, events, tmp_path_factory.mktemp("closure")) as both:
        yield both


@pytest.fixture(scope="module")
def structs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """The same with structs; short paths, as many are copied into themselves."""
    events = [event for seed in SEEDS[:2] for event in random_events(seed, 100, NESTED)]
    with (
        mock.patch.object(field_path, "MOST_PARTS", 4),
        both_of(spark, events, tmp_path_factory.mktemp("structs")) as both,
    ):
        yield both


def reached(spark: SparkSession, answer: str) -> dict[str, dict[Field, int]]:
    """For each set the fields and their distances."""
    found: dict[str, dict[Field, int]] = {}
    for set_, namespace, name, field, depth in spark.read.parquet(answer).collect():
        field_of_set = found.setdefault(set_, {})
        assert Field(namespace, name, field) not in field_of_set
        field_of_set[Field(namespace, name, field)] = depth
    return found


def closures(
    spark: SparkSession, both: Both, folder: Path, question: Question
) -> dict[Field, tuple[dict[Field, int], dict[Field, int]]]:
    """What each field reaches in the warehouse, and in the store."""
    lines = [f"{number},n,{field.name},{field.field}" for number, field in enumerate(both.fields)]
    sets = folder / "sets.csv"
    sets.write_text("\n".join(["set,namespace,name,field", *lines]))
    with mock.patch.object(graph_tasks, "BYTES_OF_SETS", 0):  # 64 sets a task: there are several
        found = reached(spark, closure(spark, both.warehouse, listed(str(sets)), question))
    wanted = {str(n): both.answers.closure(field, question) for n, field in enumerate(both.fields)}
    assert len(wanted) > 64  # more than one word of bits
    assert max(map(len, wanted.values())) > (2 if question.depth == 1 else 8)
    assert found.keys() == wanted.keys()
    return {field: (found[str(n)], wanted[str(n)]) for n, field in enumerate(both.fields)}


@pytest.mark.parametrize(
    "question", [Question(DOWN, indirect=True), Question(UP, AT, indirect=True)], ids=str
)
def test_every_field_reaches_what_it_reaches_in_the_store(
    spark: SparkSession, both: Both, tmp_path: Path, question: Question
) -> None:
    for ours, stores in closures(spark, both, tmp_path, question).values():
        assert ours == stores


@pytest.mark.parametrize(
    "question",
    [
        Question(UP),
        Question(DOWN),
        Question(DOWN, AT, indirect=True),
        Question(DOWN, depth=1),
        Question(UP, indirect=True, depth=2),
    ],
    ids=str,
)
def test_structs_and_parts_reach_what_they_reach_in_the_store(
    spark: SparkSession, structs: Both, tmp_path: Path, question: Question
) -> None:
    """No random event named a nested field, so a struct and its parts were strangers here."""
    pairs = closures(spark, structs, tmp_path, question)
    reached_fields = set[Field]().union(*(ours for ours, _ in pairs.values()))
    assert any(field.field for field in reached_fields - pairs.keys())  # parts in no event
    for ours, stores in pairs.values():
        assert ours == stores


def test_parts_beyond_the_bound_go_to_the_whole_copy(
    spark: SparkSession, structs: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three copies of a struct into itself would have 3**20 parts of parts."""
    monkeypatch.setattr(struct_parts, "MOST_UNNAMED", 0)
    pairs = closures(spark, structs, tmp_path, Question(DOWN, clock.parse_iso(at(10_000)))).values()
    assert any(ours != stores for ours, stores in pairs)
    for ours, stores in pairs:
        for field in stores:
            assert not {field, *field_path.wholes(field)}.isdisjoint(ours)


@pytest.mark.parametrize("question", [Question(UP), Question(DOWN, indirect=True, depth=2)])
def test_a_sample_of_columns_is_compared_with_a_store(
    spark: SparkSession,
    both: Both,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question: Question,
) -> None:
    sets = sampled(spark, both.warehouse, 0.5, 1)
    assert 10 < len(sets) == round(len(sampled(spark, both.warehouse, 1, 1)) / 2)
    assert compare(spark, both.warehouse, both.answers, sets, question, tmp_path) == 0
    assert "0 differ" in capsys.readouterr().out
    other = Store.open("sqlite://")
    other.add([event for seed in SEEDS for event in random_events(seed, 100)])
    other.add([copy_event("of this store only", 60, "1a", {"x": "3b.y"})])
    assert compare(spark, both.warehouse, StoreAnswers(other), sets, question, tmp_path) > 0
    assert "only in the store: ('" in capsys.readouterr().out
    other.close()


def test_a_closure_that_was_killed_goes_on(spark: SparkSession, both: Both) -> None:
    starts = named(["1a", "1b.x"])

    def kill(step: str) -> None:
        if step == FOLLOWING:
            raise Killed

    with pytest.raises(Killed):
        closure(spark, both.warehouse, starts, Question(DOWN), kill)
    (pairs,) = Path(both.warehouse, "closures").glob("*/pairs")
    before = {file.name for file in pairs.iterdir()}
    during: list[set[str]] = []

    def look(step: str) -> None:
        during.append({file.name for file in pairs.iterdir()})

    answer = closure(spark, both.warehouse, starts, Question(DOWN), look)
    assert during == [before, before]  # the names of Spark's files are new ones of each write
    assert Path(answer).parent == pairs.parent
    assert Folder(spark, both.warehouse).names(f"closures/{pairs.parent.name}") == ["answer"]
    fields = reached(spark, answer)
    assert fields["1b.x"] == both.answers.closure(Field("n", "1b", "x"), Question(DOWN))
    assert fields["1a"] == both.answers.closure(Field("n", "1a", ""), Question(DOWN))


@pytest.mark.parametrize(
    ("starts", "error"),
    [
        (named(["nothing.x"]), r"^There is no dataset or field 'nothing.x'\. Expected DATASET"),
        (named(["same.x"]), r"^'same.x' is in several namespaces: 'm', 'n'\. Name one\.$"),
        (named([]), r"^There are 0 sets of starts\. Expected 1 to 1024\.$"),
    ],
)
def test_starts_that_are_not_one_field_are_errors(
    spark: SparkSession, same_names: str, starts: Starts, error: str
) -> None:
    with pytest.raises(WarehouseError, match=error):
        closure(spark, same_names, starts, Question())


@pytest.fixture(scope="module")
def same_names(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("same")
    event = copy_event("job", 1, "same", {"x": "raw.x"})
    output = {**event["outputs"][0], "namespace": "m"}
    write_lines(folder / "events.jsonl", [event, {**event, "outputs": [output]}])
    build(spark, [str(folder)], str(folder / "warehouse"))
    return str(folder / "warehouse")


def test_the_namespace_chooses_between_equal_names(spark: SparkSession, same_names: str) -> None:
    closed = closure(spark, same_names, named(["same.x"], "m"), Question())
    found = reached(spark, closed)
    assert found == {"same.x": {Field("m", "same", "x"): 0, Field("n", "raw", "x"): 1}}


def test_a_folder_without_tables_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"^There is no warehouse at .*\. Make it: colgraph"):
        closure(spark, str(tmp_path), named(["a"]), Question())
