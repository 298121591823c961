"""What Delta and Iceberg are asked alike: statements and the whole lineage that each must tell."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.collector.cases.loader import lineage_of, normal
from tests.collector.test_operations import direct_inputs, read_by
from tests.spark.session import Session


class Ask(NamedTuple):
    """A statement over `{p}t`, `{p}u` (tables a INT, b INT) and what it comes from."""

    statement: str
    lineage: str
    inputs: str  # the tables that the event names as read


TABLES = ["t", "u", "v", "w", "out"]

ASKS = {
    "insert (I2)": Ask(
        "INSERT INTO {p}out SELECT * FROM {p}t",
        """
        a <- t.a DIRECT:IDENTITY
        b <- t.b DIRECT:IDENTITY
        """,
        "t",
    ),
    "insert overwrite with expressions (I3)": Ask(
        "INSERT OVERWRITE {p}out SELECT ceil(a), abs(b) FROM {p}t",
        """
        a <- t.a DIRECT:TRANSFORMATION
        b <- t.b DIRECT:TRANSFORMATION
        """,
        "t",
    ),
    "create as select from a union (I1)": Ask(
        "CREATE TABLE {p}i1 USING {using} AS SELECT a, b FROM {p}t UNION SELECT a, b FROM {p}u",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        b <- t.b DIRECT:IDENTITY
        b <- u.b DIRECT:IDENTITY
        * <- t.a INDIRECT:GROUP_BY
        * <- t.b INDIRECT:GROUP_BY
        * <- u.a INDIRECT:GROUP_BY
        * <- u.b INDIRECT:GROUP_BY
        """,
        "t u",
    ),
    "replace as select with a join (I9)": Ask(
        "CREATE OR REPLACE TABLE {p}i1 USING {using} AS "
        "SELECT t.a + u.a AS c FROM {p}t t JOIN {p}u u ON t.b = u.b",
        """
        c <- t.a DIRECT:TRANSFORMATION
        c <- u.a DIRECT:TRANSFORMATION
        * <- t.b INDIRECT:JOIN
        * <- u.b INDIRECT:JOIN
        """,
        "t u",
    ),
    "create as select with an aggregate (I10)": Ask(
        "CREATE TABLE {p}i10 USING {using} AS SELECT max(a) AS m FROM {p}t GROUP BY a",
        """
        m <- t.a DIRECT:AGGREGATION
        * <- t.a INDIRECT:GROUP_BY
        """,
        "t",
    ),
    "merge sets one column and inserts rows (D1, E6)": Ask(
        "MERGE INTO {p}t USING {p}u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = u.b "
        "WHEN NOT MATCHED THEN INSERT *",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        b <- u.b DIRECT:IDENTITY
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        """,
        "t u",
    ),
    "merge sets and inserts all columns (I13, I14)": Ask(
        "MERGE INTO {p}t USING {p}u ON t.a = u.a WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *",
        """
        a <- u.a DIRECT:IDENTITY
        b <- u.b DIRECT:IDENTITY
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        """,
        "t u",
    ),
    "merge from a computed source (E5)": Ask(
        "MERGE INTO {p}t USING (SELECT a, coalesce(b, 0) AS b FROM {p}u WHERE a > 0) u "
        "ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = u.b WHEN NOT MATCHED THEN INSERT *",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        b <- u.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN, INDIRECT:FILTER
        """,
        "t u",
    ),
    "merge from a common table expression (E8)": Ask(
        "MERGE INTO {p}t USING (WITH c AS (SELECT a, b + 1 AS d FROM {p}u) SELECT * FROM c) u "
        "ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = u.d",
        """
        a <- t.a DIRECT:IDENTITY
        b <- u.b DIRECT:TRANSFORMATION
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        """,
        "t u",
    ),
    "append a union (E9)": Ask(
        "INSERT INTO {p}out SELECT a, b FROM {p}t UNION ALL SELECT b, a FROM {p}u",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.b DIRECT:IDENTITY
        b <- t.b DIRECT:IDENTITY
        b <- u.a DIRECT:IDENTITY
        """,
        "t u",
    ),
    "append groups (E13)": Ask(
        "INSERT INTO {p}out SELECT a, count(b) FROM {p}t GROUP BY a",
        """
        a <- t.a DIRECT:IDENTITY
        b <- t.b DIRECT:AGGREGATION masking
        * <- t.a INDIRECT:GROUP_BY
        """,
        "t",
    ),
    "merge with every clause": Ask(
        "MERGE INTO {p}t USING {p}u ON t.a = u.a "
        "WHEN MATCHED AND u.b > 1 THEN UPDATE SET b = u.b + t.b "
        "WHEN MATCHED AND u.b < 0 THEN DELETE "
        "WHEN NOT MATCHED AND u.a > 7 THEN INSERT (a, b) VALUES (u.a, u.b * 2) "
        "WHEN NOT MATCHED BY SOURCE AND t.b > 3 THEN UPDATE SET b = 0",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        b <- t.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
        b <- u.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN, INDIRECT:FILTER
        * <- u.b INDIRECT:FILTER
        """,
        "t u",
    ),
    "merge whose first clause decides which rows the second deletes": Ask(
        "MERGE INTO {p}t USING {p}u ON t.a = u.a "
        "WHEN MATCHED AND u.b > 2 THEN UPDATE SET b = u.b + t.b WHEN MATCHED THEN DELETE",
        """
        a <- t.a DIRECT:IDENTITY
        b <- t.b DIRECT:TRANSFORMATION
        b <- u.b DIRECT:TRANSFORMATION, INDIRECT:CONDITIONAL
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        * <- u.b INDIRECT:FILTER
        """,
        "t u",
    ),
    "merge whose first clause decides which rows the second inserts": Ask(
        "MERGE INTO {p}t USING {p}u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = t.b + 1 "
        "WHEN NOT MATCHED AND u.b > 2 THEN INSERT (a, b) VALUES (u.a, 0) "
        "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (u.b, u.a)",
        """
        a <- t.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        a <- u.b DIRECT:IDENTITY
        b <- t.b DIRECT:TRANSFORMATION
        b <- u.a DIRECT:IDENTITY
        * <- t.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        * <- u.b INDIRECT:FILTER
        """,
        "t u",
    ),
    "update": Ask(
        "UPDATE {p}t SET b = b + 1 WHERE a = 1",
        """
        a <- t.a DIRECT:IDENTITY
        b <- t.b DIRECT:TRANSFORMATION
        * <- t.a INDIRECT:FILTER
        """,
        "t",
    ),
    "update with casts of Spark's and of the user's": Ask(
        "UPDATE {p}k SET d = a, e = cast(a AS DOUBLE), f = double(a) WHERE a > 0",
        """
        a <- k.a DIRECT:IDENTITY
        d <- k.a DIRECT:IDENTITY
        e <- k.a DIRECT:TRANSFORMATION
        f <- k.a DIRECT:TRANSFORMATION
        * <- k.a INDIRECT:FILTER
        """,
        "k",
    ),
    "merge with casts of Spark's and of the user's": Ask(
        "MERGE INTO {p}k USING {p}u ON k.a = u.a "
        "WHEN MATCHED THEN UPDATE SET d = u.b, e = cast(u.b AS DOUBLE) "
        "WHEN NOT MATCHED THEN INSERT (a, d, e, f) VALUES (u.a, u.b, u.b, double(u.b))",
        """
        a <- k.a DIRECT:IDENTITY
        a <- u.a DIRECT:IDENTITY
        d <- u.b DIRECT:IDENTITY
        e <- u.b DIRECT:IDENTITY, DIRECT:TRANSFORMATION
        f <- k.f DIRECT:IDENTITY
        f <- u.b DIRECT:TRANSFORMATION
        * <- k.a INDIRECT:JOIN
        * <- u.a INDIRECT:JOIN
        """,
        "k u",
    ),
    "delete every row": Ask(
        "DELETE FROM {p}w",
        """
        a <- w.a DIRECT:IDENTITY
        b <- w.b DIRECT:IDENTITY
        """,
        "w",
    ),
    "delete": Ask(
        "DELETE FROM {p}t WHERE a = 1 AND b < 5",
        """
        a <- t.a DIRECT:IDENTITY
        b <- t.b DIRECT:IDENTITY
        * <- t.a INDIRECT:FILTER
        * <- t.b INDIRECT:FILTER
        """,
        "t",
    ),
}


