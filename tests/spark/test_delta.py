"""Delta through a real session: one event for each command, none for Delta's own queries."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.amount import of_all
from tests.collector.cases.loader import lineage_of
from tests.spark.jars import jars
from tests.spark.lake import (
    ASKS,
    CHANGES,
    EVOLVED,
    MADE,
    REPLACED,
    computed,
    dropped,
    made,
    summary,
    summary_of,
    table_change,
    version,
    versions,
    whole,
)
from tests.spark.session import Session

EVOLVES = "spark.databricks.delta.schema.autoMerge.enabled"  # the clause alone adds no column
pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("spark-delta")]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",  # VACUUM lists files so
    }
    found = Session(
        Path(tmp_path_factory.mktemp("delta")),
        settings,
        jars("delta-spark_4.1_2.13", "delta-storage"),
        made("", "delta"),
    )
    yield found
    found.stop()


@pytest.mark.sampled
@pytest.mark.parametrize("name", list(ASKS)[:: of_all(1, 3)])
def test_a_command_is_reported_once_with_its_whole_lineage(session: Session, name: str) -> None:
    ask = ASKS[name]
    found = summary(session, ask.statement.format(p="", using="delta"), "default.")
    assert found == (1, whole(ask.lineage), ask.inputs)


@pytest.mark.parametrize("statement", CHANGES)
def test_what_a_command_computes_is_described(session: Session, statement: str) -> None:
    assert computed(session, statement.format(p="")) == CHANGES[statement]


def test_a_merge_that_adds_a_column(session: Session) -> None:
    session.spark.sql("CREATE TABLE evolved USING delta AS SELECT 1 AS a, 2 AS b")
    session.spark.conf.set(EVOLVES, "true")
    try:
        found = summary(session, EVOLVED.statement.format(p=""), "default.")
    finally:
        session.spark.conf.unset(EVOLVES)
    assert session.spark.table("evolved").columns == ["a", "b", "c"]
    assert found == (1, whole(EVOLVED.lineage), EVOLVED.inputs)


def test_frames_paths_and_time_travel(session: Session) -> None:
    spark, path = session.spark, f"{session.root}/path"
    session.events()
    lineage = whole("a <- v.a DIRECT:IDENTITY\n b <- v.b DIRECT:IDENTITY")
    spark.table("v").write.format("delta").save(path)
    assert summary_of(session, "default.") == (1, lineage, "v")
    spark.table("v").write.format("delta").mode("append").save(path)
    assert summary_of(session, "default.") == (1, lineage, "v")
    spark.table("v").write.format("delta").mode("overwrite").saveAsTable("saved")
    assert summary_of(session, "default.") == (1, lineage, "v")
    spark.table("v").write.format("delta").mode("append").saveAsTable("saved")
    assert summary_of(session, "default.") == (1, lineage, "v")
    old = spark.read.format("delta").option("versionAsOf", 0).load(path)
    old.selectExpr("a AS x").write.format("delta").save(f"{path}2")
    assert summary_of(session, "") == (1, whole("x <- /path.a DIRECT:IDENTITY"), "path")
    spark.sql(f"UPDATE delta.`{path}` SET b = a")
    changed = whole("a <- /path.a DIRECT:IDENTITY\n b <- /path.a DIRECT:IDENTITY")
    assert summary_of(session, "") == (1, changed, "path")


def test_a_relative_path_is_in_the_drivers_folder(session: Session) -> None:
    session.events()
    session.spark.table("v").write.format("delta").save(os.path.relpath(f"{session.root}/relative"))
    (event,) = session.events()
    assert [output["name"] for output in event["outputs"]] == [f"{session.root}/relative"]


def test_a_clone_has_the_columns_of_its_source(session: Session) -> None:
    lineage = "a <- {0}.a DIRECT:IDENTITY\n b <- {0}.b DIRECT:IDENTITY"
    found = summary(session, "CREATE TABLE cloned SHALLOW CLONE v", "default.")
    assert found == (1, whole(lineage.format("v")), "v")
    path = f"{session.root}/source"
    session.spark.table("v").write.format("delta").save(path)
    found = summary(session, f"CREATE OR REPLACE TABLE replaced SHALLOW CLONE delta.`{path}`", "")
    assert found == (1, whole(lineage.format("/source")), "source")


def test_a_change_feed_is_the_table_without_what_became_of_its_rows(session: Session) -> None:
    path = f"{session.root}/fed"
    feed = "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    session.spark.sql(f"CREATE TABLE fed (a INT, b INT) USING delta LOCATION '{path}' {feed}")
    session.spark.sql("INSERT INTO fed VALUES (1, 2)")
    lineage = whole("a <- /fed.b DIRECT:IDENTITY\n b <-")
    by_name = "SELECT b, _commit_version FROM table_changes('fed', 0)"
    _, *found = summary(session, f"INSERT INTO out {by_name}", "default.")
    assert found == [lineage, "fed"]
    changes = {"readChangeFeed": "true", "startingVersion": "0"}
    frame = session.spark.read.format("delta").options(**changes).load(path)
    frame.selectExpr("b AS a", "_change_type AS b").write.format("delta").save(f"{path}2")
    _, *found = summary_of(session, "")
    assert found == [lineage, "fed"]


def test_a_source_that_delta_keeps_for_a_merge_is_not_its_table(session: Session) -> None:
    """Delta checkpoints a source that is no Delta table; its attributes are the table's too."""
    session.spark.sql("CREATE TABLE upd USING parquet AS SELECT 1 AS a, 2 AS b, 3 AS c")
    merge = """
        MERGE INTO {target} t USING (SELECT a, sum(b) AS q FROM upd WHERE c > 0 GROUP BY a) s
        ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = t.b + s.q
    """
    lineage = """
        a <- {target}.a DIRECT:IDENTITY
        b <- {target}.b DIRECT:TRANSFORMATION
        b <- upd.b DIRECT:AGGREGATION
        * <- {target}.a INDIRECT:JOIN
        * <- upd.a INDIRECT:GROUP_BY, INDIRECT:JOIN
        * <- upd.c INDIRECT:FILTER
    """
    for target in ("t", "v"):
        found = summary(session, merge.format(target=target), "default.")
        assert found == (1, whole(lineage.format(target=target)), " ".join(sorted((target, "upd"))))
    found = summary(session, "INSERT INTO out SELECT b, c FROM upd", "default.")
    assert found == (1, whole("a <- upd.b DIRECT:IDENTITY\n b <- upd.c DIRECT:IDENTITY"), "upd")


