"""The readers of other projects' suites, on suites of our own that are as small as can be."""

import json
from pathlib import Path
from typing import Any

import pytest

from oracles.conformance import datahub, hive, marquez, spark_scripts
from oracles.conformance.__main__ import main
from oracles.conformance.edges import NONE, Verdict, row
from oracles.conformance.kyuubi import REASONS
from oracles.conformance.scala_tests import Step, UnreadError, bodies, steps
from oracles.conformance.table import Row, as_results, lines
from tests.store.samples import copy_event

SUITE = '''
class Suite {
  test("a view of a table") {
    val ddls = """
        |create table t(a int)
        |create table u(a int)
        |""".stripMargin
    ddls.split("\\n").filter(_.nonEmpty).foreach(spark.sql(_).collect())
    val query = s"select a" + s" from $NAME.t" // "t" is read
    val ret0 = extractLineage(query)
    assert(ret0 == Lineage(
      List(s"$NAME.t"),
      List[String](),
      List(("a", Set(s"$NAME.t.a")), "b" -> Set[String]())))
  }

  test("a value of a class") {
    val ret0 = extractLineage(s"select ${file.path}")
  }
}
'''


def test_a_scala_test_is_read_as_statements_and_what_they_expect() -> None:
    (_, body), (name, other) = bodies(SUITE)
    expected = (("c.t",), (), (("a", ("c.t.a",)), ("b", ())))
    assert list(steps(body, {"NAME": "c"})) == [
        Step("create table t(a int)"),
        Step("create table u(a int)"),
        Step("select a from c.t", expected),
    ]
    assert name == "a value of a class"
    with pytest.raises(UnreadError, match=r"file\.path"):
        list(steps(other, {}))


DOCUMENT = """
openapi: 3.0.2
info: {title: T, version: "1"}
paths:
  /jobs/runs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200":
          description: a run
          content: {application/json: {schema: {$ref: "#/components/schemas/Run"}}}
components:
  schemas:
    Facet: {type: object, required: [_producer, _schemaURL]}
    Run:
      type: object
      required: [id, REQUIRED]
      properties:
        id: {type: string}
        facets: {type: object, additionalProperties: {$ref: "#/components/schemas/Facet"}}
"""


@pytest.mark.parametrize(("required", "right"), [("state", 1), ("nothing_that_we_answer", 0)])
def test_answers_are_held_against_a_document(tmp_path: Path, required: str, right: int) -> None:
    """No earlier test saw that facets of runs had lost the keys that each facet must have."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "openapi.yml").write_text(DOCUMENT.replace("REQUIRED", required))
    producer = {"_producer": "urn:p", "_schemaURL": "urn:s"}
    parent = {"run": {"runId": "0199aaaa-0000-7000-8000-000000000001"}}
    facets = {
        "nominalTime": {**producer, "nominalStartTime": "2026-11-20T12:00:00Z"},
        "parent": {**producer, **parent, "job": {"namespace": "n", "name": "dag"}},
    }
    events = [copy_event("load", 3, "t", {"x": "s.a"}, **facets)]
    (answers,) = marquez.rows(tmp_path, events)
    assert (answers.right, len(answers.wrong)) == (right, 1 - right)
    assert all(required in text for text in answers.wrong)


def test_the_table_counts_every_assertion() -> None:
    counted = Row("a suite", 3, ["x"], {"on purpose": 2}, ["no class"])
    head, _, counts, _, reason = lines(as_results([counted], "abc"))
    assert head.startswith("| suite | commit | assertions | right |")
    assert counts == "| a suite | abc | 7 | 3 | 2 | 1 | 1 |"
    assert reason == "* a suite: on purpose (2)."


def test_no_checkout_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "no suite has its checkouts" in capsys.readouterr().err


def verdict(name: str, expected: str, reported: str) -> Verdict:
    edges = [frozenset({("a", source)}) for source in (expected, reported)]
    return Verdict(name, "a statement", edges[0], edges[1], edges[1])


def test_only_the_edges_of_a_reason_are_excused() -> None:
    """The name of a test excused whatever its answer was, and a wrong one counted as excused."""
    copied = Verdict("ReplaceData", "s", frozenset({("a", "target_t.a")}), NONE, NONE)
    lost = Verdict("ReplaceData", "s", frozenset({("a", "source_t.a")}), NONE, NONE)
    others = [verdict("a query", "t.a", "t.a"), verdict("a query", "t.a", "u.a")]
    result = row("a suite", [copied, lost, *others], REASONS)
    assert (result.right, sum(result.reasons.values())) == (1, 1)
    assert result.wrong == [
        "s: missing a <- source_t.a",
        "a statement: extra a <- u.a, missing a <- t.a",
    ]


def golden(orders: str, total: str, kind: str) -> list[dict[str, Any]]:
    """What DataHub's converter proposes: two datasets, and an edge in its form."""
    totals = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.totals,PROD)"
    read = f"urn:li:dataset:(urn:li:dataPlatform:{orders},PROD)"
    target, source = (
        f"urn:li:schemaField:({each})".replace("/", "~1")
        for each in (f"{totals},{total}", f"{read},amount")
    )
    paths = (
        f"/fineGrainedLineages/{kind}/{target}/NONE/{source}",
        f"/outputDatasetEdges/{totals}",
    )
    return [
        {"entityType": "dataset", "entityUrn": totals, "aspectName": "status", "aspect": {}},
        {"entityType": "dataset", "entityUrn": read, "aspectName": "status", "aspect": {}},
        {
            "entityType": "dataJob",
            "entityUrn": "urn:li:dataJob:x",
            "aspectName": "dataJobInputOutput",
            "aspect": [{"op": "add", "path": path, "value": {}} for path in paths],
        },
    ]