EVOLVED = Ask(
    "MERGE WITH SCHEMA EVOLUTION INTO {p}evolved t USING (SELECT a, b, a + b AS c FROM {p}u) u "
    "ON t.a = u.a WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    """
    a <- u.a DIRECT:IDENTITY
    b <- u.b DIRECT:IDENTITY
    c <- u.a DIRECT:TRANSFORMATION
    c <- u.b DIRECT:TRANSFORMATION
    * <- evolved.a INDIRECT:JOIN
    * <- u.a INDIRECT:JOIN
    """,
    "evolved u",
)


def made(p: str, using: str, properties: str = "") -> list[str]:
    """The statements that make the tables, with a row in each."""
    create = [f"CREATE TABLE {p}{t} (a INT, b INT) USING {using} {properties}" for t in TABLES]
    fill = [f"INSERT INTO {p}{t} VALUES (1, 2), (2, 3)" for t in ("t", "u", "v", "w")]
    wide = f"CREATE TABLE {p}k (a INT, d DOUBLE, e DOUBLE, f DOUBLE) USING {using} {properties}"
    return [*create, *fill, wide, f"INSERT INTO {p}k VALUES (1, 2, 3, 4)"]


def summary(session: Session, statement: str, p: str) -> tuple[int, frozenset[str], str]:
    """How many events a statement made, its lineage, and the tables that it read."""
    session.events()
    session.spark.sql(statement)
    return summary_of(session, p)


def summary_of(session: Session, p: str) -> tuple[int, frozenset[str], str]:
    """The same of what has just run."""
    events = session.events()
    lineage = frozenset(line.replace(p, "") for line in lineage_of(events, str(session.root)))
    read = {item["name"].rsplit("/", 1)[-1] for event in events for item in event["inputs"]}
    assert all(e["run"]["facets"]["colgraph_diagnostics"]["unresolved"] == [] for e in events)
    for output in [output for event in events for output in event["outputs"]]:
        assert direct_inputs(output) <= read_by(output)
    return len(events), lineage, " ".join(sorted(read))


def computed(session: Session, statement: str) -> dict[str, str]:
    """The columns that a statement computes, each with its operation's words."""
    session.events()
    session.spark.sql(statement)
    (event,) = session.events()
    (output,) = event["outputs"]
    return {
        one["outputs"]["fields"][0]: one["description"]
        for one in output["facets"]["colgraph_operations"]["operations"]
        if one["inputs"].get("fields") and one["outputs"].get("fields")
    }


CHANGES = {
    "UPDATE {p}t SET b = b + 1 WHERE a = 1": {"b": "b + 1"},
    "MERGE INTO {p}t USING {p}u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = u.b + t.b "
    "WHEN NOT MATCHED THEN INSERT (a, b) VALUES (u.a, u.b * 2)": {"b": "b + b; b * 2"},
    "DELETE FROM {p}t WHERE a = 77": {},
}


def whole(lineage: str) -> frozenset[str]:
    """The lines of a lineage."""
    return frozenset(normal(line) for line in lineage.splitlines() if "<-" in line)


VERSIONED = (
    "INSERT INTO {p}versioned SELECT a, b FROM {p}added_rows",
    "INSERT INTO {p}versioned SELECT a, b FROM {p}versioned",
    "MERGE INTO {p}versioned o USING {p}added_rows n ON o.a = n.a"
    " WHEN MATCHED THEN UPDATE SET b = n.b",
    "UPDATE {p}versioned SET b = a",
)


def versions(session: Session, p: str, using: str) -> list[tuple[str, str]]:
    """The versions of one table that statements read and wrote, by their events."""
    session.spark.sql(f"CREATE TABLE {p}versioned (a INT, b INT) USING {using}")
    session.spark.sql(f"CREATE TABLE {p}added_rows USING {using} AS SELECT 1 AS a, 2 AS b")
    session.events()
    pairs = []
    for statement in VERSIONED:
        session.spark.sql(statement.format(p=p))
        (event,) = session.events()
        (output,) = event["outputs"]
        same = [each for each in event["inputs"] if each["name"] == output["name"]]
        pairs.append((version(same[0]) if same else "", version(output)))
        others = [each for each in event["inputs"] if each["name"] != output["name"]]
        assert all(map(version, others))
    return pairs


def version(dataset: dict[str, Any]) -> str:
    """The version of an input or output that its event names."""
    facet = dataset["facets"].get("version", {"datasetVersion": ""})
    return str(facet["datasetVersion"])


MADE = {  # statements without a query, and what became of which table: its columns
    "CREATE TABLE {p}new (a INT, b STRING) USING {using}": ("new", "CREATE", "a b"),
    "CREATE TABLE IF NOT EXISTS {p}new (c INT) USING {using}": None,
    "CREATE TABLE IF NOT EXISTS {p}newer (c INT) USING {using}": ("newer", "CREATE", "c"),
    "CREATE TABLE IF NOT EXISTS {p}newer USING {using} AS SELECT 1 AS d": None,
    "CREATE TABLE IF NOT EXISTS {p}newest USING {using} AS SELECT 1 AS d": (
        "newest",
        "CREATE",
        "d",
    ),
}
REPLACED = {
    "CREATE OR REPLACE TABLE {p}newer (d INT) USING {using}": ("newer", "OVERWRITE", "d"),
}
ALTERED = {
    "ALTER TABLE {p}new ADD COLUMNS (c INT, d INT)": ("new", "ALTER", "a b c d"),
    "ALTER TABLE {p}new ALTER COLUMN a TYPE BIGINT": ("new", "ALTER", "a b c d"),
    "ALTER TABLE {p}new RENAME COLUMN b TO e": ("new", "ALTER", "a e c d"),
    "ALTER TABLE {p}new DROP COLUMNS (c, d)": ("new", "ALTER", "a e"),
    "ALTER TABLE {p}new REPLACE COLUMNS (f INT)": ("new", "ALTER", "f"),
}


def table_change(session: Session, statement: str) -> tuple[str, str, str] | None:
    """What a statement without a query has made of which table; None if it has no event."""
    session.events()
    session.spark.sql(statement)
    events = session.events()
    if not events:
        return None
    (event,) = events
    (output,) = event["outputs"]
    facets = output["facets"]
    assert event["run"]["facets"]["colgraph_diagnostics"]["unresolved"] == []
    columns = " ".join(field["name"] for field in facets["schema"]["fields"])
    change = facets["lifecycleStateChange"]["lifecycleStateChange"]
    return output["name"].rsplit("/", 1)[-1], change, columns


def dropped(session: Session, run: Callable[[str], Any], statement: str) -> list[str]:
    """The names of the datasets that a statement ends, without their folders."""
    session.events()
    run(statement)
    outputs = [output for event in session.events() for output in event["outputs"]]
    changes = [output["facets"]["lifecycleStateChange"] for output in outputs]
    assert {change["lifecycleStateChange"] for change in changes} <= {"DROP"}
    return [output["name"].rsplit("/", 1)[-1] for output in outputs]
