"""A script's lineage as text, and the schemas that the tests of SQL share."""

from pathlib import Path

from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.script import ScriptLineage, script
from airflow_colgraph.sql.transformations import Inputs, Source
from airflow_colgraph.sql.writes import Write

CASES = Path(__file__).with_name("cases")
WITHOUT_SCHEMAS = Path(__file__).with_name("cases_without_schemas")
POSTGRES = Place("postgres", "shop", "public")
TABLES = {
    "raw": ("id", "customer", "amount", "state"),
    "mart": ("id", "customer", "total"),
    "other": ("id", "note"),
    "orders": ("id", "cid", "v"),
    "customers": ("cid", "name"),
    "prev.items": ("id", "price"),  # two tables of one name
    "curr.items": ("id", "price"),
    "Sales": ("Id", "Total", "Note"),  # names that are not in lower case
    "Stage": ("Id", "Amount"),
}


# Where the statements of cases/*.sql run, by the dialect that is the file's name.
PLACES = {
    **{
        name: Place(name, "shop", "public")
        for name in ("postgres", "bigquery", "trino", "redshift", "databricks", "duckdb", "oracle")
    },
    "mysql": Place("mysql", "", "shop", 2),
    "snowflake": Place("snowflake", "SHOP", "PUBLIC"),
    "sqlite": Place("sqlite", levels=1),
    "teradata": Place("teradata", "", "shop", 2),
    "tsql": Place("tsql", "shop", "dbo"),
    **{name: Place(name, "", "shop", 2) for name in ("athena", "clickhouse", "hive", "spark")},
}


def by_dialect(folder: Path = CASES) -> dict[str, list[tuple[str, str]]]:
    """The statements of cases/*.sql, each with its lineage, by dialect."""
    read: dict[str, list[tuple[str, str]]] = {}
    for file in sorted(folder.glob("*.sql")):
        for block in file.read_text().split("\n\n"):
            rows = block.strip().split("\n")
            text = "\n".join(row for row in rows if not row.startswith("--"))
            lineage = "\n".join(row[3:] for row in rows if row.startswith("--"))
            read.setdefault(file.stem, []).append((text, lineage))
    return read


def schemas(place: Place = POSTGRES) -> dict[TableName, tuple[str, ...]]:
    """The tables, in the place's schema and case."""
    upper = place.dialect in ("snowflake", "oracle")
    return {
        place.whole((table.upper() if upper else table).split(".")): tuple(
            column.upper() if upper else column for column in columns
        )
        for table, columns in TABLES.items()
    }


def found(text: str, place: Place = POSTGRES, *, known: bool = True) -> ScriptLineage:
    return script(text, place, schemas(place) if known else {})


def lines(lineage: ScriptLineage) -> str:
    """Each write with its columns, a line for each input."""
    shown = []
    for write in lineage.writes:
        what = f" {write.lifecycle}" if write.lifecycle else ""
        shown.append(f"{'.'.join(filter(None, write.table))}{what}")
        if write.relation is None:
            continue
        for name, inputs in (*write.relation.columns, ("*", write.relation.rows)):
            made = sorted(_inputs(inputs))
            shown += [f"  {name} <- {one}" for one in made] or ([f"  {name} <-"] * (name != "*"))
    return "\n".join(shown)


def reported(lineage: ScriptLineage) -> str:
    """The lineage with what a script only reads, and what could not be resolved."""
    sources = {source.table for write in lineage.writes for source in _sources(write)}
    written = {write.table for write in lineage.writes}
    names = [name for name in lineage.reads if name not in sources or name in written]
    counted = [
        f"{what}: {name}{f' {count}' * (count > 1)}"
        for what in ("unresolved", "opaque")
        for name, count in sorted(getattr(lineage, what).items())
    ]
    shown = [lines(lineage)] if lineage.writes else []
    shown += [f"reads {'.'.join(filter(None, name))}" for name in names]
    return "\n".join([*shown, *(f"file {name}" for name in lineage.files), *counted]) or "nothing"


def _sources(write: Write) -> set[Source]:
    relation = write.relation or Relation()
    every = [relation.rows, *(inputs for _, inputs in relation.columns)]
    return {source for inputs in every for source, _ in inputs}


def _inputs(inputs: Inputs) -> list[str]:
    found = []
    for source, step in inputs:
        name = ".".join(filter(None, source.table))
        found.append(f"{name}.{source.column} {step.subtype}{' masking' * step.masking}")
    return found