FILE = "file,/lake/orders"


@pytest.mark.parametrize(
    ("orders", "total", "kind", "right", "wrong"),
    [
        (FILE, "sum(amount)", "DIRECT:AGGREGATION", (2, 0, 0), (0, 0, 0)),
        (FILE, "sum(amount)", "DIRECT:IDENTITY", (2, 0, 0), (0, 0, 2)),
        ("s3,x", "other", "DIRECT:AGGREGATION", (1, 0, 0), (2, 2, 2)),
    ],
)
def test_golden_files_of_datahub_are_compared_with_the_export(
    tmp_path: Path,
    orders: str,
    total: str,
    kind: str,
    right: tuple[int, ...],
    wrong: tuple[int, ...],
) -> None:
    """The golden file of an event of our own; parentheses are escaped by us only."""
    event = copy_event("load", 1, "/lake/totals", {"sum(amount)": "/lake/orders:amount"})
    event["inputs"] = [{"namespace": "n", "name": "/lake/orders"}]
    facets = event["outputs"][0]["facets"]
    steps = facets["columnLineage"]["fields"]["sum(amount)"]["inputFields"][0]["transformations"]
    steps[0]["subtype"] = "AGGREGATION"
    link = {"namespace": "hive://m:9083", "name": "shop.totals", "type": "TABLE"}
    facets["symlinks"] = {"identifiers": [link]}
    rows = judged_by_datahub(tmp_path, event, golden(orders, total, kind))
    assert tuple(row.right for row in rows) == right
    assert tuple(len(row.wrong) for row in rows) == wrong
    assert rows[1].reasons == ({datahub.RAW: 1} if total == "sum(amount)" else {})


def judged_by_datahub(root: Path, event: Any, proposals: Any) -> list[Row]:
    events = root / "tests" / "consumer" / "scenarios" / "shop" / "events"
    files = root / "datahub" / datahub.GOLDEN / "shop"
    for folder in (events, files):
        folder.mkdir(parents=True)
    (events / "1.json").write_text(json.dumps(event).replace('"n"', '"file"'))
    (files / "1.json").write_text(json.dumps(proposals))
    return list(datahub.rows(root / "datahub", root / "tests"))


