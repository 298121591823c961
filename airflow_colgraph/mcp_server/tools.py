"""The tools: each a question that people ask, answered by a route of the REST API.

Their docstrings are what an agent reads, and their annotations its schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from airflow_colgraph.mcp_server.answers import (
    Json,
    answer,
    named,
    page,
    reported_row,
    trail_ends,
)
from airflow_colgraph.mcp_server.rest import Rest

MOST_EDGES = 500  # of a traversal, the nearest first
Dataset = Annotated[str, Field(description="The dataset's name, as `find` has it.")]
Column = Annotated[str, Field(description="The column's name; a.b is a member of a struct.")]
Namespace = Annotated[str, Field(description="The dataset's namespace, if its name is not unique.")]
Time = Annotated[str, Field(description="2026-11-20T10:00Z, seconds since 1970, or now-7d.")]
Conditions = Annotated[
    bool, Field(description="Also what affects rows only: filters, joins, grouping, sorting.")
]
Through = Annotated[
    Literal["identity", "transformation", "aggregation"],
    Field(description="Follow copies only, also casts and functions, or also aggregates."),
]
Hops = Annotated[int, Field(ge=1, le=100, description="How far to follow.")]


class Tools:
    """The questions, over one REST API.

    Args:
        rest: The API.
        address: Where the web page is served, for links; None: no links.
    """

    def __init__(self, rest: Rest, address: str | None) -> None:
        """Answer from `rest`."""
        self._rest = rest
        self._address = address

    def reading(self) -> list[Callable[..., Any]]:
        """The tools that change nothing."""
        return [
            self.find,
            self.columns_of,
            self.column_sources,
            self.column_uses,
            self.column_operations,
            self.why_different,
            self.impact_of_change,
            self.lineage_changes,
            self.missing_lineage,
            self.lineage_of_dag,
            self.copies_of_column,
            self.tagged_columns,
            self.unused_columns,
        ]

    async def find(
        self,
        context: Context[Any],
        text: Annotated[str, Field(description="A part of a dataset's or column's name.")],
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> Json:
        """Find datasets and columns by a part of their names; ask this first."""
        asked = {"q": text, "limit": limit}
        datasets = await self._get(context, "datasets", **asked)
        columns = await self._get(context, "columns", **asked)
        rows = [named({**row, "field": None}) for row in datasets["datasets"]]
        rows += [named(row) for row in columns["columns"]]
        about: Json = {"more": any(part["next"] is not None for part in (datasets, columns))}
        if not rows:
            about["similar_names"] = [*datasets["near"], *columns["near"]][:limit]
        return answer(rows, about, "Ask for a longer text.")

    async def columns_of(
        self, context: Context[Any], dataset: Dataset, namespace: Namespace = ""
    ) -> Json:
        """List a dataset's columns with types, descriptions and tags, and its owners."""
        about = await self._get(context, "fields", name=dataset, namespace=namespace)
        rows = [
            {
                "column": row["name"],
                "type": row["type"],
                **{key: row[key] for key in ("description", "tags") if row[key]},
                **({"dropped": True} if row["dropped"] else {}),
            }
            for row in about["fields"]
        ]
        whole = {key: about[key] for key in ("description", "owners", "tags") if about[key]}
        return answer(
            rows,
            {**whole, **self._page(dataset, namespace)},
            "Open the page, or find a column by its name.",
            about["left_out"],
        )

    async def column_sources(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        namespace: Namespace = "",
        at: Time | None = None,
        conditions: Conditions = False,
        hops: Hops = 20,
    ) -> Json:
        """Trace where a column comes from: each input column upstream, and how it is used."""
        more = {"at": at, "indirect": conditions, "depth": hops}
        return await self._lineage(context, "upstream", dataset, column, namespace, more)

    async def column_uses(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        namespace: Namespace = "",
        at: Time | None = None,
        conditions: Conditions = False,
        hops: Hops = 20,
    ) -> Json:
        """Trace what a column is used for: each column downstream that is computed from it."""
        more = {"at": at, "indirect": conditions, "depth": hops}
        return await self._lineage(context, "downstream", dataset, column, namespace, more)

    async def column_operations(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        namespace: Namespace = "",
        at: Time | None = None,
    ) -> Json:
        """List the operations (reads, expressions, writes) that computed a column, by job."""
        asked = {**_field(dataset, namespace, column), "at": at}
        operations = await self._get(context, "operations", **asked)
        rows = [
            {
                "job": chain["job"] and chain["job"]["name"],
                "in_force": chain["holds"],
                "last_at": chain["last_at"],
                "operations": [_step(step) for step in chain["operations"]],
            }
            for chain in operations["chains"]
        ]
        about = self._page(dataset, namespace, column)
        return answer(rows, about, "Ask for a time by `at`.", operations["left_out"])

    async def why_different(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        since: Annotated[str, Field(description="The earlier time, or a run's id.")],
        until: Annotated[str, Field(description="The later time, or a run's id.")] = "now",
        namespace: Namespace = "",
        hops: Hops = 20,
    ) -> Json:
        """Explain why a column's values differ between two times: what changed upstream."""
        asked = _field(dataset, namespace, column)
        changes = await self._get(context, "why", **asked, since=since, until=until, depth=hops)
        about = {key: value for key, value in changes.items() if key not in NOT_ABOUT}
        about |= self._page(dataset, namespace, column, view="why", before=since)
        return answer(
            changes["reasons"], about, "Ask for a shorter time or fewer hops.", changes["left_out"]
        )

    async def impact_of_change(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        namespace: Namespace = "",
        conditions: Conditions = True,
    ) -> Json:
        """List what a change of a column affects: columns downstream, jobs, DAGs and owners."""
        asked: Json = _field(dataset, namespace, column)
        asked |= {"indirect": conditions, "limit": MOST_EDGES}
        impact = await self._get(context, "impact", **asked)
        edges = await self._get(context, "downstream", **asked)
        dags = {row["job"]["name"]: row["job"]["dag_id"] for row in edges["edges"] if row["job"]}
        rows = [
            {**named(row), "hops": row["depth"], "jobs": row["jobs"]} for row in impact["impact"]
        ]
        about = {
            "dags": sorted({dag for dag in dags.values() if dag}),
            **await self._owners(context, rows),
            **({"unknown": impact["unknown"][:20]} if impact["unknown"] else {}),
            **self._page(dataset, namespace, column, direction="downstream"),
        }
        return answer(rows, about, GO_ON, _missing(edges))

    async def lineage_changes(
        self,
        context: Context[Any],
        dataset: Dataset,
        before: Annotated[str, Field(description="A time, or a run's id.")],
        after: Annotated[str, Field(description="A time, or a run's id.")] = "now",
        namespace: Namespace = "",
    ) -> Json:
        """Compare a dataset's lineage and schema at two times or of two runs."""
        asked = {"name": dataset, "namespace": namespace, "before": before, "after": after}
        delta = await self._get(context, "diff", **asked)
        rows = [
            {"change": kind, **(_change(row) if isinstance(row, dict) else {"what": row})}
            for kind, of_kind in delta.items()
            if isinstance(of_kind, list)
            for row in of_kind
        ]
        about = self._page(dataset, namespace, before=before)
        return answer(rows, about, "Ask for a shorter time.", delta["left_out"])

    async def missing_lineage(
        self,
        context: Context[Any],
        dag_id: Annotated[str, Field(description="An Airflow DAG.")] = "",
        dataset: Annotated[str, Field(description="Or a dataset: the jobs that write it.")] = "",
        namespace: Namespace = "",
    ) -> Json:
        """List what the lineage of a DAG's tasks, or of a dataset, is known to be missing."""
        asked = {"dag_id": dag_id} if dag_id else {"name": dataset, "namespace": namespace}
        gaps = await self._get(context, "gaps", **asked)
        about: Json = {}
        if not gaps["gaps"] and dag_id:
            outputs = await self._get(context, "outputs", dag_id=dag_id)
            about = {} if outputs["outputs"] else {"note": NO_TASK}
        elif not gaps["gaps"]:
            about = await self._without_columns(context, "upstream", dataset, namespace)
        return answer(gaps["gaps"], about, "Ask for one dataset.", gaps["left_out"])

    async def lineage_of_dag(
        self,
        context: Context[Any],
        dag_id: Annotated[str, Field(description="The Airflow DAG.")],
        task_id: Annotated[str, Field(description="One of its tasks. Default: all.")] = "",
        run_id: Annotated[str, Field(description="One DAG run. Default: the latest.")] = "",
        conditions: Conditions = False,
    ) -> Json:
        """List the column lineage that the tasks of a DAG reported."""
        asked = {"dag_id": dag_id, "task_id": task_id or None, "run_id": run_id or None}
        edges = await self._get(context, "tasks", **asked, indirect=conditions, limit=MOST_EDGES)
        rows = [reported_row(edge) for edge in edges["edges"]]
        about = {
            "writes": [named({**output, "field": None}) for output in edges["outputs"][:50]],
            **page(self._address, dag_id=dag_id, task_id=task_id, run_id=run_id),
        }
        if not rows and not about["writes"]:
            about["note"] = NO_TASK
        return answer(rows, about, "Ask for one task.", _missing(edges))

    async def copies_of_column(
        self,
        context: Context[Any],
        dataset: Dataset,
        column: Column,
        namespace: Namespace = "",
        through: Through = "identity",
        origins: Annotated[
            bool, Field(description="Also the copies of what the column was copied from.")
        ] = False,
    ) -> Json:
        """List the columns that hold a column's values unmasked, e.g. of personal data."""
        asked: Json = _field(dataset, namespace, column)
        asked |= {"through": through, "origins": origins}
        copied = await self._get(context, "copies", **asked)
        rows = [
            {**named(copy), "since": copy.get("since"), "hops": len(copy["path"]) - 1}
            for copy in copied["copies"]
        ]
        about = {"unknown": copied["unknown"][:20]} if copied["unknown"] else {}
        about |= await self._going_on(context, copied, asked)
        about |= self._page(dataset, namespace, column, view="copies")
        return answer(rows, about, "Open the page.", copied["left_out"])

    async def tagged_columns(
        self,
        context: Context[Any],
        tag: Annotated[str, Field(description="KEY, KEY=VALUE, or a pattern such as pii*.")],
    ) -> Json:
        """List the columns that have a tag, set there or travelled there along the lineage."""
        tagged = await self._get(context, "tagged", tag=tag)
        rows = [{key: row[key] for key in TAG if row.get(key)} for row in tagged["tags"]]
        return answer(rows, {}, "Ask for KEY=VALUE.", tagged["left_out"])

    async def unused_columns(
        self,
        context: Context[Any],
        dataset: Dataset,
        namespace: Namespace = "",
        days: Annotated[int, Field(ge=1, description="Uses in the last so many days count.")] = 90,
    ) -> Json:
        """List a dataset's columns that no job has read for some days."""
        asked = {"name": dataset, "namespace": namespace, "days": days}
        columns = await self._get(context, "unused", **asked)
        return answer(columns["unused"], {}, "Open the page.", columns["left_out"])

    async def set_tag(
        self,
        context: Context[Any],
        dataset: Dataset,
        namespace: Annotated[str, Field(description="The dataset's namespace.")],
        tag: Annotated[str, Field(description="KEY or KEY=VALUE.")],
        column: Annotated[str, Field(description="Default: the dataset as a whole.")] = "",
        remove: bool = False,
    ) -> Json:
        """Set a tag on a column or dataset, or remove it; this changes the store."""
        change = {"namespace": namespace, "name": dataset, "tag": tag, "remove": remove}
        if column:
            change["field"] = column
        body: Json = await self._rest.post("dataset-tags", context.headers, [change])
        return body

    async def _get(self, context: Context[Any], route: str, **query: Any) -> Any:
        return await self._rest.get(route, context.headers, **query)

    async def _lineage(
        self,
        context: Context[Any],
        route: str,
        dataset: str,
        column: str,
        namespace: str,
        more: Json,
    ) -> Json:
        asked = {**_field(dataset, namespace, column), "limit": MOST_EDGES}
        edges = await self._get(context, route, **asked, **more)
        rows = [reported_row(edge) for edge in edges["edges"]]
        about = self._page(dataset, namespace, column, direction=route)
        about |= await self._without_columns(context, route, dataset, namespace)
        if not rows and "note" not in about:
            about |= await self._nothing(context, dataset, namespace)
        return answer(rows, about, GO_ON, _missing(edges))

    async def _nothing(self, context: Context[Any], dataset: str, namespace: str) -> Json:
        """Whether an empty list means that there is nothing, or that it is not known."""
        gaps = await self._get(context, "gaps", name=dataset, namespace=namespace)
        if not gaps["gaps"]:
            return {"note": "No job reported such lineage; none reported that any is missing."}
        return {"note": "The jobs report that lineage is missing.", "missing": gaps["gaps"][:5]}

    async def _without_columns(
        self, context: Context[Any], route: str, dataset: str, namespace: str
    ) -> Json:
        """The neighbours of a dataset whose columns a job did not report; empty without one."""
        asked = {"name": dataset, "namespace": namespace, "depth": 1, "indirect": True}
        end = "input" if route == "upstream" else "output"
        ask = partial(self._get, context, route, **asked)
        whole = await ask(level="dataset", limit=MOST_NEIGHBOURS)
        unknown = {_dataset_of(edge[end]): named(edge[end]) for edge in whole["edges"]}
        for limit in (MOST_EDGES, MOST_NEIGHBOURS):
            if not unknown:
                return {}
            columns = await ask(limit=limit)
            for edge in columns["edges"]:
                unknown.pop(_dataset_of(edge[end]), None)
            if not _missing(columns):
                break
        if unknown and (_missing(columns) or _missing(whole)):
            return {"note": TOO_MANY}
        datasets = list(unknown.values())
        if not datasets:
            return {}
        left_out = len(datasets[MOST_NAMED:])
        more = {"datasets_left_out": left_out} if left_out else {}
        return {"note": NO_COLUMNS, "datasets": datasets[:MOST_NAMED], **more}

    async def _going_on(self, context: Context[Any], copied: Json, asked: Json) -> Json:
        """Where a cast, a function or an aggregate ends the trail of copies; empty if none does."""
        if asked["through"] == WIDEST or copied["truncated"] or copied["left_out"]:
            return {}
        wider = await self._get(context, "copies", **{**asked, "through": WIDEST})
        ends = trail_ends(copied["copies"], wider["copies"])
        if not ends:
            return {}
        left_out = len(ends[MOST_NAMED:])
        more = {"not_followed_left_out": left_out} if left_out else {}
        return {"not_followed": ends[:MOST_NAMED], **more, "to_follow": TO_FOLLOW}

    async def _owners(self, context: Context[Any], rows: Iterable[Json]) -> Json:
        """The owners of the rows' datasets, of the nearest only, and how many are left out."""
        datasets = list(dict.fromkeys((row["namespace"], row["dataset"]) for row in rows))
        owners = []
        for namespace, dataset in datasets[:MOST_OWNERS]:
            about = await self._get(context, "fields", name=dataset, namespace=namespace)
            if about["owners"]:
                owners.append({"dataset": dataset, "owners": about["owners"]})
        left_out = len(datasets[MOST_OWNERS:])
        return {"owners": owners, **({"owners_not_looked_up": left_out} if left_out else {})}

    def _page(self, dataset: str, namespace: str, column: str = "", **more: str) -> Json:
        return page(self._address, namespace=namespace, name=dataset, field=column, **more)


