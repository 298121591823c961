"""Every format says of odd names which they are: signs of ids, of URLs and of the format itself."""

import csv
import io
import json
from itertools import pairwise

import pyarrow.parquet
import pytest

from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.datahub.rfc1841 import lineage_of
from airflow_colgraph.exports.datahub.urn import parse_dataset, parse_field
from airflow_colgraph.exports.exporters import FORMATS, Options
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.graph import downstream
from airflow_colgraph.store.store import Store
from tests.api.test_node_ids import NAMES, copied
from tests.store.samples import copy_event, memory_store

PAIRS = set(pairwise(NAMES))


@pytest.fixture(scope="module")
def store() -> Store:
    store = memory_store()
    store.add(copied(NAMES))
    return store


def exported(store: Store, name: str) -> bytes:
    file = io.BytesIO()
    with store.connection() as connection:
        FORMATS[name].write(connection, Options(), file)
    return file.getvalue()


def test_events_make_the_same_store(store: Store) -> None:
    again = memory_store()
    again.add([json.loads(line) for line in exported(store, "openlineage").splitlines()])
    assert exported(again, "csv") == exported(store, "csv")


def test_tables_have_the_names(store: Store) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(store, "csv").decode(), newline="")))
    table = pyarrow.parquet.read_table(io.BytesIO(exported(store, "parquet"))).to_pylist()
    for named in rows, table:
        ends = {(row["input_field"], row["output_field"]) for row in named if row["input_field"]}
        assert ends == PAIRS


def test_a_urn_has_the_names(store: Store) -> None:
    """The pattern of a dataset's URN alone had no line breaks."""
    for proposal in json.loads(exported(store, "datahub")):
        if proposal["entityType"] == "dataset":
            assert parse_dataset(proposal["entityUrn"]).name in NAMES
        for entry in proposal["aspect"]["json"].get("fineGrainedLineages", ()):
            (source,), (target,) = (
                map(parse_field, entry["upstreams"]),
                [parse_field(urn) for urn in entry["downstreams"]],
            )
            assert (source.path, target.path) in PAIRS
            assert (source.dataset.name, target.dataset.name) in PAIRS


def test_rfc_documents_come_back(store: Store) -> None:
    documents = [json.loads(line) for line in exported(store, "datahub-rfc").splitlines()]
    read = lineage_of(documents, Mapping())
    assert {
        (source.field, field)
        for output in read.outputs
        for field, inputs in (output.fields or {}).items()
        for source in inputs
    } == PAIRS


def test_openmetadata_has_each_pair(store: Store) -> None:
    edges = [json.loads(line) for line in exported(store, "openmetadata").splitlines()]
    columns = [edge["edge"]["lineageDetails"]["columnsLineage"] for edge in edges]
    ends = {(one["fromColumns"][0], one["toColumn"]) for found in columns for one in found}
    assert len(ends) == len(PAIRS)


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_a_graph_has_a_line_for_each_field(store: Store, name: str) -> None:
    """A line break in a name ended the line of a tree and of a Mermaid edge."""
    graph = downstream(store, "n", NAMES[0], NAMES[0])
    text = GRAPH_FORMATS[name].render(graph)
    if name == "json":
        nodes = [NAMES[0], *(edge["output"]["field"] for edge in json.loads(text)["edges"])]
    elif name == "compact":
        nodes = json.loads(text)["nodes"]["field"]
    elif name == "csv":
        rows = csv.DictReader(io.StringIO(text, newline=""))
        nodes = [NAMES[0], *(row["output_field"] for row in rows)]
    else:
        fields, pairs = len(NAMES), len(PAIRS)
        lines = {"table": fields, "mermaid": 1 + 3 * fields + pairs, "dot": 4 + 4 * fields + pairs}
        assert len(text.splitlines()) == lines[name]
        return
    assert nodes == NAMES
    assert Field("n", NAMES[0], NAMES[0]) in graph.nodes


@pytest.mark.parametrize("name", FORMATS)
def test_a_column_without_a_name_is_no_column(name: str) -> None:
    """Its input is not that of all columns, and no format fails."""
    event = copy_event("j", 1, "mart", {"x": "raw.a", "": "raw.unnamed"})
    store = memory_store()
    store.add([event])
    text = exported(store, name)
    assert b"raw" in text
    assert b"unnamed" not in text
