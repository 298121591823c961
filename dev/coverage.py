"""Writes docs/coverage.md from the tables and the recorded cases: `python -m dev.coverage`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS
from airflow_colgraph.collector.lineage.resolution import NODES
from airflow_colgraph.collector.registry import ANY
from airflow_colgraph.collector.spark import reads, writes
from airflow_colgraph.collector.spark import translate as query
from tests.collector.cases.loader import recorded_cases
from tests.collector.catalogue import CATALOGUE
from tests.collector.shown import SHOWN
from tests.collector.test_cases import RECORDED, all_kinds, events_of

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
INTRODUCTION = """\
# What is covered

This page is made from the collector's tables and the recorded cases by `python -m dev.coverage`;
a test holds that it is. A case is in `tests/collector/cases/`, with its whole lineage beside it;
each is run on Spark {versions}, from recorded plans and live.

* **exact**: a rule says what each column is made of.
* **conservative**: nobody can know (a function over whole rows), so each column is made of all
  that it was given, and the run facet `colgraph_diagnostics` names the class under `opaque`.
* Any other plan node passes on what its children have, by Spark's own ids; where it makes columns
  of its own it is conservative and named. Any other expression is made of all its arguments. Any
  other source is named under `opaque`, an attribute that nobody defined under `unresolved`.
"""
DEVIATIONS = """\
## Where ours differs on purpose

| of what | the incumbent | ours |
| --- | --- | --- |
| predicates that the optimizer infers | FILTER | not there: only what the query says |
| `FROM a, b WHERE a.x = b.y` | JOIN | JOIN; what concerns one side only is FILTER |
| IN and EXISTS | JOIN, as the optimizer has them | FILTER, as they were written |
| scalar subqueries without correlation | no edge | their columns, and what decides in them |
| casts that Spark adds to an INSERT, UNION or UNPIVOT, CHAR padding | TRANSFORMATION | IDENTITY |
| dropDuplicates by some columns | the others: AGGREGATION | IDENTITY; the keys are GROUP_BY |
| a pivot's column, max_by's order | DIRECT | INDIRECT, CONDITIONAL |
| what decides in `max(struct(a, b)).b` | DIRECT | `a` is INDIRECT, CONDITIONAL |
| randomSplit, time windows | SORT and FILTER of Spark's own | not there |
| `array(a, b)[0]`, `map('x', a, 'y', b)['x']` | all elements | the one that is taken |
| `typeof(a)`, `size(array(a, b))`, the keys of `map('x', a)` | `a` | nothing: no value decides |
| constants | absent | listed with no inputs |
| columns of an output | matched by name | matched by position, as Spark does |
| several files of one read | an input for each file | one dataset |
| struct members | only top-level columns | the same; with `nestedFields` each member |
| unknown classes | the column is lost | all inputs, and the class is named in the event |
| limits | the facet is lost | what fits is told, and the event says what was cut |
"""
LIMITS = """\
## What is not known

* A cast that the user wrote beside a union, or in an INSERT before Spark 4.1, is told from Spark's
  own by the mark of `CAST(a AS BIGINT)` and `Column.cast`, or by the text of `bigint(a)`. Before
  Spark 4.0, and by Spark Connect, `call_function("bigint", "a")` leaves neither: it is IDENTITY.
* By Spark Connect a job is followed whose driver serves Connect itself (`spark.api.mode=connect`).
  The plans of a client of another server (`sc://host`) are on that server: nothing is told of them.
* A variable of a session or script (`SET VARIABLE x = (SELECT ..)`) is made of what it was last set
  from before the query ran; a frame that was made before that tells the later setting. Where
  blocks of a script have variables of one name, they are one. A stream's variables are made of
  nothing. A script's FOR is known by the query whose rows it goes through, and by what it names its
  variables: one that the script itself sets to a constant meanwhile is still the column.
* `DataFrame.transpose()` collects its rows while the frame is made, without telling a listener, and
  leaves a leaf of constants: its columns have no inputs, and `Transpose` is named under `opaque`.
* `createOrReplace()` and `CREATE OR REPLACE TABLE .. AS SELECT` are OVERWRITE, also where there was
  no table: the command does not say whether there was one, and once it is told there is one.
