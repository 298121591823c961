"""Breaks the collector's rules and plans one by one: `python -m oracles.mutate_rules [--all]`.

Each rule is deleted, each class of the recorded plans renamed, each field of a class, each id and
each thing that the JVM has added is dropped. Over the recorded cases the lineage must then be the
same, or larger, or what is missing must be reported in an event. The command prints the survivors:
mutations by which an edge was lost in silence. Without `--all` each mutation is tried on the
smallest cases that have what it changes, with it on all.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.model import NO_NOTES, PlanNotes, Query
from airflow_colgraph.collector.plan import kind, output_of
from airflow_colgraph.collector.registry import Registry
from airflow_colgraph.collector.spark.translate import is_wanted
from airflow_colgraph.openlineage.redaction import exception_text
from tests.collector.cases.loader import recorded_cases, settings_of
from tests.collector.pipelines import pipeline_into
from tests.collector.recorded import PLANS, load

SAMPLE = 2  # cases for each mutation, and those below
FURTHER = {  # cases by which survivors were found
    "frames_rows_of_a_scripts_variables",
    "frames_rows_of_variables",
    "frames_rows_that_a_script_goes_through",
    "nested_arrays_zipped_maps_taken_apart",
    "relational_a_scalar_subquery_in_a_filter",
    "tpch_Q16_suppliers_who_can_deliver",
}
FRESH_ID = 987_654_321

Queries = list[Query]
Change = Callable[[Any], Any]
"""A query with something broken; None where the collector would then hear nothing."""


class Mutation(NamedTuple):
    """One thing that is broken: what is done to what, and how a query shows it."""

    act: str
    what: str
    change: Callable[[Query], Query | None] = lambda query: query
    registry: Registry[Any] | None = None

    def __str__(self) -> str:
        """As the table has it."""
        return f"{self.act} {self.what}"


class Outcome(NamedTuple):
    """What is reported of one case: its edges and datasets, and what is reported as not known."""

    edges: frozenset[tuple[str, ...]]
    reports: Counter[str]


class Loss(NamedTuple):
    """An edge that a mutation has lost in silence."""

    mutation: Mutation
    case: str
    edge: tuple[str, ...]


# What is reported -----------------------------------------------------------------------------


def outcome(queries: Iterable[Query | None], properties: Any) -> Outcome:
    """What is reported of the queries of a case."""
    events: list[Any] = []
    reports: Counter[str] = Counter()
    pipeline = pipeline_into(events, settings_of(properties))
    for query in queries:
        try:
            if query is not None:
                pipeline.add(query, monotonic())
        except Exception as error:  # noqa: BLE001 - the pipeline reports it in an event
            reports[exception_text(error)] += 1
    pipeline.buffer.release()
    edges: set[tuple[str, ...]] = set()
    for event in events:
        diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
        for name in ("unresolved", "opaque"):
            reports.update(
                {f"{name} {found['class']}": found["count"] for found in diagnostics[name]}
            )
        edges.update(edges_of(event))
    return Outcome(frozenset(edges), reports)


def edges_of(event: Any) -> Iterator[tuple[str, ...]]:
    """The edges of an event, and the datasets that it read and wrote."""
    yield from (("read", found["name"]) for found in event["inputs"])
    for output in event["outputs"]:
        yield ("written", output["name"])
        lineage = output["facets"].get("columnLineage")
        if lineage is not None:
            parts = [(name, found["inputFields"]) for name, found in lineage["fields"].items()]
            for column, fields in [*parts, ("*", lineage["dataset"])]:
                for found in fields:
                    yield (output["name"], column, found["name"], found["field"])


def lost(before: Outcome, after: Outcome) -> list[tuple[str, ...]]:
    """The edges that are gone; an edge of a column may have become one of all rows."""
    if after.reports - before.reports:
        return []
    return sorted(
        edge
        for edge in before.edges - after.edges
        if len(edge) == 2 or after.edges.isdisjoint(larger(*edge))
    )


def larger(output: str, column: str, source: str, field: str) -> Iterator[tuple[str, ...]]:
    """The edges that hold an edge: from the struct around the field, to all rows."""
    parts = field.split(".")
    for size in range(1, len(parts) + 1):
        around = ".".join(parts[:size])
        yield from ((output, column, source, around), (output, "*", source, around))


# Mutations ------------------------------------------------------------------------------------


def renamed_class(name: str) -> Change:
    """Each row of a class has another class."""
    return lambda row: {**row, "class": row["class"] + "Renamed"} if kind(row) == name else row


def without_field(name: str, field: str) -> Change:
    """Each row of a class lacks a field."""
    return lambda row: (
        {key: value for key, value in row.items() if key != field} if kind(row) == name else row
    )


def with_another_id(name: str) -> Change:
    """The first row of a class that has an id has one that nothing else has."""
    done: list[bool] = []

    def change(row: Any) -> Any:
        if done or kind(row) != name or not isinstance(row.get("exprId"), dict):
            return row
        done.append(True)
        return {**row, "exprId": {**row["exprId"], "id": FRESH_ID}}

    return change


def everywhere(found: Any, change: Change) -> Any:
    """A plan with all its rows changed, those inside of expressions too."""
    if isinstance(found, list):
        return [everywhere(item, change) for item in found]
    if isinstance(found, dict):
        row = {key: everywhere(value, change) for key, value in found.items()}
        return change(row) if "class" in row and "num-children" in row else row
    return found


def in_plans(change: Callable[[], Change]) -> Callable[[Query], Query]:
    """A change of rows as one of a query."""

    def changed(query: Query) -> Query:
        made = change()
        expansions = {ids: everywhere(rows, made) for ids, rows in query.expansions.items()}
        return query._replace(plan=everywhere(query.plan, made), expansions=expansions)

    return changed


def without_reads(name: str) -> Callable[[Query], Query | None]:
    """As if no rule of READS knew a kind of leaf."""

    def changed(query: Query) -> Query | None:
        ids = {
            tuple(found["exprId"]["id"] for found in output_of(row))
            for row in rows_of(query)
            if kind(row) == name
        }
        reads = {key: read for key, read in query.reads.items() if key not in ids}
        rdds = {key: read for key, read in query.rdds.items() if key not in ids}
        found = query._replace(reads=reads, rdds=rdds)
        return found if found.write is not None or is_wanted(found) else None

    return changed


def without_write(name: str) -> Callable[[Query], Query | None]:
    """As if no rule of WRITES knew a command: its query is then that of something that reads."""

    def changed(query: Query) -> Query | None:
        if query.root != name or query.write is None:
            return query
        plan = query.plan
        if not plan or kind(plan[0]) != name:
            plan = [{"class": f"org.apache.spark.{name}", "num-children": bool(plan)}, *plan]
        found = query._replace(write=None, plan=plan)
        return found if is_wanted(found) else None

    return changed


def without_note(name: str) -> Callable[[Query], Query]:
    """As if the JVM had not been asked for something that a plan's JSON lacks."""
    if name in PlanNotes._fields:
        return lambda query: query._replace(
            notes=query.notes._replace(**{name: getattr(NO_NOTES, name)})
        )
    return lambda query: query._replace(**{name: {}})