NO_TASK = "No task of this DAG reported lineage: what it does is unknown."
NO_COLUMNS = "Jobs connect the dataset with these without reporting columns: that part is unknown."
TOO_MANY = "Not looked at: whether jobs connect the dataset with others without reporting columns."
GO_ON = "Ask with fewer hops, without conditions, or from a column at the end of what is here."
TO_FOLLOW = "Ask with through='transformation' (casts, functions) or 'aggregation' (those, too)."
WIDEST = "aggregation"
ENDS = {"input": "from", "output": "to"}
TAG = ("namespace", "name", "field", "key", "value", "source", "since")
NOT_ABOUT = {"reasons", "runs", "left_out", "truncated"}
MOST_NEIGHBOURS = 20_000  # edges of a dataset that tell which neighbours have columns
MOST_NAMED = 20  # datasets without columns
MOST_OWNERS = 20  # datasets whose owners are looked up


def _field(dataset: str, namespace: str, column: str) -> Json:
    """The parameters by which a route takes a field."""
    return {"name": dataset, "namespace": namespace, "field": column}


def _missing(edges: Json) -> int:
    """The edges and fields that a graph's answer does not have."""
    return int(edges["left_out"] + edges["unexplored"])


def _dataset_of(end: Json) -> tuple[str, str]:
    return end["namespace"], end["name"]


def _step(step: Json) -> Json:
    inputs = [field["name"] for field in step["inputs"].get("fields", ())]
    place = step["inputs"].get("endPoint") or step["outputs"].get("endPoint")
    shown = {"name": step["name"], "description": step["description"], "inputs": inputs}
    shown |= {"outputs": step["outputs"].get("fields", [])}
    shown |= {"dataset": place["name"]} if place else {}
    return {key: value for key, value in shown.items() if value}


def _change(row: Json) -> Json:
    ends = {ENDS[key]: named(row[key]) for key in ENDS if key in row}
    return ends | {key: value for key, value in row.items() if key not in ENDS}