def test_a_source_of_several_frames_that_delta_keeps_for_a_merge(session: Session) -> None:
    """The session's frame stays what it is after the MERGE that used it."""
    spark = session.spark
    spark.range(3).selectExpr("int(id) a", "int(id) b").write.parquet(f"{session.root}/keyed")
    keyed = spark.read.parquet(f"{session.root}/keyed")
    keyed.selectExpr("a", "b + 1 AS q").createOrReplaceTempView("source")
    merge = "MERGE INTO w USING source s ON w.a = s.a WHEN MATCHED THEN UPDATE SET b = s.q"
    lineage = """
        a <- w.a DIRECT:IDENTITY
        b <- /keyed.b DIRECT:TRANSFORMATION
        * <- w.a INDIRECT:JOIN
        * <- /keyed.a INDIRECT:JOIN
    """
    assert summary(session, merge, "default.") == (1, whole(lineage), "keyed w")
    keyed.select("a", "b").write.format("delta").save(f"{session.root}/keyed2")
    lineage = "a <- /keyed.a DIRECT:IDENTITY\n b <- /keyed.b DIRECT:IDENTITY"
    assert summary_of(session, "") == (1, whole(lineage), "keyed")


def test_a_query_of_the_users_that_reads_a_log_is_told(session: Session) -> None:
    spark, path = session.spark, f"{session.root}/logged"
    spark.table("v").write.format("delta").save(path)
    spark.read.format("delta").load(path).count()
    session.events()
    log = spark.read.schema("commitInfo STRING").json(f"{path}/_delta_log/*.json")
    assert len(log.collect()) > 1
    (event,) = session.events()
    assert {found["name"].partition("/_delta_log")[0] for found in event["inputs"]} == {path}
    assert all("/_delta_log" in found["name"] for found in event["inputs"])


