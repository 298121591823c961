"""OpenLineage's own tests of Spark column lineage, by our ids, and where ours ask the same.

The ids: T transformation types, L the form with INDIRECT edges inside each field, I Iceberg,
D Delta, H Hive, M in-memory, E whole events, U single units.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """What a test of theirs asks, where ours asks it, and why ours answers otherwise."""

    asks: str
    where: str = ""  # a file that has the id in a case's or a test's name
    deviation: str = ""


CASES = "tests/collector/cases"
LINEAGE = "tests/collector/test_lineage.py"
MERGING = "tests/collector/test_transformations.py"
LAKE = "tests/spark/lake.py"
HIVE = "tests/spark/test_hive.py"
JDBC = "tests/spark/test_jdbc.py"

CATALOGUE = {
    "T1": Row("a bare column", f"{CASES}/transformations.sql"),
    "T2": Row("functions of columns", f"{CASES}/transformations.sql"),
    "T3": Row("a count masks", f"{CASES}/transformations.sql"),
    "T4": Row("a filter", f"{CASES}/transformations.sql"),
    "T5": Row("filter, grouping and sort", f"{CASES}/transformations.sql"),
    "T6": Row("aggregation beats transformation", f"{CASES}/transformations.sql"),
    "T7": Row("hashes mask", f"{CASES}/transformations.sql"),
    "T8": Row("CASE WHEN", f"{CASES}/transformations.sql"),
    "T9": Row("IF", f"{CASES}/transformations.sql"),
    "T10": Row("NULLIF", f"{CASES}/transformations.sql"),
    "T11": Row("NVL", f"{CASES}/transformations.sql"),
    "T12": Row("NVL2", f"{CASES}/transformations.sql"),
    "T13": Row("COALESCE", f"{CASES}/transformations.sql"),
    "T14": Row("explode", f"{CASES}/transformations.sql"),
    "T15": Row("rank over a window", f"{CASES}/transformations.sql"),
    "T16": Row("an aggregate over a window", f"{CASES}/transformations.sql"),
    "T17": Row("lag", f"{CASES}/transformations.sql"),
    "T18": Row("a union and a constant", f"{CASES}/transformations.sql"),
    "T19": Row(
        "one dimension joined twice",
        f"{CASES}/transformations.sql",
        "Only the predicates that the query has: the incumbent adds those that the optimizer "
        "infers, and reports 8 entries where 4 were written.",
    ),
    "T20": Row("SELECT DISTINCT", f"{CASES}/transformations.sql"),
    "T21": Row("nested functions", f"{CASES}/transformations.sql"),
    "L1": Row("a filter inside the field", f"{CASES}/catalogue.sql"),
    "L2": Row("filter, grouping and sort inside each field", f"{CASES}/catalogue.sql"),
    "L3": Row("masking, the grouping inside each field", f"{CASES}/catalogue.sql"),
    "L4": Row(
        "three common table expressions, joined",
        f"{CASES}/catalogue.sql",
        "28 edges, those of the query; the incumbent reports 44, 16 of them inferred.",
    ),
    "I1": Row("create as select from a union", LAKE),
    "I2": Row("insert", LAKE),
    "I3": Row("insert of functions", LAKE),
    "I4": Row(
        "columns with unknown names",
        LINEAGE,
        "Columns meet the table by position, as in Spark, so other names are no reason to say "
        "nothing; only where the widths differ no column is reported, and the event says so.",
    ),
    "I5": Row("no execution", LINEAGE),
    "I6": Row("no plan", LINEAGE),
    "I7": Row("files to files", f"{CASES}/frames.py"),
    "I8": Row("two columns from the same two", f"{CASES}/catalogue.sql"),
    "I9": Row("a sum over a join", LAKE),
    "I10": Row("an aggregate", LAKE),
    "I11": Row("a common table expression that renames", f"{CASES}/catalogue.sql"),
    "I12": Row("a cache of a cache", f"{CASES}/frames.py"),
    "I13": Row(
        "MERGE, copy on write",
        LAKE,
        "A column that every clause takes from the source does not come from the target too.",
    ),
    "I14": Row(
        "MERGE, merge on read",
        LAKE,
        "As I13.",
    ),
    "D1": Row("MERGE that sets one column", LAKE),
    "H1": Row("create as select", HIVE),
    "H2": Row("insert as select", HIVE),
    "H3": Row("a write without a schema harms nothing", LINEAGE),
    "M1": Row("a cached outer join with the same names", f"{CASES}/frames.py"),
    "E1": Row("a database's join joined with tables", JDBC),
    "E2": Row("a database's table to another", JDBC),
    "E3": Row("a database's query and table", JDBC),
    "E4": Row(
        "a join of subqueries, grouped",
        HIVE,
        "FILTER on the table that was filtered; the incumbent adds the other side of the join.",
    ),
    "E5": Row(
        "Delta's MERGE from a computed source",
        LAKE,
        "The ON condition is JOIN and a condition of the source is FILTER; the incumbent tells "
        "neither for Delta.",
    ),
    "E6": Row("Delta's and Iceberg's MERGE of one column", LAKE),
    "E7": Row(
        "MERGE on Databricks",
        "",
        "Databricks' own class: there is no Databricks to test with.",
    ),
    "E8": Row("MERGE from a common table expression", LAKE),
    "E9": Row("append of a union", LAKE),
    "E10": Row(
        "BigQuery to BigQuery",
        "",
        "Read and written by rules of ours, tested in tests/collector/test_connectors.py without "
        "the service.",
    ),
    "E11": Row("a cached dataset", "tests/spark/test_commands.py"),
    "E12": Row(
        "a write from an RDD that nobody knows",
        LINEAGE,
        "The columns are listed with what the rows were made of, and the node is reported as "
        "opaque; the incumbent says nothing.",
    ),
    "E13": Row("Delta's GROUP BY and MERGE", LAKE),
    "U1": Row("the merging of transformations", MERGING),
    "U2": Row("the building of the facet, its sizes", LINEAGE),
    "U3": Row("joins, windows and groupings one by one", f"{CASES}/catalogue.sql"),
    "U4": Row("which leaf is which dataset", "tests/collector/test_naming.py"),
    "U5": Row("a database's query by its text", "tests/test_sql.py"),
    "U6": Row("the columns of an output", LINEAGE),
    "U7": Row("a MERGE of another width", LINEAGE),
    "U8": Row("`dbtable` in its many shapes", "tests/collector/test_reads.py"),
    "U9": Row("a pattern that is removed from paths", "tests/collector/test_renaming.py"),
    "U10": Row("Snowflake's connector", "", "As E10."),
}
