"""Commands through a real session: how often a write is reported, and what has no columns."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceWriter,
    WriterCommitMessage,
)

from airflow_colgraph.extractors.task_lineage import merge
from oracles.table_programs import SOURCES, Statement, of_statement
from tests.collector.cases import frames
from tests.collector.cases.loader import lineage_of, settings_of
from tests.spark.lake import MADE, dropped, table_change
from tests.spark.session import ROOMY, Session

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark-commands")]

Act = Callable[[SparkSession], Any]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    found = Session(Path(tmp_path_factory.mktemp("commands")))
    found.spark.sql("CREATE TABLE mart.there USING parquet AS SELECT * FROM raw.t1")
    yield found
    found.stop()


def t1(spark: SparkSession) -> DataFrame:
    return spark.table("raw.t1")


def short(session: Session, datasets: list[dict[str, Any]]) -> list[str]:
    return [item["name"].replace(str(session.root), "") for item in datasets]


def reported(session: Session, act: Act) -> list[tuple[list[str], list[str], str]]:
    """What each event says: inputs, outputs, and what became of the output."""
    session.events()
    act(session.spark)
    found = []
    for event in session.events():
        facets = event["outputs"][0]["facets"] if event["outputs"] else {}
        became = facets.get("lifecycleStateChange", {}).get("lifecycleStateChange", "")
        found.append((short(session, event["inputs"]), short(session, event["outputs"]), became))
    return found


T1 = "/warehouse/raw.db/t1"

PART = "p = 'x', q = 1"
WRITES: dict[str, tuple[Act, str, str]] = {  # mart.there is there before each, the others are not
    "errorifexists": (
        lambda s: t1(s).write.saveAsTable("mart.w"),
        "/warehouse/mart.db/w",
        "CREATE",
    ),
    "append to no table": (
        lambda s: t1(s).write.mode("append").saveAsTable("mart.appended"),
        "/warehouse/mart.db/appended",
        "CREATE",
    ),
    "append": (
        lambda s: t1(s).write.mode("append").saveAsTable("mart.there"),
        "/warehouse/mart.db/there",
        "",
    ),
    "overwrite": (
        lambda s: t1(s).write.mode("overwrite").saveAsTable("mart.there"),
        "/warehouse/mart.db/there",
        "OVERWRITE",
    ),
    "bucketed": (
        lambda s: t1(s).write.bucketBy(2, "a").partitionBy("c").saveAsTable("mart.buckets"),
        "/warehouse/mart.db/buckets",
        "CREATE",
    ),
    "ctas": (
        lambda s: s.sql("CREATE TABLE mart.c USING orc AS SELECT a FROM raw.t1"),
        "/warehouse/mart.db/c",
        "CREATE",
    ),
    "insert": (
        lambda s: s.sql("INSERT INTO mart.there SELECT a, a, b FROM raw.t1"),
        "/warehouse/mart.db/there",
        "",
    ),
    "view": (
        lambda s: s.sql("CREATE VIEW mart.w2 AS SELECT a FROM raw.t1"),
        "/warehouse/mart.db/w2",
        "CREATE",
    ),
    "writeTo create": (
        lambda s: t1(s).writeTo("mart.made").using("parquet").create(),
        "/warehouse/mart.db/made",
        "CREATE",
    ),
    "overwrite of files": (
        lambda s: t1(s).write.mode("overwrite").parquet(f"{frames.ROOT}/files/of-one"),
        "/files/of-one",
        "OVERWRITE",
    ),
    "dynamic option": (
        lambda s: (
            t1(s)
            .write.options(partitionOverwriteMode="dynamic")
            .partitionBy("b")
            .parquet(f"{frames.ROOT}/files/by-b", mode="overwrite")
        ),
        "/files/by-b",
        "",
    ),
    "dynamic option, which insertInto passes over": (
        lambda s: (
            t1(s)
            .selectExpr("a", "'x'", "b")
            .write.option("partitionOverwriteMode", "dynamic")
            .insertInto("mart.parts", overwrite=True)
        ),
        "/warehouse/mart.db/parts",
        "OVERWRITE",
    ),
    "static partition": (
        lambda s: s.sql(f"INSERT OVERWRITE mart.parts PARTITION ({PART}) SELECT a FROM raw.t1"),
        "/warehouse/mart.db/parts",
        "",
    ),
    "all partitions": (
        lambda s: t1(s).selectExpr("a", "'x'", "b").write.insertInto("mart.parts", overwrite=True),
        "/warehouse/mart.db/parts",
        "OVERWRITE",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_reported_once(session: Session, name: str) -> None:
    act, output, became = WRITES[name]
    assert reported(session, act) == [([T1], [output], became)]


@pytest.mark.parametrize("form", ["parquet", "orc", "json", "csv"])
def test_a_read_of_files_is_one_dataset(session: Session, form: str) -> None:
    """Whether the folder, its partitions, a pattern or several paths are named."""
    path = f"{session.root}/formats/{form}"
    parts = t1(session.spark).unionAll(t1(session.spark).selectExpr("a", "b + 1", "c"))
    parts.write.partitionBy("b").format(form).save(path)
    for names in ([path], [f"{path}/b=*"], [f"{path}/b=2", f"{path}/b=3"]):
        reader = session.spark.read.format(form).schema("a INT, c INT").option("basePath", path)
        found = reported(session, lambda s, r=reader, n=names: r.load(n).select("a").collect())  # type: ignore[misc]
        assert found == [([f"/formats/{form}"], [], "")]


def test_a_line_of_text_is_called_as_it_is_read_back(session: Session) -> None:
    path = f"{session.root}/formats/lines"
    frame = t1(session.spark).selectExpr("concat(a, ':', b)", "c")
    session.events()
    frame.write.partitionBy("c").text(path)
    session.spark.read.text(path).write.parquet(f"{path}-copy")
    written, copied = (lineage_of([event], str(session.root)) for event in session.events())
    assert written == {
        "value <- raw.t1.a DIRECT:TRANSFORMATION",
        "value <- raw.t1.b DIRECT:TRANSFORMATION",
        "c <- raw.t1.c DIRECT:IDENTITY",
    }
    assert copied == {
        "value <- /formats/lines.value DIRECT:IDENTITY",
        "c <- /formats/lines.c DIRECT:IDENTITY",
    }


def test_a_table_that_is_read_and_overwritten(session: Session) -> None:
    session.spark.sql(
        "CREATE TABLE mart.turned USING parquet PARTITIONED BY (b) AS SELECT a, b FROM raw.t1"
    )
    home = "/warehouse/mart.db/turned"
    mode = "spark.sql.sources.partitionOverwriteMode"
    session.spark.conf.set(mode, "dynamic")  # the one mode in which Spark lets a table do it
    statement = "INSERT OVERWRITE mart.turned SELECT a + 1, b FROM mart.turned"
    events = reported(session, lambda spark: spark.sql(statement))
    session.spark.conf.unset(mode)
    assert events == [([home], [home], "")]  # partitions without new rows are left


@pytest.mark.parametrize("written", [str, os.path.relpath], ids=["absolute", "relative"])
def test_a_directory_is_reported_once(session: Session, written: Callable[[str], str]) -> None:
    path = written(f"{session.root}/files/dir")
    statement = f"INSERT OVERWRITE DIRECTORY '{path}' USING parquet SELECT a FROM raw.t1"
    found = reported(session, lambda spark: spark.sql(statement))
    assert found == [([T1], ["/files/dir"], "OVERWRITE")]


@pytest.mark.parametrize("action", ["collect", "toPandas", "show", "count", "toLocalIterator"])
def test_the_rows_of_a_command_are_no_second_write(session: Session, action: str) -> None:
    def act(spark: SparkSession) -> None:
        rows = getattr(spark.sql("INSERT INTO mart.there SELECT * FROM raw.t1"), action)()
        assert action != "toLocalIterator" or not list(rows)

    assert reported(session, act) == [([T1], ["/warehouse/mart.db/there"], "")]


def test_a_table_that_is_there_already_is_left_alone(session: Session) -> None:
    assert reported(session, lambda s: t1(s).write.mode("ignore").saveAsTable("mart.wide")) == []
    text = "CREATE TABLE IF NOT EXISTS mart.{} USING parquet AS SELECT a FROM raw.t1"
    assert reported(session, lambda s: s.sql(text.format("wide"))) == []
    created = reported(session, lambda s: s.sql(text.format("wider")))
    assert created == [([T1], ["/warehouse/mart.db/wider"], "CREATE")]


ACTIONS: dict[str, Act] = {
    "collect": lambda s: t1(s).select("a").collect(),
    "count": lambda s: t1(s).count(),
    "show": lambda s: t1(s).show(),
    "toPandas": lambda s: t1(s).toPandas(),
    "noop": lambda s: t1(s).write.format("noop").mode("overwrite").save(),
    "cache (E11)": lambda s: s.sql("CACHE TABLE kept AS SELECT a FROM raw.t1"),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_what_writes_nothing_reports_what_it_read(session: Session, name: str) -> None:
    assert set(map(str, reported(session, ACTIONS[name]))) == {str(([T1], [], ""))}


def test_a_temporary_view_reads_and_keeps_nothing(session: Session) -> None:
    assert reported(session, lambda s: s.sql("CREATE TEMP VIEW tv AS SELECT a FROM raw.t1")) == []
    assert reported(session, lambda s: t1(s).createOrReplaceTempView("tv2")) == []


def test_tables_are_truncated_renamed_and_dropped(session: Session) -> None:
    session.spark.sql("CREATE TABLE mart.gone (a INT) USING parquet")
    home = "/warehouse/mart.db"

    def says(statement: str) -> list[tuple[list[str], list[str], str]]:
        return reported(session, lambda spark: spark.sql(statement))

    assert says("TRUNCATE TABLE mart.gone") == [([], [f"{home}/gone"], "TRUNCATE")]
    session.events()
    session.spark.sql("ALTER TABLE mart.gone RENAME TO mart.gone2")
    (event,) = session.events()
    (output,) = event["outputs"]
    change = output["facets"]["lifecycleStateChange"]
    assert short(session, [output, change["previousIdentifier"]]) == [
        f"{home}/gone2",
        f"{home}/gone",
    ]
    assert change["lifecycleStateChange"] == "RENAME"
    assert [field["name"] for field in output["facets"]["schema"]["fields"]] == ["a"]
    assert "columnLineage" not in output["facets"]
    assert says("DROP TABLE mart.gone2") == [([], [f"{home}/gone2"], "DROP")]
    assert says("DROP TABLE IF EXISTS mart.gone2") == []
    assert says("DROP VIEW IF EXISTS mart.v") == [([], [f"{home}/v"], "DROP")]
    with pytest.raises(AnalysisException):
        says("DROP TABLE mart.gone2")


def test_a_table_that_a_task_builds_and_renames(session: Session) -> None:
    session.events()
    for day in range(2):
        session.spark.sql("CREATE TABLE mart.built USING parquet AS SELECT a FROM raw.t1")
        session.spark.sql("DROP TABLE IF EXISTS mart.shown")
        session.spark.sql("ALTER TABLE mart.built RENAME TO mart.shown")
        (output,) = merge(session.events()).outputs
        assert short(session, [output]) == ["/warehouse/mart.db/shown"], day
        assert output["facets"]["symlinks"]["identifiers"][0]["name"] == "mart.shown"
        assert [each["name"] for each in output["facets"]["schema"]["fields"]] == ["a"]
        (source,) = output["facets"]["columnLineage"]["fields"]["a"]["inputFields"]
        assert short(session, [source]) == [T1]
    session.spark.sql("DROP TABLE mart.shown")


AWAY: dict[str, Act] = {
    "location": lambda s: s.sql(
        f"CREATE TABLE mart.away USING parquet LOCATION '{frames.ROOT}/away' AS SELECT 1 AS a"
    ),
    "path": lambda s: (
        s.range(1).write.option("path", f"{frames.ROOT}/away").saveAsTable("mart.away")
    ),
}


def test_an_external_table_keeps_its_place_under_a_new_name(session: Session) -> None:
    AWAY["path"](session.spark)
    session.events()
    session.spark.sql("ALTER TABLE mart.away RENAME TO mart.further")
    (event,) = session.events()
    (output,) = event["outputs"]
    assert short(session, [output]) == ["/away"]
    change = output["facets"]["lifecycleStateChange"]
    assert (change["lifecycleStateChange"], "previousIdentifier" in change) == ("ALTER", False)
    assert dropped(session, session.spark.sql, "DROP TABLE mart.further") == []
    shutil.rmtree(session.root / "away")


@pytest.mark.parametrize("text", ["DROP TABLE mart.away", "DROP TABLE IF EXISTS mart.away PURGE"])
@pytest.mark.parametrize("name", AWAY)
def test_the_files_of_an_external_table_outlive_it(session: Session, name: str, text: str) -> None:
    """Of a DROP that only the JVM knows of as well; a managed table of that name is another one."""
    for run in (session.spark.sql, session.spark._jsparkSession.sql):
        AWAY[name](session.spark)
        assert dropped(session, run, text) == []
        assert list((session.root / "away").glob("*.parquet"))
        shutil.rmtree(session.root / "away")
        session.spark.sql("CREATE TABLE mart.away (a INT) USING parquet")
        assert dropped(session, run, text) == ["away"]


def test_tables_are_made_and_altered(session: Session) -> None:
    changes = {
        **MADE,
        "CREATE TABLE mart.likewise LIKE mart.new": ("likewise", "CREATE", "a b"),
        "CREATE TABLE IF NOT EXISTS mart.likewise LIKE mart.there": None,
        "ALTER TABLE mart.new ADD COLUMNS (c INT)": ("new", "ALTER", "a b c"),
        "ALTER TABLE mart.new ALTER COLUMN c COMMENT 'x'": ("new", "ALTER", "a b c"),
    }
    for statement, change in changes.items():
        assert table_change(session, statement.format(p="mart.", using="parquet")) == change
    with pytest.raises(AnalysisException):
        table_change(session, "CREATE TABLE mart.new (a INT) USING parquet")
    assert session.events() == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("'INSERT INTO mart.put VALUES (?)' USING biggest", "UnresolvedInlineTable"),
        ("'INSERT INTO mart.put VALUES (:p + 1)' USING biggest AS p", "UnresolvedInlineTable"),
        ("'INSERT INTO mart.put SELECT ?' USING biggest", "UnresolvedExecuteImmediate"),
    ],
)
def test_a_variable_that_an_immediate_query_uses(session: Session, text: str, kind: str) -> None:
    session.spark.sql("CREATE TABLE IF NOT EXISTS mart.put (x INT) USING parquet")
    session.spark.sql("DECLARE OR REPLACE VARIABLE biggest INT")
    session.spark.sql("SET VARIABLE biggest = (SELECT max(a) FROM raw.t1 WHERE b > 0)")
    session.events()
    session.spark.sql(f"EXECUTE IMMEDIATE {text}")
    events = session.events()
    assert lineage_of(events, str(session.root)) == {
        "x <- raw.t1.a DIRECT:AGGREGATION",
        "x <- raw.t1.b INDIRECT:FILTER",
    }
    diagnostics = events[-1]["run"]["facets"]["colgraph_diagnostics"]
    assert classes(diagnostics["opaque"]) == [kind]
    session.spark.sql("EXECUTE IMMEDIATE 'INSERT INTO mart.put VALUES (1)'")
    assert lineage_of(session.events(), str(session.root)) == {"x <-"}


def test_rows_of_a_checkpoint_as_an_rdd_and_back(session: Session) -> None:
    spark = session.spark
    kept = t1(spark).where("b > 0").select("a").localCheckpoint()
    back = spark.createDataFrame(kept.rdd.map(lambda row: (row.a, 1)), "p INT, q INT")
    session.events()
    back.write.mode("overwrite").parquet(f"{session.root}/back")
    found = session.events()
    edges = {f"{column} <- raw.t1.{name} DIRECT:TRANSFORMATION" for column in "pq" for name in "ab"}
    edges |= {f"* <- raw.t1.{name} INDIRECT:FILTER" for name in "ab"}
    assert lineage_of(found, str(session.root)) == edges
    diagnostics = found[-1]["run"]["facets"]["colgraph_diagnostics"]
    assert classes(diagnostics["opaque"]) == ["LogicalRDD"]


def test_whole_files_as_an_rdd(session: Session) -> None:
    spark, path = session.spark, f"{session.root}/whole"
    t1(spark).select("a").write.mode("overwrite").csv(path)
    session.events()
    context = spark.sparkContext
    read = context.wholeTextFiles(path).map(lambda file: (file[1],))
    read = read.union(context.binaryFiles(path).map(lambda file: (str(file[1]),)))
    read.toDF("x STRING").write.mode("overwrite").parquet(f"{session.root}/of_whole")
    event = session.events()[-1]
    assert [read["name"] for read in event["inputs"]] == [path]
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    assert (classes(diagnostics["opaque"]), diagnostics["unresolved"]) == (["LogicalRDD"], [])


def test_an_rdd_whose_other_rows_are_from_nobody_knows_where(session: Session) -> None:
    spark = session.spark
    spark.dataSource.register(elsewhere())
    both = t1(spark).select("a").rdd.union(spark.read.format("elsewhere").load().rdd)
    session.events()
    spark.createDataFrame(both, "a INT").write.mode("overwrite").parquet(f"{session.root}/both")
    found = session.events()
    edges = {"a <- raw.t1.a DIRECT:TRANSFORMATION", "* <- raw.t1.a INDIRECT:FILTER"}
    assert lineage_of(found, str(session.root)) == edges
    diagnostics = found[-1]["run"]["facets"]["colgraph_diagnostics"]
    assert classes(diagnostics["unresolved"]) == ["DataSourceV2Relation"]


def test_rows_as_json_are_made_of_all_that_their_query_has_read(session: Session) -> None:
    """Spark's own listener hears of the RDD, since 4.0: the JVM has made it."""
    spark = session.spark
    spark.range(3).write.mode("overwrite").parquet(f"{session.root}/other")
    other = F.broadcast(spark.read.parquet(f"{session.root}/other"))
    frame = t1(spark).join(other, F.col("a") == F.col("id")).select("b")
    read = spark.read.schema("b INT").json(frame.toJSON())
    session.events()
    read.write.mode("overwrite").parquet(f"{session.root}/parsed")
    (event,) = session.events()
    names = {Path(found["name"]).name for found in event["inputs"]}
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    assert (names, diagnostics["unresolved"]) == ({"t1", "other"}, [])