LISTED = {  # each on a table of its own: after RESTORE this Delta cannot read it on Spark 4.1.3
    "stream": "",
    "optimize": "OPTIMIZE listed_optimize ZORDER BY (a)",
    "clone": "CREATE TABLE cloned_again SHALLOW CLONE listed_clone",
    "vacuum": "VACUUM listed_vacuum",
    "restore": "RESTORE TABLE listed_restore TO VERSION AS OF 0",
}


@pytest.mark.sampled
@pytest.mark.parametrize("act", list(LISTED)[:: of_all(1, 3)])
def test_the_files_that_delta_lists_for_itself_are_no_unknown_source(
    session: Session, act: str
) -> None:
    """No earlier test looked at the events of what changes no row: they named `LogicalRDD`."""
    spark, path = session.spark, f"{session.root}/listed_{act}"
    spark.sql(f"CREATE TABLE listed_{act} (a INT, b INT) USING delta LOCATION '{path}'")
    spark.sql(f"INSERT INTO listed_{act} VALUES (1, 2)")
    spark.sql(f"INSERT INTO listed_{act} VALUES (3, 4)")
    session.events()
    if act == "stream":
        stream = spark.readStream.format("delta").load(path).writeStream.format("parquet")
        stream = stream.option("checkpointLocation", f"{path}-at").trigger(availableNow=True)
        stream.start(f"{path}-out").awaitTermination()
    else:
        spark.sql(LISTED[act])
    events = session.events()
    lacks = [each["run"]["facets"].get("colgraph_diagnostics", {}) for each in events]
    assert [each["unresolved"] for each in lacks if each.get("unresolved")] == []
    assert all(each["inputs"] or each["outputs"] for each in events)
    if act == "restore":  # it had no event
        (event,) = events
        lineage = whole("a <- .a DIRECT:IDENTITY\n b <- .b DIRECT:IDENTITY")
        assert lineage_of(events, path) == lineage
        assert [version(event[side][0]) for side in ("inputs", "outputs")] == ["0", "3"]
    if act == "stream":
        written = {output["name"] for each in events for output in each["outputs"]}
        assert written == {f"{path}-out"}


def test_the_versions_that_were_read_and_written(session: Session) -> None:
    """An event named the table alone, so nobody could tell which rows it came from."""
    pairs = versions(session, "", "delta")
    assert pairs == [("", "1"), ("1", "2"), ("2", "3"), ("3", "4")]


MATCHED = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
COUNTED = {  # rows, which count where they are copied, and files
    "INSERT INTO counted SELECT id AS a FROM range(0, 5, 1, 1)": (5, 1),
    f"MERGE INTO counted t USING (VALUES (1L), (9L) AS s(a)) s ON t.a = s.a {MATCHED}": (6, 1),
    "UPDATE counted SET a = 7 WHERE a > 7": (6, 1),
    "DELETE FROM counted WHERE a = 7": (5, 1),
    "INSERT OVERWRITE counted SELECT id AS a FROM range(0, 3, 1, 1)": (3, 1),
    "CREATE TABLE counted_2 USING delta AS SELECT id AS a FROM range(0, 4, 1, 1)": (4, 1),
    "REPLACE TABLE counted_2 USING delta AS SELECT id AS a FROM range(0, 2, 1, 1)": (2, 1),
}


def test_what_was_written_is_counted(session: Session) -> None:
    session.spark.sql("CREATE TABLE counted (a BIGINT) USING delta")
    for statement, expected in COUNTED.items():
        session.events()
        session.spark.sql(statement)
        (event,) = session.events()
        (output,) = event["outputs"]
        counts = output.get("outputFacets", {}).get("outputStatistics")
        said = counts and (counts["rowCount"], counts["fileCount"])
        assert said == expected, statement
        assert counts is None or counts["size"] > 0


