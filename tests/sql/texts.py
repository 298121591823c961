"""A script's lineage as text, and the schemas that the tests of SQL share."""

from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.script import ScriptLineage, script
from airflow_colgraph.sql.transformations import Inputs

POSTGRES = Place("postgres", "shop", "public")
TABLES = {
    "raw": ("id", "customer", "amount", "state"),
    "mart": ("id", "customer", "total"),
    "other": ("id", "note"),
    "orders": ("id", "cid", "v"),
    "customers": ("cid", "name"),
}


def schemas(place: Place = POSTGRES) -> dict[TableName, tuple[str, ...]]:
    """The tables, in the place's schema and case."""
    upper = place.dialect == "snowflake"
    return {
        place.whole([table.upper() if upper else table]): tuple(
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
        shown.append(f"{write.location or '.'.join(write.table)}{what}")
        if write.relation is None:
            continue
        for name, inputs in (*write.relation.columns, ("*", write.relation.rows)):
            made = sorted(_inputs(inputs))
            shown += [f"  {name} <- {one}" for one in made] or ([f"  {name} <-"] * (name != "*"))
    return "\n".join(shown)


def _inputs(inputs: Inputs) -> list[str]:
    return [
        f"{'.'.join(source.table)}.{source.column} {step.subtype}{' masking' * step.masking}"
        for source, step in inputs
    ]