def test_an_rdd_of_a_query_that_nobody_heard_of_is_said_to_be_unknown(session: Session) -> None:
    """Its RDDs lead back to the files, but not to what it has broadcast."""
    spark = session.spark
    frame = t1(spark).select("a")._jdf.javaToPython().rdd()
    encoder = spark._jvm.org.apache.spark.sql.Encoders.BINARY()
    objects = DataFrame(spark._jsparkSession.createDataset(frame, encoder).toDF(), spark)
    session.events()
    objects.write.mode("overwrite").parquet(f"{session.root}/objects")
    (event,) = session.events()
    assert {Path(found["name"]).name for found in event["inputs"]} == {"t1"}
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    assert classes(diagnostics["unresolved"]) == ["SQLExecutionRDD"]


def elsewhere() -> type[DataSource]:
    """A source and a sink in Python, whose place nobody can name."""

    class Reader(DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[int]]:
            yield (7,)

    class Writer(DataSourceWriter):
        def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
            for _ in iterator:
                pass
            return WriterCommitMessage()

    class Elsewhere(DataSource):
        @classmethod
        def name(cls) -> str:
            return "elsewhere"

        def schema(self) -> str:
            return "a INT"

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader()

        def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
            return Writer()

    return Elsewhere


def write_elsewhere(spark: SparkSession) -> None:
    spark.dataSource.register(elsewhere())
    t1(spark).select("a").write.format("elsewhere").mode("append").save()


