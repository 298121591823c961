"""Iceberg through a real session: one event for each command, with its whole lineage."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from tests.collector.cases.loader import Case, lineage_of
from tests.spark.jars import jars
from tests.spark.lake import (
    ALTERED,
    ASKS,
    CHANGES,
    EVOLVED,
    MADE,
    REPLACED,
    VERSIONED,
    computed,
    made,
    summary,
    summary_of,
    table_change,
    version,
    versions,
    whole,
)
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("spark-iceberg")]

MERGE_ON_READ = "TBLPROPERTIES (" + ", ".join(
    f"'write.{name}.mode' = 'merge-on-read'" for name in ("merge", "update", "delete")
)
CATALOG = "spark.sql.catalog.ice"
VIEWS = "spark.sql.catalog.views"
SAME = "a <- t.a DIRECT:IDENTITY\n b <- t.b DIRECT:IDENTITY"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = Path(tmp_path_factory.mktemp("iceberg"))
    settings = {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.colgraph.icebergReports": "true",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": f"{root}/ice",
        VIEWS: "org.apache.iceberg.spark.SparkCatalog",  # `hadoop` has no views
        f"{VIEWS}.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
        f"{VIEWS}.warehouse": f"{root}/views",
    }
    statements = [f"CREATE NAMESPACE {name}" for name in ("ice.db", "ice.mor", "views.db")]
    statements += made("ice.db.", "iceberg") + made("ice.mor.", "iceberg", MERGE_ON_READ + ")")
    found = Session(root, settings, jars("iceberg-spark-runtime-4.1_2.13"), statements)
    yield found
    found.stop()


@pytest.mark.parametrize("namespace", ["db", "mor"])
@pytest.mark.parametrize("name", ASKS)
def test_a_command_is_reported_once_with_its_whole_lineage(
    session: Session, name: str, namespace: str
) -> None:
    ask, p = ASKS[name], f"ice.{namespace}."
    found = summary(session, ask.statement.format(p=p, using="iceberg"), f"{namespace}.")
    assert found == (1, whole(ask.lineage), ask.inputs)


@pytest.mark.parametrize("namespace", ["db", "mor"])
@pytest.mark.parametrize("statement", CHANGES)
def test_what_a_command_computes_is_described(
    session: Session, statement: str, namespace: str
) -> None:
    assert computed(session, statement.format(p=f"ice.{namespace}.")) == CHANGES[statement]


@pytest.mark.parametrize("namespace", ["db", "mor"])
def test_a_merge_that_adds_a_column(session: Session, namespace: str) -> None:
    p = f"ice.{namespace}."
    properties = f"{MERGE_ON_READ})" if namespace == "mor" else ""
    session.spark.sql(f"CREATE TABLE {p}evolved (a INT, b INT) USING iceberg {properties}")
    session.spark.sql(f"INSERT INTO {p}evolved SELECT 1 AS a, 2 AS b")
    found = summary(session, EVOLVED.statement.format(p=p), f"{namespace}.")
    assert session.spark.table(f"{p}evolved").columns == ["a", "b", "c"]
    assert found == (1, whole(EVOLVED.lineage), EVOLVED.inputs)


def test_frames_and_time_travel(session: Session) -> None:
    spark = session.spark
    session.events()
    frame = spark.read.option("versionAsOf", snapshot(session)).table("ice.db.v")
    frame.selectExpr("a AS x", "_file AS y").writeTo("ice.db.travelled").create()
    lineage = whole("x <- v.a DIRECT:IDENTITY\n y <-")
    assert summary_of(session, "db.") == (1, lineage, "v")
    frame.selectExpr("b AS x", "'f' AS y").writeTo("ice.db.travelled").append()
    assert summary_of(session, "db.") == (1, whole("x <- v.b DIRECT:IDENTITY\n y <-"), "v")
    frame.selectExpr("a AS x", "'f' AS y").writeTo("ice.db.travelled").overwritePartitions()
    assert summary_of(session, "db.") == (1, lineage, "v")


WRITES = {
    "append": (
        "b AS b, a + 1 AS a",
        "a <- t.a DIRECT:TRANSFORMATION\n b <- t.b DIRECT:IDENTITY",
        "",
    ),
    "overwritePartitions": ("a, b", SAME, "OVERWRITE"),  # the table has no partitions
    "overwrite": ("a, b", SAME, ""),  # the rows of a condition
    "create": ("a, b", SAME, "CREATE"),
    "replace": ("b AS a, b", "a <- t.b DIRECT:IDENTITY\n b <- t.b DIRECT:IDENTITY", "OVERWRITE"),
    "createOrReplace": ("max(a) AS a", "a <- t.a DIRECT:AGGREGATION", "OVERWRITE"),
}


@pytest.mark.parametrize("act", WRITES)
def test_every_act_of_a_writer(session: Session, act: str) -> None:
    columns, lineage, became = WRITES[act]
    if act != "create":
        session.spark.sql(f"CREATE TABLE ice.db.{act} (a INT, b INT) USING iceberg")
    session.events()
    writer = (
        session.spark.table("ice.db.t").selectExpr(*columns.split(", ")).writeTo(f"ice.db.{act}")
    )
    getattr(writer, act)(*[F.col("a") == 1] if act == "overwrite" else [])
    (event,) = session.events()
    (output,) = event["outputs"]
    changes = output["facets"].get("lifecycleStateChange", {"lifecycleStateChange": ""})
    assert lineage_of([event], str(session.root)) == frozenset(
        line.replace("<- t.", "<- db.t.") for line in whole(lineage)
    )
    assert (output["name"], changes["lifecycleStateChange"]) == (
        f"{session.root}/ice/db/{act}",
        became,
    )


def test_structs_that_spark_builds_again_are_the_same(session: Session) -> None:
    spark = session.spark
    spark.sql("CREATE TABLE ice.db.deep (s STRUCT<x: BIGINT, y: STRING>) USING iceberg")
    spark.sql("CREATE TABLE ice.db.turned (s STRUCT<y: STRING, x: INT>, k STRING) USING iceberg")
    session.events()
    spark.table("ice.db.turned").select("s").writeTo("ice.db.deep").append()
    lineage = whole("s <- turned.s DIRECT:IDENTITY")
    assert summary_of(session, "db.") == (1, lineage, "turned")
    merge = (
        "MERGE INTO ice.db.deep d USING ice.db.turned t ON d.s.y = t.k WHEN MATCHED THEN UPDATE "
    )
    session.spark.sql(merge + "SET s = t.s")
    lineage |= whole("* <- deep.s INDIRECT:JOIN\n * <- turned.k INDIRECT:JOIN")
    assert summary_of(session, "db.") == (1, lineage, "deep turned")


def test_a_clause_s_condition_decides_on_each_member_that_it_sets(session: Session) -> None:
    spark = session.spark
    spark.sql("CREATE TABLE ice.db.parts (k INT, s STRUCT<x: INT, y: INT>) USING iceberg")
    merge = (
        "MERGE INTO ice.db.parts p USING ice.db.t t ON p.k = t.a "
        "WHEN MATCHED AND t.b > 1 THEN UPDATE SET s = named_struct('x', t.a, 'y', p.s.y)"
    )
    case = Case("", merge, frozenset(), None, (("nestedFields", "true"),))
    summary = {line.replace("db.", "") for line in lineage_of(session.run(case), str(session.root))}
    members = {line for line in summary if line.startswith("s.")}
    assert members == whole(
        """
        s.x <- t.a DIRECT:IDENTITY
        s.x <- t.b INDIRECT:CONDITIONAL
        s.y <- parts.s.y DIRECT:IDENTITY
        s.y <- t.b INDIRECT:CONDITIONAL
        """
    )


def test_an_rdd_of_a_table_is_made_of_all_that_was_read(session: Session) -> None:
    session.events()
    rows = session.spark.table("ice.db.t").rdd.map(lambda row: (row.a,))
    rows.toDF(["x"]).writeTo("ice.db.by_rdd").create()
    lineage = "x <- db.t.a DIRECT:TRANSFORMATION\n x <- db.t.b DIRECT:TRANSFORMATION"
    lineage += "\n * <- db.t.a INDIRECT:FILTER\n * <- db.t.b INDIRECT:FILTER"
    assert lineage_of(session.events(), "") == whole(lineage)


def snapshot(session: Session) -> int:
    found = session.spark.sql("SELECT snapshot_id FROM ice.db.v.snapshots").head()
    session.events()
    assert found is not None
    return int(found[0])


ABOUT = {
    "INSERT INTO ice.db.about.branch_br SELECT a, b FROM ice.db.u": ("u", "about"),
    "INSERT INTO ice.db.out SELECT a, b FROM ice.db.about.branch_br": ("about", "out"),
    "INSERT INTO ice.db.out SELECT a, b FROM ice.db.about VERSION AS OF 'br'": ("about", "out"),
    "INSERT INTO ice.db.out SELECT a, b FROM ice.db.about.changes": ("about", "out"),
    "INSERT INTO ice.db.out SELECT spec_id AS a, 1 FROM ice.db.about.files": ("about#files", "out"),
}


def test_branches_are_the_table_and_tables_about_it_are_not(session: Session) -> None:
    session.spark.sql("CREATE TABLE ice.db.about USING iceberg AS SELECT * FROM ice.db.t")
    session.spark.sql("ALTER TABLE ice.db.about CREATE BRANCH br")
    for statement, (read, written) in ABOUT.items():
        session.events()
        session.spark.sql(statement)
        (event,) = session.events()
        for found, name in ((event["inputs"], read), (event["outputs"], written)):
            (dataset,) = found
            assert dataset["name"] == f"{session.root}/ice/db/{name}"
            (link,) = dataset["facets"]["symlinks"]["identifiers"]
            assert link["name"] == f"db.{name}".replace("#", ".")
    changed = "SELECT b, _change_ordinal FROM ice.db.about.changes WHERE false"  # else it fails
    assert summary(session, f"INSERT INTO ice.db.out {changed}", "db.") == (
        1,
        whole("a <- about.b DIRECT:IDENTITY\n b <-"),
        "about",
    )
    path = f"{session.root}/ice/db/about#snapshots"
    session.spark.read.format("iceberg").load(path).collect()
    (event,) = session.events()
    assert [found["name"] for found in event["inputs"]] == [path]


def test_a_procedure_that_brings_files_into_a_table_is_a_write_without_lineage(
    session: Session,
) -> None:
    """Maintenance is no write."""
    spark, nameless = session.spark, session.worker.pipeline.accounting.nameless
    spark.sql("SELECT 1 AS a, 2 AS b").write.parquet(f"{session.root}/files")
    spark.sql("CREATE TABLE ice.db.brought (a INT, b INT) USING iceberg")
    source = f"source_table => '`parquet`.`{session.root}/files`'"
    spark.sql(f"CALL ice.system.add_files(table => 'db.brought', {source})")
    spark.sql("CALL ice.system.expire_snapshots(table => 'db.brought')")
    assert [tuple(row) for row in spark.table("ice.db.brought").collect()] == [(1, 2)]
    session.events()
    assert nameless == {"CALL system.add_files": 1}


def test_maintenance_of_a_table_is_no_lineage(session: Session) -> None:
    """Compaction was a write of the table from itself; its manifests' columns were the table's."""
    spark = session.spark
    spark.sql("CREATE TABLE ice.db.kept (a INT, b INT) USING iceberg")
    for _ in range(2):
        spark.sql("INSERT INTO ice.db.kept VALUES (1, 2)")
    session.events()
    options = "options => map('rewrite-all', 'true')"
    spark.sql(f"CALL ice.system.rewrite_data_files(table => 'db.kept', {options})")
    spark.sql("CALL ice.system.expire_snapshots('db.kept')")
    spark.sql("CALL ice.system.remove_orphan_files(table => 'db.kept')")
    assert spark.sql("SELECT * FROM ice.db.kept.files").count() == 1
    (event,) = session.events()
    assert [item["name"].rpartition("/")[2] for item in event["inputs"]] == ["kept#files"]


def test_a_replace_of_no_table_creates_one(session: Session) -> None:
    spark = session.spark
    session.events()
    for _ in range(2):
        spark.sql("CREATE OR REPLACE TABLE ice.db.first USING iceberg AS SELECT 1 AS a")
        spark.sql("CREATE OR REPLACE TABLE ice.db.second (a INT) USING iceberg")
        spark.table("ice.db.v").write.mode("overwrite").saveAsTable("ice.db.third")
    facets = [event["outputs"][0]["facets"] for event in session.events()]
    changes = [facet["lifecycleStateChange"]["lifecycleStateChange"] for facet in facets]
    assert changes == ["CREATE"] * 3 + ["OVERWRITE"] * 3


def test_a_table_that_is_read_at_two_times_has_no_version(session: Session) -> None:
    """The event named the first of them."""
    spark = session.spark
    spark.sql("CREATE TABLE ice.db.times USING iceberg AS SELECT 1 AS a")
    (first,) = spark.sql("SELECT snapshot_id FROM ice.db.times.snapshots").first() or ()
    spark.sql("INSERT INTO ice.db.times VALUES (2)")
    session.events()
    old = f"ice.db.times VERSION AS OF {first}"
    spark.sql(f"INSERT INTO ice.db.times SELECT a FROM {old}")
    spark.sql(f"INSERT INTO ice.db.times SELECT n.a FROM {old} o JOIN ice.db.times n ON o.a = n.a")
    read = [version(event["inputs"][0]) for event in session.events()]
    assert read == [str(first), ""]


def test_names_lifecycle_and_metadata(session: Session) -> None:
    session.spark.sql("SELECT a, _file FROM ice.db.v").collect()
    (event,) = session.events()
    (read,) = event["inputs"]
    assert [field["name"] for field in read["facets"]["schema"]["fields"]] == ["a", "b"]
    assert (read["namespace"], read["name"]) == ("file", f"{session.root}/ice/db/v")
    (link,) = read["facets"]["symlinks"]["identifiers"]
    assert link == {"namespace": f"file:{session.root}/ice", "name": "db.v", "type": "TABLE"}
    for statement, became in {
        "TRUNCATE TABLE ice.db.v": "TRUNCATE",
        "DROP TABLE ice.db.v PURGE": "DROP",
    }.items():
        session.spark.sql(statement)
        (event,) = session.events()
        (output,) = event["outputs"]
        change = output["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
        assert (output["name"], change) == (f"{session.root}/ice/db/v", became)


def test_a_view_is_made_of_the_tables_below_it(session: Session) -> None:
    """No earlier test made a view in a catalog of Iceberg's: it was in no event."""
    session.events()
    query = "SELECT a, max(b) FROM ice.db.t WHERE b > 0 GROUP BY a"
    lineage = """
        x <- db.t.a DIRECT:IDENTITY
        y <- db.t.b DIRECT:AGGREGATION
        * <- db.t.a INDIRECT:GROUP_BY
        * <- db.t.b INDIRECT:FILTER
    """
    for create, became in ("CREATE VIEW", "CREATE"), ("CREATE OR REPLACE VIEW", "ALTER"):
        session.spark.sql(f"{create} views.db.sums (x, y COMMENT 'most') AS {query}")
        (event,) = session.events()
        assert view_of(event, session) == ("db/sums", became)
        assert lineage_of([event], str(session.root)) == whole(lineage)
    session.spark.sql("CREATE VIEW views.db.plain AS SELECT b FROM views.db.sums s JOIN ice.db.t")
    assert lineage_of(session.events(), str(session.root)) >= whole("b <- db.t.b DIRECT:IDENTITY")
    session.spark.sql("INSERT INTO ice.db.out SELECT x, y FROM views.db.sums")
    lineage = lineage.replace("x <-", "a <-").replace("y <-", "b <-")
    assert lineage_of(session.events(), str(session.root)) == whole(lineage)
    session.spark.sql("DROP VIEW IF EXISTS views.db.sums")
    (event,) = session.events()
    assert view_of(event, session) == ("db/sums", "DROP")
    session.spark.sql("DROP VIEW IF EXISTS views.db.sums")
    assert session.events() == []


