"""Lineage as text: what people read in a terminal, and what the tests compare. Pure.

    default.daily
      day    <- raw.orders.day     DIRECT:IDENTITY
      total  <- raw.orders.amount  DIRECT:AGGREGATION
      load   <-
      *      <- raw.orders.state   INDIRECT:FILTER

`*` is what affects all rows; a column with nothing behind the arrow comes from no column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]
Line = tuple[str, str, str]  # column, input field, transformations
Key = tuple[str, str]


def key(dataset: Json) -> Key:
    """A dataset's identity."""
    return dataset["namespace"], dataset["name"]


def labels(events: Iterable[Json]) -> Callable[[Json], str]:
    """How to call each dataset: its name in the catalog, else its own name, shortened if unique."""
    names: dict[Key, str] = {}
    for event in events:
        for dataset in [*event.get("inputs", ()), *event.get("outputs", ())]:
            links = dataset.get("facets", {}).get("symlinks", {}).get("identifiers", ())
            table = next((link["name"] for link in links if link.get("type") == "TABLE"), "")
            if table or key(dataset) not in names:
                names[key(dataset)] = str(table or dataset["name"])
    return lambda dataset: names.get(key(dataset), str(dataset["name"]))


def transformations(item: Json) -> str:
    """E.g. `DIRECT:IDENTITY, INDIRECT:FILTER`; masking comes last."""
    steps = [
        f"{step['type']}:{step.get('subtype') or '?'}{' masking' if step.get('masking') else ''}"
        for step in item.get("transformations") or ()
    ]
    return ", ".join(steps)


def lines(output: Json, label: Callable[[Json], str]) -> Iterator[Line]:
    """The lineage of one output dataset, a line for each input of each column."""
    facet = output.get("facets", {}).get("columnLineage") or {}
    for column, entry in (facet.get("fields") or {}).items():
        inputs = entry.get("inputFields") or ()
        if not inputs:
            yield column, "", ""
        for item in inputs:
            yield column, f"{label(item)}.{item['field']}", transformations(item)
    for item in facet.get("dataset") or ():
        yield "*", f"{label(item)}.{item['field']}", transformations(item)


def table(edges: Iterable[Line], indent: str = "  ") -> Iterator[str]:
    """Lines with their columns aligned."""
    rows = list(edges)
    column = max((len(row[0]) for row in rows), default=0)
    field = max((len(row[1]) for row in rows), default=0)
    for name, source, steps in rows:
        yield f"{indent}{name:<{column}} <- {source:<{field}}  {steps}".rstrip()


def is_edge(line: str) -> bool:
    """Whether a line of such a text has an arrow; else it names a dataset."""
    return " <-" in line


def parsed_line(line: str) -> Line:
    """A line as it was before it was printed: (`total`, `raw.orders.amount`, `DIRECT:AGGREGATION`).

    A field's name may have spaces: the transformations begin with the first word that is one.
    """
    column, _, rest = line.partition(" <-")
    words = rest.split()
    first = next((place for place, word in enumerate(words) if _is_step(word)), len(words))
    return column.strip(), " ".join(words[:first]), " ".join(words[first:])


def _is_step(word: str) -> bool:
    return word.startswith(("DIRECT:", "INDIRECT:"))


def render(events: Iterable[Json]) -> str:
    """The lineage in the events: each output dataset with its columns."""
    events = list(events)
    label = labels(events)
    blocks: list[str] = []
    for event in events:
        for output in event.get("outputs", ()):
            block = [f"{label(output)}  ({output['namespace']} {output['name']})"]
            block += table(lines(output, label))
            blocks.append("\n".join(block))
    facets = (event.get("run", {}).get("facets") or {} for event in events)
    for run_facets in facets:
        blocks += remarks(run_facets)
    return "\n\n".join(dict.fromkeys(blocks))


MOST_NAMED = 3  # writers without lineage, or datasets, that are named


def remarks(run_facets: Json) -> list[str]:
    """What the lineage of a run lacks, a line each."""
    rows = (run_facets.get("colgraph_diagnostics") or {}).get("throughDriver") or []
    missing = missing_writes(run_facets)
    return [*map(through_driver, rows), *([missing] if missing else [])]


def through_driver(rows: Json) -> str:
    """E.g. `mart has rows that the driver made, perhaps of what it had read: raw.orders`."""
    named = [dataset["name"] for dataset in rows["datasets"][:MOST_NAMED]]
    named += ["..."] if len(rows["datasets"]) > MOST_NAMED else []
    begin = f"{rows['name']} has rows that the driver made, perhaps of what it had read"
    return f"{begin}: {', '.join(named)}"


def missing_writes(run_facets: Json) -> str:
    """E.g. `2 of 14 writes have no lineage: save at etl.py:7 (15 rows)`, or nothing if all have."""
    completeness = (run_facets.get("colgraph_diagnostics") or {}).get("completeness") or {}
    if not completeness.get("writesWithoutLineage"):
        return ""
    first = completeness["unaccounted"][:MOST_NAMED]
    named = [" ".join(str(gap["by"]).split()) + rows_of(gap) for gap in first]
    named += ["..."] if completeness["writesWithoutLineage"] > len(first) else []
    counts = f"{completeness['writesWithoutLineage']} of {completeness['writes']}"
    return f"{counts} writes have no lineage: {', '.join(named)}"


def rows_of(gap: Json) -> str:
    """How many rows a writer without lineage has written, where Spark counts them."""
    return f" ({gap['rows']} rows)" if gap["rows"] or gap["bytes"] else ""
