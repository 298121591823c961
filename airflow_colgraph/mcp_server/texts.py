"""The tools about texts that an agent has: SQL, and events of runs or plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple

from anyio import to_thread
from pydantic import Field

from airflow_colgraph.mcp_server.answers import Json, answer, lineage_row, named, page

Dialect = Annotated[str, Field(description="postgres, snowflake, bigquery, spark, ...")]
Columns = Annotated[
    dict[str, str], Field(description='Tables: {"schema.table": "id INT, name TEXT"}.')
]
Schema = Annotated[str, Field(description="Of table names without one.")]
MOST_CHARACTERS = 2_000_000
MOST_NAMES = 10  # of what depends on a change


class Sql(NamedTuple):
    """How a SQL text is read: tables' columns, and what completes their names."""

    dialect: str = ""
    columns: dict[str, str] = {}  # noqa: RUF012 -- it is never changed
    schema: str = ""
    namespace: str = ""  # of the tables as datasets; default: the dialect


class TextTools:
    """The questions about texts, which are never run.

    Args:
        sql_event: The OpenLineage event of a SQL text.
        compare: The report of `colgraph check` on a changed text and its base, which are events if
            the dialect is empty.
        address: As in `Tools`.
    """

    def __init__(
        self,
        sql_event: Callable[[str, Sql], Json],
        compare: Callable[[str, str, Sql], Json],
        address: str | None,
    ) -> None:
        """Answer by these functions."""
        self._sql_event = sql_event
        self._compare = compare
        self._address = address

    def reading(self) -> list[Callable[..., Any]]:
        """The tools; they change nothing."""
        return [self.lineage_of_sql, self.compare_versions]

    async def lineage_of_sql(
        self,
        sql: Annotated[str, Field(max_length=100_000, description="One or more statements.")],
        dialect: Dialect,
        columns: Columns = {},  # noqa: B006 -- it is never changed
        schema: Schema = "",
    ) -> Json:
        """Resolve the column lineage of a SQL text, which is not run."""
        event = await to_thread.run_sync(self._sql_event, sql, Sql(dialect, columns, schema))
        rows = [row for output in event["outputs"] for row in _of_output(output)]
        diagnostics = event["run"]["facets"].get("colgraph_diagnostics", {})
        unknown = [*diagnostics.get("unresolved", ()), *diagnostics.get("opaque", ())]
        about = {
            "reads": [named({**dataset, "field": None}) for dataset in event["inputs"]],
            "writes": [named({**dataset, "field": None}) for dataset in event["outputs"]],
            **({"not_resolved": unknown} if unknown else {}),
        }
        return answer(rows, about, "Ask for one statement at a time.")

    async def compare_versions(
        self,
        changed: Annotated[
            str,
            Field(
                max_length=MOST_CHARACTERS,
                description="A SQL text with its dialect; or, without a dialect, OpenLineage events"
                " of a run or of `colgraph plan`: as JSON, or the file that has them.",
            ),
        ],
        base: Annotated[
            str,
            Field(
                max_length=MOST_CHARACTERS,
                description="The version before, likewise. Default: what holds in the store.",
            ),
        ] = "",
        dialect: Dialect = "",
        columns: Columns = {},  # noqa: B006 -- it is never changed
        schema: Schema = "",
        namespace: Annotated[
            str, Field(description="Of a SQL text's tables in the store, to compare with it.")
        ] = "",
    ) -> Json:
        """Compare two versions of a job before it runs: what changed, and what that breaks."""
        sql = Sql(dialect, columns, schema, namespace)
        report = await to_thread.run_sync(self._compare, changed, base, sql)
        changes = sorted(report["changes"], key=lambda change: SEVERITIES.index(change["severity"]))
        about = {
            "result": RESULTS[report["exitCode"]],
            "exitCode": report["exitCode"],
            "datasets_compared": len(report["datasets"]) - report["new"],
            "datasets_without_base": report["new"],
        }
        if changes and not base:
            first = {key: changes[0][key] for key in ("namespace", "name")}
            field = changes[0]["column"]
            about |= page(self._address, **first, field=field, direction="downstream")
        return answer(list(map(_change, changes)), about, TO_SEE_ALL)


SEVERITIES = ("error", "warning", "note")
RESULTS = {
    0: "No change is an error.",
    1: "A change is an error by the rules.",
    2: "Undetermined: lineage is unknown or missing.",
}
TO_SEE_ALL = "Compare one job at a time, or run `colgraph check --format json`, which has all."


def _change(change: Json) -> Json:
    """A change of the report as an agent reads it, with some of what depends on it."""
    place = named({**change, "field": change["column"]})
    dependents = change["dependents"]
    names = {
        "columns": [named({**end, "field": end["column"]}) for end in dependents["columns"]],
        **{key: dependents[key] for key in ("jobs", "dags", "owners", "exports")},
    }
    shown: Json = {key: texts[:MOST_NAMES] for key, texts in names.items() if texts}
    more = {key: len(texts) - MOST_NAMES for key, texts in names.items() if texts[MOST_NAMES:]}
    if more:
        shown["left_out"] = more
    if dependents["truncated"]:
        shown["truncated"] = True
    keys = ("kind", "severity", "class")
    row = {key: change[key] for key in keys} | place
    row |= {key: change[key] for key in ("before", "after", "waived", "expired") if change[key]}
    return {**row, "used_by": shown} if shown else row


def _of_output(output: Json) -> Iterable[Json]:
    """The rows of an output's `columnLineage` facet."""
    facet = output["facets"].get("columnLineage", {})
    columns = [(name, column["inputFields"]) for name, column in facet.get("fields", {}).items()]
    for column, inputs in [*columns, (None, facet.get("dataset", []))]:
        for entry in inputs:
            for how in entry["transformations"]:
                yield lineage_row(entry, {**output, "field": column}, how)
