"""Lineage in the text form of the terminal, as sets of lines by dataset, and how two differ. Pure.

    mart.daily
      total <- raw.orders.amount  DIRECT:AGGREGATION
      *     <- raw.orders.state   INDIRECT:FILTER

The name of the dataset is left out for a DataFrame, and may be where a job writes only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from airflow_colgraph.collector.events import render

Lineage = dict[str, frozenset[render.Line]]
"""Dataset -> its lines; a DataFrame's dataset has no name."""

FRAME = ""


def parse(text: str) -> Lineage:
    """The lineage that a text states; `name  (namespace name)` above the lines names a dataset."""
    lines_by_name: dict[str, set[render.Line]] = {}
    name = FRAME
    for line in filter(str.strip, text.splitlines()):
        if not render.is_edge(line):
            name = line.partition("  (")[0].strip()
            lines_by_name.setdefault(name, set())
        else:
            lines_by_name.setdefault(name, set()).add(parsed_line(line))
    return {name: frozenset(lines) for name, lines in lines_by_name.items()}


def parsed_line(line: str) -> render.Line:
    """A line with its transformations in a fixed order."""
    column, source, steps = render.parsed_line(line)
    return column, source, in_order(steps)


def in_order(steps: str) -> str:
    """Transformations in a fixed order."""
    return ", ".join(sorted(steps.split(", ")))


def of_events(events: Iterable[Mapping[str, Any]], root: str = "") -> Lineage:
    """The lineage of each dataset that events write; `root` is taken out of paths."""
    events = list(events)
    label = render.labels(events)
    lineage: Lineage = {}
    for event in events:
        for output in event.get("outputs", ()):
            name = without_root(label(output), root)
            lines = frozenset(
                (
                    " ".join(column.split()),
                    " ".join(without_root(source, root).split()),
                    in_order(steps),
                )
                for column, source, steps in render.lines(output, label)
            )
            lineage[name] = lineage.get(name, frozenset()) | lines
    return lineage


def without_root(name: str, root: str) -> str:
    """A name without the folder that changes from run to run, spaced as a line has it."""
    return " ".join((name.replace(root, "") if root else name).split())


def as_text(lineage: Lineage) -> str:
    """The text of a lineage, in a fixed order."""
    blocks = []
    for name, lines in sorted(lineage.items()):
        rows = sorted(lines, key=lambda line: (line[0] == "*", line))
        blocks.append(
            "\n".join([*([name] if name else []), *render.table(rows, "  " * bool(name))])
        )
    return "\n\n".join(blocks)


def fitted(expected: Lineage, actual: Lineage) -> Lineage:
    """The expected lineage, with the only dataset's name where it was left out."""
    if set(expected) == {FRAME} and len(actual) == 1:
        return {next(iter(actual)): expected[FRAME]}
    return expected


def difference(expected: Lineage, actual: Lineage) -> str:
    """The lines that are missing (`-`) and those that were not expected (`+`); empty if none."""
    blocks = []
    for name in sorted({*expected, *actual}):
        missing = expected.get(name, frozenset()) - actual.get(name, frozenset())
        added = actual.get(name, frozenset()) - expected.get(name, frozenset())
        if not missing and not added and (name in expected) == (name in actual):
            continue
        sign = "- " if name not in actual else "+ " if name not in expected else "  "
        marked = [(line, "-") for line in missing] + [(line, "+") for line in added]
        marked.sort(key=lambda pair: (pair[0][0] == "*", pair[0][0], pair[1] == "+", pair[0]))
        rows = render.table([line for line, _ in marked], "")
        edges = [f"{mark} {row}" for (_, mark), row in zip(marked, rows, strict=True)]
        blocks.append("\n".join([*([f"{sign}{name}"] if name else []), *edges]))
    return "\n".join(blocks)