def test_a_table_that_is_read_at_two_times_has_no_version(session: Session) -> None:
    """The event named the version of the table that the query also writes, or the first one."""
    spark = session.spark
    spark.sql("CREATE TABLE times USING delta AS SELECT 1 AS a")
    spark.sql("INSERT INTO times VALUES (2)")
    session.events()
    old = "times VERSION AS OF 0"
    spark.sql(f"INSERT INTO times SELECT a FROM {old}")
    spark.sql(f"INSERT INTO times SELECT n.a FROM {old} o JOIN times n ON o.a = n.a")
    assert [version(event["inputs"][0]) for event in session.events()] == ["0", ""]


def test_a_write_that_leaves_columns_out_has_the_tables_schema(session: Session) -> None:
    """The table's other columns were missing, as if they had been dropped."""
    spark = session.spark
    spark.sql("CREATE TABLE partial (a INT, b INT, c STRING) USING delta")
    session.events()
    spark.sql("INSERT INTO partial (c, a) SELECT 'x', a FROM v")
    spark.table("v").select("b").write.format("delta").mode("append").saveAsTable("partial")
    columns = []
    for event in session.events():
        facets = event["outputs"][0]["facets"]
        fields = facets["columnLineage"]["fields"]
        names = [field["name"] for field in facets["schema"]["fields"]]
        columns.append({name: len(fields[name]["inputFields"]) for name in names})
    assert columns == [{"a": 1, "b": 0, "c": 0}, {"a": 0, "b": 1, "c": 0}]


def generated_table(path: Path) -> None:
    """A table whose column `twice` Delta computes from `a`; no statement makes one."""
    field = {"type": "integer", "nullable": True, "metadata": {}}
    twice = {"name": "twice", **field, "metadata": {"delta.generationExpression": "a * 2"}}
    schema = {"type": "struct", "fields": [{"name": "a", **field}, twice, {"name": "b", **field}]}
    table = {"id": "1", "format": {"provider": "parquet", "options": {}}, "partitionColumns": []}
    table |= {"schemaString": json.dumps(schema), "configuration": {}}
    protocol = {"minReaderVersion": 1, "minWriterVersion": 4}
    (path / "_delta_log").mkdir(parents=True)
    lines = (json.dumps(line) for line in ({"protocol": protocol}, {"metaData": table}))
    (path / f"_delta_log/{0:020d}.json").write_text("\n".join(lines))


def test_a_column_that_delta_computes_is_reported(session: Session) -> None:
    """It was in no event and in no diagnostic."""
    path = Path(session.root) / "generated"
    generated_table(path)
    session.events()
    session.spark.table("v").select("a").write.format("delta").mode("append").save(str(path))
    (event,) = session.events()
    facets = event["outputs"][0]["facets"]
    columns = {field["name"] for field in facets["schema"]["fields"]}
    assert columns == {"a", "b", "twice"}
    assert facets["columnLineage"]["fields"].keys() == {"a", "b"}
    unresolved = event["run"]["facets"]["colgraph_diagnostics"]["unresolved"]
    assert unresolved == [{"class": "generated columns", "count": 1}]
    rows = [tuple(row) for row in session.spark.read.format("delta").load(str(path)).collect()]
    assert {twice for _, twice, _ in rows} == {a * 2 for a, _, _ in rows}


def test_the_version_of_a_path_at_a_time(session: Session) -> None:
    spark, path = session.spark, f"{session.root}/versions"
    for _ in range(2):
        spark.range(3).write.format("delta").mode("append").save(path)
    session.events()
    frame = spark.read.format("delta").option("versionAsOf", 0).load(path)
    frame.write.format("delta").mode("append").save(path)
    (event,) = session.events()
    (read,), (wrote,) = event["inputs"], event["outputs"]
    assert (version(read), version(wrote)) == ("0", "2")
    assert read["facets"]["storage"]["storageLayer"] == "delta"


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_the_first_version_of_a_table_creates_it(session: Session, mode: str) -> None:
    """An OVERWRITE of nothing was reported as one of a table."""
    path, frame = f"{session.root}/first_{mode}", session.spark.table("v")
    session.events()
    for _ in range(2):
        frame.write.format("delta").mode(mode).save(path)
    session.spark.sql(f"CREATE OR REPLACE TABLE first_{mode} USING delta AS SELECT 1 AS a")
    session.spark.sql(f"CREATE OR REPLACE TABLE first_{mode} (a INT) USING delta")
    facets = [event["outputs"][0]["facets"] for event in session.events()]
    changes = [facet.get("lifecycleStateChange", {}) for facet in facets]
    again = {"append": None, "overwrite": "OVERWRITE"}[mode]
    assert [change.get("lifecycleStateChange") for change in changes] == [
        *("CREATE", again, "CREATE", "OVERWRITE")
    ]