def test_differences_from_datahub_are_excused_by_their_reason_only(tmp_path: Path) -> None:
    """Without its reason each of these would be wrong; a dataset that nothing reads stays so."""
    older = copy_event("load", 1, "/lake/totals", {"total": "/lake/orders:amount"})
    (edge,) = older["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
    del edge["transformations"]
    older["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["transformationType"] = (
        "IDENTITY"
    )
    older["inputs"] = []
    file = "urn:li:dataset:(urn:li:dataPlatform:file,{},PROD)"
    totals, orders = file.format("/lake/totals"), file.format("/lake/orders")
    target, source = (
        f"urn:li:schemaField:({each})".replace("/", "~1")
        for each in (f"{totals},total", f"{orders},amount")
    )
    proposals = golden(FILE, "total", "")[1:]
    proposals[0]["entityUrn"] = totals
    proposals[1]["aspect"] = [
        {"path": f"/fineGrainedLineages/TRANSFORM/{target}/NONE/{source}"},
        {"path": f"/outputDatasetEdges/{totals}"},
    ]
    datasets, edges, kinds = judged_by_datahub(tmp_path / "older", older, proposals)
    assert (datasets.right, datasets.reasons) == (1, {datahub.UNLISTED: 1})
    assert (edges.right, kinds.reasons) == (1, {datahub.OLDER: 1})
    read = {**older, "outputs": [], "inputs": [{"namespace": "n", "name": "/lake/orders"}]}
    only = [{**proposals[0], "entityUrn": orders}]
    datasets, _, _ = judged_by_datahub(tmp_path / "read", read, only)
    assert (datasets.wrong, datasets.reasons) == ([], {datahub.READ: 1})
    older["outputs"][0]["facets"] = {}
    listed = [*proposals[:1], {**proposals[0], "entityUrn": orders}, *golden(FILE, "", "")[2:]]
    datasets, _, _ = judged_by_datahub(tmp_path / "listed", older, listed)
    assert datasets.wrong == [f"shop/1.json: {orders}"]


def logged(text: str, edges: dict[str, list[tuple[str, str]]]) -> str:
    """What Hive's logger prints of a statement: edges by their type."""
    columns = sorted({name for pairs in edges.values() for pair in pairs for name in pair})
    return json.dumps(
        {
            "version": "1.0",
            "queryText": text,
            "edges": [
                {
                    "sources": [columns.index(source)],
                    "targets": [columns.index(target)],
                    "edgeType": kind,
                }
                for kind, pairs in edges.items()
                for target, source in pairs
            ],
            "vertices": [
                {"id": number, "vertexType": "COLUMN", "vertexId": name}
                for number, name in enumerate(columns)
            ],
        }
    )


INSERT = "insert into d partition (day)\n  select value, key from src where key > 0"
KEYS = "key INT, value INT"
INSERTED = {
    "PROJECTION": [("default.d.a", "default.src.value"), ("default.d.day", "default.src.key")],
    "PREDICATE": [("default.d.a", "default.src.key")],
}


@pytest.mark.parametrize(("column", "right"), [("value", 2), ("key", 1)])
def test_statements_of_hive_are_compared_with_what_it_has_logged(
    tmp_path: Path, column: str, right: int
) -> None:
    """A write's columns have names, a query's have numbers; those of partitions are the last."""
    query = f"from src select {column}"
    table = "-- a comment; of two parts\ncreate table d (a int) partitioned by (day int)"
    selected = {"PROJECTION": [("0", "default.src.value")]}
    files = {
        f"{hive.QUERIES}/{hive.FILES[0]}": f"{table};\n{INSERT};\n",
        f"{hive.QUERIES}/{hive.FILES[1]}": f"{query};\n",
        f"{hive.RESULTS}/llap/{hive.FILES[0]}.out": logged(INSERT, INSERTED),
        f"{hive.RESULTS}/llap/{hive.FILES[1]}.out": f"1\t2\n{logged(query, selected)}",
        **{hive.SHARED.format(name): f"CREATE TABLE {name} ({KEYS});" for name in hive.TABLES},
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (row,) = hive.rows(tmp_path)
    assert (row.right, len(row.wrong)) == (right, 2 - right)


JAVA = """
  void first() {
    run("spark_one.py");
    verify(client, "oneEnd.json");
  }
  void unrelated() { verify(client, "none.json"); }
  void second() { run("/opt/spark_scripts/spark_kafka.py"); verify("kafkaEnd.json"); }
"""


def test_each_statement_of_an_expected_event_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real runner takes minutes of Spark: `make conformance` has it."""
    expected = copy_event("job", 1, "/tmp/mart", {"a": "raw.a"}, dataset="raw.k")
    for folder in (spark_scripts.TESTS.parent, spark_scripts.EXPECTED):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / spark_scripts.TESTS).write_text(JAVA)
    (tmp_path / spark_scripts.EXPECTED / "oneEnd.json").write_text(json.dumps(expected))

    def reported(checkout: Path, program: str, root: Path) -> list[dict[str, Any]]:
        assert program == "spark_one.py"
        event = json.loads(json.dumps(expected).replace("/tmp/mart", f"{root}/tmp/mart"))
        if "lost" in faults:
            del event["outputs"][0]["facets"]["columnLineage"]
        return [event]

    faults: set[str] = set()
    monkeypatch.setattr(spark_scripts, "run", reported)
    (whole,) = spark_scripts.rows(tmp_path)
    assert whole.right == 3  # the dataset, and its column from two others
    assert (whole.wrong, whole.unread) == ([], ["spark_kafka.py needs a broker"])
    faults.add("lost")
    (part,) = spark_scripts.rows(tmp_path)
    assert part.right < whole.right
    assert all("edge" in text for text in part.wrong)
    assert part.wrong