def mutations(cases: dict[str, Queries]) -> Iterator[tuple[Mutation, list[str]]]:
    """All that can be broken, with the cases that have it, the smallest first."""
    classes: defaultdict[str, set[str]] = defaultdict(set)
    fields: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    roots: defaultdict[str, set[str]] = defaultdict(set)
    leaves: defaultdict[str, set[str]] = defaultdict(set)
    notes: defaultdict[str, set[str]] = defaultdict(set)
    for case, queries in cases.items():
        for query in queries:
            for row in rows_of(query):
                name = kind(row)
                classes[name].add(case)
                for field in row.keys() - {"class", "num-children"}:
                    fields[name, field].add(case)
                if not row["num-children"] and output_of(row):
                    leaves[name].add(case)
            if query.write is not None:
                roots[query.root].add(case)
            for note, value in (*query.notes._asdict().items(), ("expansions", query.expansions)):
                if value:
                    notes[note].add(case)
    sizes = {name: sum(len(query.plan) for query in queries) for name, queries in cases.items()}

    def smallest(found: set[str]) -> list[str]:
        return sorted(found, key=lambda name: (sizes[name], name))

    for title, registry in (("NODES", NODES), ("EXPRESSIONS", EXPRESSIONS)):
        for name in sorted(registry.keys() & classes.keys()):
            yield Mutation(f"{title} without", name, registry=registry), smallest(classes[name])
    for name in sorted(leaves):
        yield Mutation("READS without", name, without_reads(name)), smallest(leaves[name])
    for name in sorted(roots):
        yield Mutation("WRITES without", name, without_write(name)), smallest(roots[name])
    for name in sorted(notes):
        yield Mutation("without", name, without_note(name)), smallest(notes[name])
    for name in sorted(classes):
        change = in_plans(lambda name=name: renamed_class(name))  # type: ignore[misc]
        yield Mutation("renamed", name, change), smallest(classes[name])
    for name, field in sorted(fields):
        change = in_plans(lambda name=name, field=field: without_field(name, field))  # type: ignore[misc]
        yield Mutation("dropped", f"{name}.{field}", change), smallest(fields[name, field])
        if field == "exprId":
            change = in_plans(lambda name=name: with_another_id(name))  # type: ignore[misc]
            yield Mutation("renumbered", name, change), smallest(fields[name, field])