def test_a_write_that_ignores_an_existing_table_has_no_event(session: Session) -> None:
    """It was reported as one that had created the table."""
    path, frame = f"{session.root}/ignored", session.spark.table("v")
    for mode in ("append", "ignore"):
        session.events()
        frame.limit(1).write.format("delta").mode("ignore").save(f"{path}_{mode}")
        (event,) = session.events()
        assert version(event["outputs"][0]) == "0"
        frame.limit(1).write.format("delta").mode(mode).save(f"{path}_{mode}")
        assert len(session.events()) == (mode == "append")


def test_tables_are_made_and_replaced(session: Session) -> None:
    """This Delta fails with ALTER TABLE on this Spark."""
    changes = {
        **MADE,
        **REPLACED,
        "CREATE TABLE likewise LIKE new USING delta": ("likewise", "CREATE", "a b"),
    }
    for statement, change in changes.items():
        assert table_change(session, statement.format(p="", using="delta")) == change
    session.spark.sql("ALTER TABLE likewise RENAME TO renamed")
    (event,) = session.events()
    (output,) = event["outputs"]
    change = output["facets"]["lifecycleStateChange"]
    assert change["lifecycleStateChange"] == "RENAME"
    names = (change["previousIdentifier"]["name"], output["name"])
    assert names == tuple(f"{session.root}/warehouse/{name}" for name in ("likewise", "renamed"))


def test_the_files_of_an_external_table_outlive_it(session: Session) -> None:
    spark = session.spark
    for run in (spark.sql, spark._jsparkSession.sql):
        spark.sql(f"CREATE TABLE away (a INT) USING delta LOCATION '{session.root}/away'")
        spark.sql("INSERT INTO away VALUES (1)")
        assert dropped(session, run, "DROP TABLE away") == []
        assert list((session.root / "away").glob("*.parquet"))
        spark.sql("CREATE TABLE away (a INT) USING delta")
        assert dropped(session, run, "DROP TABLE away") == ["away"]


PARTS = "SELECT a, b, 'x' AS d FROM v"
PARTIAL = {  # the statement or option, and what it says of the table
    "INSERT OVERWRITE parts PARTITION (d = 'x') SELECT a, b FROM v": None,
    f"INSERT INTO parts REPLACE WHERE d = 'x' {PARTS}": None,
    f"INSERT OVERWRITE parts {PARTS}": "OVERWRITE",
    "replaceWhere d = 'x'": None,
    "partitionOverwriteMode dynamic": None,
    "": "OVERWRITE",
}


def test_an_overwrite_of_some_rows_is_none_of_the_table(session: Session) -> None:
    """A store ended the lineage of the rows that are still there."""
    spark = session.spark
    spark.sql("CREATE TABLE parts (a INT, b INT, d STRING) USING delta PARTITIONED BY (d)")
    path = str(session.root / "warehouse" / "parts")
    session.events()
    changes = []
    for act in PARTIAL:
        if act.startswith("INSERT"):
            spark.sql(act)
        else:
            options = dict([act.split(" ", 1)] if act else [])
            frame = spark.sql(PARTS).write.format("delta").mode("overwrite")
            frame.options(**options).save(path)
        (event,) = session.events()
        change = event["outputs"][0]["facets"].get("lifecycleStateChange", {})
        changes.append(change.get("lifecycleStateChange"))
    assert changes == list(PARTIAL.values())