* A broadcast variable is a value of the program: Spark keeps no plan with it, and no RDD has it
  among its parents. What a function over an RDD takes from one is not among its inputs; the query
  that collected it is told as a read of its own.
"""
CATALOGUE_TEXT = """\
What the tests of OpenLineage's Spark integration ask (its development state at 1.53.0), by our ids,
where ours ask the same, and where our answer differs on purpose.
"""


def page() -> str:
    """The whole page."""
    seen, opaque = seen_in_cases()
    classes = set().union(*(all_kinds(q.plan) for case in newest().values() for q in case))
    plain = sorted(name.rstrip("$") for name in classes - EXPRESSIONS.keys() - NODES.keys())
    parts = [
        INTRODUCTION.format(versions=", ".join(RECORDED)),
        "## Plan nodes\n\n" + table(NODES, seen, opaque),
        "## Expressions with a rule of their own\n\n" + table(EXPRESSIONS, seen, opaque),
        "## Further classes in the cases\n\nThey need no rule:\n" + listed(plain),
        "## Commands\n\n" + table(writes.WRITES, seen, opaque),
        "## Sources\n\n" + table({**reads.READS, **reads.RELATIONS}, seen, opaque),
        "Writes without a table of their own go by the source's class: "
        + listed(sorted(writes.SINKS)),
        DEVIATIONS,
        LIMITS,
        f"## OpenLineage's catalogue\n\n{CATALOGUE_TEXT}\n" + catalogue(),
    ]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def newest() -> dict[str, list[query.Query]]:
    """The recorded cases of the newest Spark."""
    return RECORDED[max(RECORDED, key=lambda version: tuple(map(int, version.split("."))))]


def seen_in_cases() -> tuple[dict[str, str], set[str]]:
    """The first case that each class is in, and the classes that any event calls opaque."""
    first: dict[str, str] = {}
    opaque: set[str] = set()
    for case in sorted(recorded_cases(), key=lambda case: case.name.startswith(GENERAL)):
        for recorded in RECORDED.values():
            for found in recorded.get(case.name, ()):
                for name in all_kinds([found.plan, *found.expansions.values()]):
                    first.setdefault(name, case.name)
                if found.write is not None:
                    first.setdefault(found.root, case.name)
                if any(read.format in FILES for read in found.reads.values()):
                    first.setdefault("HadoopFsRelation", case.name)
            for event in events_of(recorded.get(case.name, []), case):
                said = event["run"]["facets"]["colgraph_diagnostics"]["opaque"]
                opaque.update(item["class"] for item in said)
    return first, opaque


GENERAL = ("catalogue_", "tpc")  # others show a class better
FILES = {"csv", "json", "orc", "parquet", "text"}


def table(rules: Iterable[str], seen: dict[str, str], opaque: set[str]) -> str:
    """A row for each class that has a rule."""
    lines = ["| Spark class | how | shown by |", "| --- | --- | --- |"]
    for name in sorted({*rules} - {ANY}):
        how = "conservative" if name in opaque or name in CONSERVATIVE else "exact"
        shown = seen.get(name) or SHOWN.get(name, "")
        lines.append(f"| {name} | {how} | {shown} |")
    return "\n".join(lines)


CONSERVATIVE = {  # those that no recorded case has
    "AppendColumns",
    "CoGroup",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "MapElements",
    "MapGroups",
    "TransformWithState",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark",
    "TypedFilter",
}


def catalogue() -> str:
    """A row for each id of the incumbent's catalogue."""
    lines = ["| id | asks | where | why ours differs |", "| --- | --- | --- | --- |"]
    for id, row in CATALOGUE.items():
        lines.append(f"| {id} | {row.asks} | {row.where} | {row.deviation} |")
    return "\n".join(lines)


def listed(names: Iterable[str]) -> str:
    """Names as a paragraph."""
    return "\n".join(wrapped(", ".join(names) + "."))


def wrapped(text: str) -> Iterator[str]:
    """Lines of at most 100 characters."""
    line = ""
    for word in text.split():
        if len(line) + len(word) >= 100:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