def rows_of(query: Query) -> Iterator[Any]:
    """All rows of a query's plan, those inside of expressions too."""
    stack: list[Any] = [query.plan, *query.expansions.values()]
    while stack:
        found = stack.pop()
        if isinstance(found, list):
            stack.extend(found)
        elif isinstance(found, dict):
            if "class" in found and "num-children" in found:
                yield found
            stack.extend(found.values())


# The run --------------------------------------------------------------------------------------


@contextmanager
def broken(mutation: Mutation) -> Iterator[None]:
    """Without the rule that the mutation deletes, for a while."""
    if mutation.registry is None:
        yield
        return
    rule = mutation.registry.pop(mutation.what)
    try:
        yield
    finally:
        mutation.registry[mutation.what] = rule


def losses(version: str, is_sample: bool = True) -> Iterator[tuple[Mutation, list[Loss]]]:
    """Each mutation with what it loses in silence on the cases of one Spark, or on a sample."""
    cases = load(PLANS / f"{version}.jsonl")
    properties = {case.name: case.properties for case in recorded_cases()}
    before: dict[str, Outcome] = {}
    for mutation, names in mutations(cases):
        found = []
        sample = [name for place, name in enumerate(names) if place < SAMPLE or name in FURTHER]
        for name in sample if is_sample else names:
            if name not in before:
                before[name] = outcome(cases[name], properties[name])
            with broken(mutation):
                changed = map(mutation.change, cases[name])
                after = outcome(changed, properties[name])
            found += [Loss(mutation, name, edge) for edge in lost(before[name], after)[:1]]
        yield mutation, found


MEMBERS = "the edge of a struct is reported as those of its members"
OPTIONAL = "Spark prints no such field either where there is no condition"
KNOWN = {  # survivors, and why no event could tell
    "WRITES without InsertIntoHadoopFsRelationCommand": (
        "of a checkpoint no query is reported that reads nothing else: the application's last event"
        " counts what was written"
    ),
    "dropped AsOfJoin.condition": OPTIONAL,
    "dropped Join.condition": OPTIONAL,
    "renamed Cast": MEMBERS,
    "renamed CreateNamedStruct": MEMBERS,
    "without expansions": "Spark has computed an inline table's variables: it looks like constants",
}


def main() -> None:
    """Print the table of survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="on all cases, not on a sample")
    arguments = parser.parse_args()
    tried = Counter[str]()
    for file in sorted(PLANS.glob("*.jsonl")):
        for mutation, found in losses(file.stem, not arguments.all):
            tried[mutation.act] += 1
            if found:
                why = KNOWN.get(str(mutation), "LOST IN SILENCE")
                first = found[0]
                edge = " <- ".join([".".join(first.edge[:2]), ".".join(first.edge[2:])])
                print(f"{file.stem} | {mutation} | {len(found)} | {first.case} | {edge} | {why}")
    print(", ".join(f"{count} x {act}" for act, count in tried.items()))


if __name__ == "__main__":
    main()