def view_of(event: dict[str, Any], session: Session) -> tuple[str, str]:
    """The path of an event's output among the views, and what became of it."""
    (output,) = event["outputs"]
    change = output["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
    return output["name"].removeprefix(f"{session.root}/views/"), change


JOB = """
package demo;
import org.apache.spark.sql.SparkSession;
public class Job {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    spark.sql("SELECT 1 AS a, 2 AS b").write().parquet(args[0] + "/files");
    for (int i = 1; i < args.length; i++) spark.sql(args[i]);
    spark.stop();
  }
}
"""
QUERIES = [
    "CREATE TABLE ice.db.t USING iceberg AS SELECT 1 AS a, 2 AS b",
    "INSERT INTO ice.db.t SELECT a + 1, b FROM ice.db.t",
    "MERGE INTO ice.db.t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = 4",
    "DELETE FROM ice.db.t WHERE a = 2",
    "ALTER TABLE ice.db.t CREATE BRANCH x",
    "CALL ice.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true'))",
    "CREATE TABLE ice.db.empty (a INT) USING iceberg",
    "ALTER TABLE ice.db.empty CREATE BRANCH x",
]
ADD_FILES = "CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`{root}/files`')"


@pytest.mark.long
def test_a_commit_of_a_jar_that_is_no_query_s_is_counted(tmp_path: Path) -> None:
    """And those of queries, of maintenance and without a row are not."""
    (tmp_path / "Job.java").write_text(JOB)
    classes = ["-cp", f"{Path(pyspark.__file__).parent}/jars/*", "-d", str(tmp_path / "job")]
    subprocess.run(["javac", *classes, str(tmp_path / "Job.java")], check=True)
    job = Path(shutil.make_archive(str(tmp_path / "job"), "zip", tmp_path / "job"))
    job = job.rename(tmp_path / "job.jar")
    conf = {
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": f"{tmp_path}/ice",
    }
    options = [f"--conf={name}={value}" for name, value in conf.items()]
    options += ["--master", "local[1]", "--jars", ",".join(jars("iceberg-spark-runtime-4.1_2.13"))]
    output = tmp_path / "events.ndjson"
    colgraph = [Path(sys.executable).with_name("colgraph"), "submit", "--output", output, "--"]
    texts = [*QUERIES, ADD_FILES.format(root=tmp_path)]
    command = [*colgraph, *options, "--class", "demo.Job", job, tmp_path, *texts]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    *_, end = [json.loads(line) for line in output.read_text().splitlines()]
    found = end["run"]["facets"]["colgraph_diagnostics"]["completeness"]
    assert [gap["by"] for gap in found["unaccounted"]] == [
        "output to Iceberg table ice.db.t outside of any query"
    ]
    assert found["writes"] > found["writesWithoutLineage"] == 1


@pytest.mark.parametrize("namespace", ["db", "mor"])
def test_the_snapshots_that_were_read_and_written(session: Session, namespace: str) -> None:
    """An event named the table alone, so nobody could tell which rows it came from."""
    pairs = versions(session, f"ice.{namespace}.", "iceberg")
    rows = session.spark.sql(f"SELECT * FROM ice.{namespace}.versioned.snapshots").collect()
    written = [str(row["snapshot_id"]) for row in sorted(rows, key=lambda row: row["committed_at"])]
    assert pairs == list(zip(["", *written], written, strict=False))
    assert len(written) == len(VERSIONED)


def test_what_was_written_is_counted(session: Session) -> None:
    session.spark.sql("CREATE TABLE ice.db.counted (a BIGINT) USING iceberg")
    session.events()
    session.spark.range(5).toDF("a").writeTo("ice.db.counted").append()
    (event,) = session.events()
    (output,) = event["outputs"]
    counts = output["outputFacets"]["outputStatistics"]
    assert (counts["rowCount"], counts["fileCount"], counts["size"] > 0) == (5, 1, True)
    (appended,) = session.spark.sql("SELECT * FROM ice.db.counted.snapshots").collect()
    assert reported(output) == {
        "snapshotId": appended["snapshot_id"],
        "operation": "append",
        "commitMetrics": {
            **{"addedDataFiles": 1, "addedRecords": 5, "addedFilesSizeInBytes": counts["size"]},
            **{"totalDataFiles": 1, "totalRecords": 5, "totalFilesSizeInBytes": counts["size"]},
            **{"totalDeleteFiles": 0, "totalPositionalDeletes": 0, "totalEqualityDeletes": 0},
        },
    }
    session.spark.sql("ALTER TABLE ice.db.counted CREATE BRANCH later")
    session.events()
    session.spark.range(4).toDF("a").writeTo("ice.db.counted.branch_later").append()
    (event,) = session.events()  # whose snapshots are another history
    assert event["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 4
    session.events()
    session.spark.sql("DELETE FROM ice.db.counted WHERE a < 9")  # of whole files: none is written
    (event,) = session.events()
    (output,) = event["outputs"]
    assert "outputStatistics" not in output["outputFacets"]
    report = reported(output)
    assert report["operation"] == "delete"
    assert report["commitMetrics"]["removedRecords"] == 5
    assert report["commitMetrics"]["totalRecords"] == 0


def reported(output: dict[str, Any]) -> dict[str, Any]:
    report = output["outputFacets"]["icebergCommitReport"]
    assert report["sequenceNumber"] > 0
    return {name: report[name] for name in ("snapshotId", "operation", "commitMetrics")}


def test_what_was_scanned_is_reported(session: Session) -> None:
    columns = "(a BIGINT, b BIGINT)"
    session.spark.sql(f"CREATE TABLE ice.db.parted {columns} USING iceberg PARTITIONED BY (a)")
    session.spark.range(3).selectExpr("id AS a", "id AS b").writeTo("ice.db.parted").append()
    (snapshot,) = session.spark.sql("SELECT * FROM ice.db.parted.snapshots").collect()
    session.events()
    query = "INSERT INTO ice.db.counted SELECT b FROM ice.db.parted WHERE a = 1"
    session.spark.sql(query)
    (event,) = session.events()
    (read,) = event["inputs"]
    report = read["inputFacets"]["icebergScanReport"]
    assert report["snapshotId"] == snapshot["snapshot_id"]
    assert report["projectedFieldNames"] == ["a", "b"]
    assert report["filterDescription"] == "a IS NOT NULL AND a = (1-digit-int)"  # no value
    metrics = report["scanMetrics"]
    assert (metrics["resultDataFiles"], metrics["totalDataManifests"]) == (1, 1)
    assert read["inputFacets"]["inputStatistics"]["fileCount"] == 1


def test_tables_are_made_and_altered(session: Session) -> None:
    """These had no events, so the schema of a table was that of its last write."""
    p = "ice.db."
    for statement, change in {**MADE, **ALTERED, **REPLACED}.items():
        assert table_change(session, statement.format(p=p, using="iceberg")) == change
    with pytest.raises(AnalysisException):
        table_change(session, f"CREATE TABLE {p}new (a INT)")
    assert session.events() == []


def test_a_column_has_the_values_of_the_one_that_it_was(session: Session) -> None:
    spark = session.spark
    spark.sql("CREATE TABLE ice.db.columns (a INT, s STRUCT<x: INT>) USING iceberg")
    session.events()
    spark.sql("ALTER TABLE ice.db.columns RENAME COLUMN a TO b")
    (event,) = session.events()
    assert lineage_of([event], str(session.root)) == whole(
        "b <- db.columns.a DIRECT:IDENTITY\n s <- db.columns.s DIRECT:IDENTITY"
    )
    spark.sql("ALTER TABLE ice.db.columns RENAME COLUMN s.x TO y")
    spark.sql("REPLACE TABLE ice.db.columns (c INT) USING iceberg")
    member, replaced = session.events()
    assert "columnLineage" not in member["outputs"][0]["facets"]
    assert lineage_of([replaced], str(session.root)) == {"c <-"}


def test_a_table_that_keeps_its_place_has_another_name_only(session: Session) -> None:
    spark = session.spark
    spark.sql("CREATE TABLE views.db.former (a INT) USING iceberg")
    session.events()
    spark.sql("ALTER TABLE views.db.former RENAME TO db.latter")
    (event,) = session.events()
    (output,) = event["outputs"]
    change = output["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
    assert (output["name"], change) == (f"{session.root}/views/db/former", "ALTER")
