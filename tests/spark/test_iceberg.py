"""Iceberg through a real session: one event for each command, with its whole lineage."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.jars import jars
from tests.spark.lake import ASKS, CHANGES, computed, made, told, told_by, whole
from tests.spark.session import Session

pytestmark = [pytest.mark.spark, pytest.mark.jars, pytest.mark.xdist_group("spark-iceberg")]

MERGE_ON_READ = "TBLPROPERTIES (" + ", ".join(
    f"'write.{name}.mode' = 'merge-on-read'" for name in ("merge", "update", "delete")
)
CATALOG = "spark.sql.catalog.ice"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = Path(tmp_path_factory.mktemp("iceberg"))
    settings = {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": f"{root}/ice",
    }
    statements = ["CREATE NAMESPACE ice.db", "CREATE NAMESPACE ice.mor"]
    statements += made("ice.db.", "iceberg") + made("ice.mor.", "iceberg", MERGE_ON_READ + ")")
    found = Session(root, settings, jars("iceberg-spark-runtime-4.1_2.13"), statements)
    yield found
    found.stop()


@pytest.mark.parametrize("namespace", ["db", "mor"])
@pytest.mark.parametrize("name", ASKS)
def test_a_command_is_told_once_with_its_whole_lineage(
    session: Session, name: str, namespace: str
) -> None:
    ask, p = ASKS[name], f"ice.{namespace}."
    found = told(session, ask.statement.format(p=p, using="iceberg"), f"{namespace}.")
    assert found == (1, whole(ask.lineage), ask.inputs)


@pytest.mark.parametrize("namespace", ["db", "mor"])
@pytest.mark.parametrize("statement", CHANGES)
def test_what_a_command_computes_is_said_in_words(
    session: Session, statement: str, namespace: str
) -> None:
    assert computed(session, statement.format(p=f"ice.{namespace}.")) == CHANGES[statement]


def test_frames_and_time_travel(session: Session) -> None:
    spark = session.spark
    session.events()
    frame = spark.read.option("versionAsOf", snapshot(session)).table("ice.db.v")
    frame.selectExpr("a AS x", "_file AS y").writeTo("ice.db.travelled").create()
    lineage = whole("x <- v.a DIRECT:IDENTITY\n y <-")
    assert told_by(session, "db.") == (1, lineage, "v")
    frame.selectExpr("b AS x", "'f' AS y").writeTo("ice.db.travelled").append()
    assert told_by(session, "db.") == (1, whole("x <- v.b DIRECT:IDENTITY\n y <-"), "v")
    frame.selectExpr("a AS x", "'f' AS y").writeTo("ice.db.travelled").overwritePartitions()
    assert told_by(session, "db.") == (1, lineage, "v")


def snapshot(session: Session) -> int:
    found = session.spark.sql("SELECT snapshot_id FROM ice.db.v.snapshots").head()
    session.events()
    assert found is not None
    return int(found[0])


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
        "DROP TABLE ice.db.v": "DROP",
    }.items():
        session.spark.sql(statement)
        (event,) = session.events()
        (output,) = event["outputs"]
        change = output["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
        assert (output["name"], change) == (f"{session.root}/ice/db/v", became)
