"""What a lineage claims, and whether results bear it out. Pure: no Spark, no tables.

An output column may only depend on the fields that are claimed for it or for all rows. So when
all others change, the column has to stay as it is. Columns that are claimed no more than it must
stay as they are together, row by row: a lost edge shows even where it only moves values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Path = tuple[str, ...]
Source = tuple[str, Path]  # a table and a field of it
Json = Mapping[str, Any]


class Claims(NamedTuple):
    """The reported inputs of each output column, and the fields that affect rows."""

    columns: dict[Path, frozenset[Source]]
    rows: frozenset[Source]

    def of(self, column: Path) -> frozenset[Source]:
        """All fields that may change a column."""
        return self.columns[column] | self.rows

    def groups(self) -> Iterator[tuple[frozenset[Source], list[Path]]]:
        """Each different set of fields, with the columns that nothing else may change."""
        for kept in dict.fromkeys(map(self.of, self.columns)):
            yield kept, [column for column in self.columns if self.of(column) <= kept]


def claims_of(facet: Json, tables: Mapping[str, str]) -> Claims:
    """The claims of a columnLineage facet; `tables` are the tables' names by their datasets'."""

    def sources(items: Iterable[Json]) -> frozenset[Source]:
        return frozenset((tables[item["name"]], tuple(item["field"].split("."))) for item in items)

    columns = {
        tuple(name.split(".")): sources(entry["inputFields"])
        for name, entry in facet["fields"].items()
    }
    return Claims(columns, sources(facet["dataset"]))


def direct(facet: Json, tables: Mapping[str, str]) -> Iterator[tuple[Path, Source]]:
    """The edges of a facet by which a value comes from a field."""
    return ((column, source) for column, source, _ in edges_of(facet, tables))


def edges_of(facet: Json, tables: Mapping[str, str]) -> Iterator[tuple[Path, Source, set[str]]]:
    """The same with the edge's DIRECT subtypes."""
    for name, entry in facet["fields"].items():
        for item in entry["inputFields"]:
            steps = {s["subtype"] for s in item["transformations"] if s["type"] == "DIRECT"}
            if steps:
                source = (tables[item["name"]], tuple(item["field"].split(".")))
                yield tuple(name.split(".")), source, steps


def plain(value: Any) -> Any:
    """A value that can be compared and counted; sums may differ in the last digits."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, dict):
        return tuple(sorted((str(name), plain(item)) for name, item in value.items()))
    if hasattr(value, "asDict"):
        return tuple(
            (name, plain(item)) for name, item in zip(value.__fields__, value, strict=True)
        )
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    return repr(value)


def part(value: Any, path: Path) -> Any:
    """The member of a value, of its elements where it is an array or a map.

    Of elements each different one once: how many there are is no lineage of a member.
    """
    if not path or value is None:
        return value
    if hasattr(value, "asDict"):
        found = [
            item for name, item in zip(value.__fields__, value, strict=True) if name == path[0]
        ]
        return [part(item, path[1:]) for item in found]  # a name may be there twice
    items = value.values() if isinstance(value, dict) else value
    found = {repr(plain(item)): item for item in (part(item, path) for item in items)}
    return [item for item in found.values() if item is not None]


def seen(rows: Iterable[Any], columns: list[Path]) -> Counter[Any]:
    """How often each combination of the columns' values is there; columns are `0`, `1`, .."""
    return Counter(
        tuple(plain(part(row[int(column[0])], column[1:])) for column in columns) for row in rows
    )


def moved(one: list[Any], other: list[Any], columns: list[Path]) -> list[list[Path]]:
    """The columns that differ between two results, each alone, or all where only together."""
    if seen(one, columns) == seen(other, columns):
        return []
    alone = [[column] for column in columns if seen(one, [column]) != seen(other, [column])]
    return alone or [columns]