def stream_to_a_function(spark: SparkSession) -> None:
    source = spark.readStream.schema("a INT").parquet(t1(spark).inputFiles()[0].rpartition("/")[0])
    query = source.writeStream.foreach(lambda row: None).trigger(availableNow=True).start()
    assert query.awaitTermination(60)


@pytest.mark.parametrize(
    ("write", "sink"),
    [(write_elsewhere, "PythonTable"), (stream_to_a_function, "ForeachWriterTable")],
)
def test_an_output_without_a_name_is_not_lost(session: Session, write: Act, sink: str) -> None:
    session.events()
    write(session.spark)
    event = session.events()[-1]
    assert (short(session, event["inputs"]), event["outputs"]) == ([T1], [])
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    assert classes(diagnostics["unresolved"]) == [f"output to {sink}"]


def classes(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [found["class"] for found in diagnostics]


def test_the_text_of_a_statement_is_sent_where_it_is_asked_for(session: Session) -> None:
    spark, pipeline = session.spark, session.worker.pipeline
    texts = (
        "CREATE TABLE mart.text USING parquet AS SELECT a, b FROM raw.t1",
        "INSERT INTO mart.text SELECT a, 7 FROM raw.t1",
        "SELECT sha2(concat('s3cret', a), 256) FROM raw.t1",
    )
    session.events()
    before = pipeline.settings
    pipeline.settings = settings_of((*ROOMY, ("sql", "true")))
    try:
        frames_of_texts = [spark.sql(text) for text in texts]
        frames_of_texts[-1].collect()
        frames_of_texts[-1].limit(1).collect()
        events = session.events()
    finally:
        pipeline.settings = before
    facets = [event["job"]["facets"].get("sql", {"query": ""}) for event in events]
    redacted, of_a_frame = "SELECT sha2(concat('***', a), 256) FROM raw.t1", ""
    shown = sorted(facet["query"] for facet in facets)  # events of writes may come later
    assert shown == sorted([*texts[:2], redacted, of_a_frame])
    assert {facet["dialect"] for facet in facets if facet["query"]} == {"spark"}
    spark.sql(texts[1])
    (event,) = session.events()
    assert "sql" not in event["job"]["facets"]


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_what_was_written_to_files_is_counted(session: Session, adaptive: str) -> None:
    """DESIGN promised `outputStatistics`, and no test looked for it."""
    spark, path = session.spark, f"{session.root}/counted_{adaptive}"
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        spark.range(9).repartition(3).write.parquet(path)
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    spark.sql(f"CREATE TABLE mart.counted_{adaptive} USING parquet AS SELECT 1 AS a")
    (path_event, table_event) = session.events()
    counts = [
        event["outputs"][0]["outputFacets"]["outputStatistics"]
        for event in (path_event, table_event)
    ]
    assert [(each["rowCount"], each["fileCount"]) for each in counts] == [(9, 3), (1, 1)]
    written = sum(file.stat().st_size for file in Path(path).glob("*.parquet"))
    assert counts[0]["size"] == written


def test_each_way_to_write_files_is_counted(session: Session) -> None:
    spark, path = session.spark, f"{session.root}/counted_ways"
    frame = spark.range(6).repartition(2)
    frame.write.orc(f"{path}/orc")
    frame.write.csv(f"{path}/csv")
    frame.write.saveAsTable("mart.counted_as_table")
    frame.write.insertInto("mart.counted_as_table")
    events = [event for event in session.events() if event["outputs"]]
    counts = [event["outputs"][0]["outputFacets"]["outputStatistics"] for event in events]
    assert [(each["rowCount"], each["fileCount"]) for each in counts] == [(6, 2)] * 4


def test_a_write_that_is_ignored_has_no_event(session: Session) -> None:
    """It was an output of no rows, with the lineage of a query that never ran."""
    spark, path = session.spark, f"{session.root}/ignored"
    for frame in (spark.range(3), spark.range(5)):
        frame.write.mode("ignore").parquet(path)
    none = spark.range(3).where("id < 0").selectExpr("id", "id AS part")
    none.write.mode("ignore").partitionBy("part").parquet(f"{path}_none")  # it writes no file
    counts = [
        (Path(output["name"]).name, output["outputFacets"]["outputStatistics"]["rowCount"])
        for event in session.events()
        for output in event["outputs"]
    ]
    assert counts == [("ignored", 3), ("ignored_none", 0)]


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_what_was_read_of_files_is_counted(session: Session, adaptive: str) -> None:
    """Of a dataset that is read twice the sums, and nothing of one whose rows are cached."""
    spark, path = session.spark, f"{session.root}/read_{adaptive}"
    spark.range(9).repartition(3).write.parquet(f"{path}/nine")
    spark.range(5).write.parquet(f"{path}/five")
    nine, five = spark.read.parquet(f"{path}/nine"), spark.read.parquet(f"{path}/five")
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        session.events()
        joined = nine.join(five, "id").union(five)
        joined.groupBy("id").count().write.parquet(f"{path}/out")
        five.limit(1).cache().collect()
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    (event,) = (event for event in session.events() if event["outputs"])  # in any order
    counts = {
        Path(read["name"]).name: read["inputFacets"]["inputStatistics"] for read in event["inputs"]
    }
    numbers = {name: (each["rowCount"], each["fileCount"]) for name, each in counts.items()}
    assert numbers == {"nine": (9, 3), "five": (10, 2)}
    written = sum(file.stat().st_size for file in Path(f"{path}/nine").glob("*.parquet"))
    assert counts["nine"]["size"] == written


PROGRAM = [
    Statement("CREATE", "t1", (("raw", "a", "b"), ("base", "b", "b"))),
    Statement("INSERT", "t1", (("t1", "b", "a"),)),
    Statement("RENAME", "t2", source="t1"),
    Statement("CREATE", "t1", (("t2", "a", "b"),)),
    Statement("OVERWRITE", "t1", (("raw", "a", "a"),)),
    Statement("TRUNCATE", "t2"),
    Statement("DROP", "t2"),
]


def test_made_programs_have_the_events_of_real_ones(session: Session) -> None:
    """`oracles.table_programs` makes the events from which it judges the store."""
    for table in SOURCES:
        session.spark.sql(f"CREATE TABLE {table} USING parquet AS SELECT 1 AS a, 2 AS b")
    session.events()
    try:
        for number, statement in enumerate(PROGRAM):
            session.spark.sql(statement.text())
            (event,) = session.events()
            assert told(event) == told(of_statement("load", statement, number, 1))
    finally:
        for table in (*SOURCES, "t1", "t2"):
            session.spark.sql(f"DROP TABLE IF EXISTS {table}")
        session.events()


def told(event: dict[str, Any]) -> Any:
    """What the store takes from an event of tables in one folder."""
    (output,) = event["outputs"]
    facets = output["facets"]
    change = facets.get("lifecycleStateChange", {})
    fields = facets.get("columnLineage", {}).get("fields", {})
    return (
        sorted(table_name(each) for each in event["inputs"]),
        table_name(output),
        change.get("lifecycleStateChange"),
        table_name(change.get("previousIdentifier", {"name": ""})),
        {
            name: sorted((table_name(each), each["field"]) for each in field["inputFields"])
            for name, field in fields.items()
        },
        {"airflow-colgraph" in facet["_producer"] for facet in facets.values()},
    )


def table_name(dataset: dict[str, Any]) -> str:
    return str(dataset["name"]).rpartition("/")[2]
