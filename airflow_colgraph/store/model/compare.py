"""What changed between two lineages of a dataset: the kinds, and the one rule for each. Pure.

A change of formatting or of aliases is none, as lineage holds analyzed expressions. They are
compared where both sides have one. A struct that only one side takes apart is compared by its
parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from airflow_colgraph.store.model import digests
from airflow_colgraph.store.model.data_types import comparable, is_same_type
from airflow_colgraph.store.model.digests import Digests
from airflow_colgraph.store.model.field_path import in_copy, is_part, nearest
from airflow_colgraph.store.model.latest_lineage import Dataset, Input
from airflow_colgraph.store.model.lineage_body import Field, Statement, Transformation, statements

# Each kind of change of a dataset, and the sentence that describes the rule in reports.
KINDS = {
    "column-added": "A column is new.",
    "column-removed": "A column is gone.",
    "column-renamed": "A column has a new name and the same lineage.",
    "type-changed": "A column's type is another.",
    "sources-changed": "A column's values come from other columns.",
    "transformation-changed": "A column comes from the same columns by another kind of step.",
    "expression-changed": "The same columns are used in another expression or condition.",
    "condition-changed": "Another condition affects a column's value.",
    "masking-removed": "A column shows values that were masked.",
    "masking-added": "A column's values are masked now.",
    "join-changed": "The rows are joined by other columns, or by another type of join.",
    "filter-changed": "The rows are filtered by other columns.",
    "grouping-changed": "The rows are grouped by other columns.",
    "ordering-changed": "The rows are sorted by other columns.",
    "rows-changed": "Other columns, statements, a DISTINCT, LIMIT, sample or set operation affect "
    "the rows.",
}
# What affects all rows of a dataset -> the kind of change.
ROW_KINDS = {
    "JOIN": "join-changed",
    "FILTER": "filter-changed",
    "GROUP_BY": "grouping-changed",
    "SORT": "ordering-changed",
}
Inputs = AbstractSet[Input]
NOTHING: frozenset[Input] = frozenset()


class Table(NamedTuple):
    """A dataset as it is written; `columns` is None if nothing is known of its columns."""

    columns: Mapping[str, frozenset[Input]] | None
    rows: frozenset[Input]
    types: Mapping[str, str]
    digests: Digests | None = None


class Difference(NamedTuple):
    """The inputs that differ, those that are gone and those that came."""

    kind: str
    gone: frozenset[Input]
    came: frozenset[Input]


class Change(NamedTuple):
    """A change of a column, or of all rows (an empty column), in words."""

    kind: str
    column: str
    before: str
    after: str


def input_of(field: Field, how: Transformation) -> Input:
    """An input as a body or an edge has it."""
    return Input(Dataset(field.namespace, field.name), field.field, *how)


def table_of(bodies: Iterable[Mapping[str, Any]]) -> Table:
    """What lineage bodies of a dataset state together; the last schema counts."""
    columns: dict[str, set[Input]] = {}
    rows: set[Input] = set()
    types: dict[str, str] = {}
    bodies = list(bodies)
    for body in bodies:
        columns.update({name: columns.get(name, set()) for name, _ in body["fields"] or ()})
        types = dict(body["schema"]) if body["schema"] else types
        for output, source, how in edges_of(body):
            (columns[output.field] if output.field else rows).add(input_of(source, how))
    stated = {name: frozenset(inputs) for name, inputs in columns.items()}
    return Table(stated, frozenset(rows), types, digests.of_bodies(bodies))


def edges_of(body: Mapping[str, Any]) -> Iterator[Statement]:
    """The edges of a body that are compared and counted: those of columns and of rows."""
    return (edge for edge in statements(body) if edge.transformation.type != "DATASET")


def table_changes(
    old: Table, new: Table, renamed: Mapping[str, str] | None = None
) -> Iterator[Change]:
    """What changed in a dataset; `renamed` are columns with their new names."""
    old = _with_new_names(old, new, renamed or {})
    changes = list(_stated_changes(old, new, renamed or {}))
    yield from changes
    yield from _digest_changes(old, new, renamed or {}, changes)


def _stated_changes(old: Table, new: Table, renamed: Mapping[str, str]) -> Iterator[Change]:
    old, new = with_parts(old, new), with_parts(new, old)
    was, now = old.columns or {}, new.columns or {}
    for column in added(new, old) - renamed.keys():
        inputs = was.get(column, NOTHING)
        yield Change("column-removed", column, sources(inputs) if direct(inputs) else "", "")
    for column in added(old, new) - set(renamed.values()):
        yield Change("column-added", column, "", sources(now.get(column, NOTHING)))
    for name, later in renamed.items():
        yield Change("column-renamed", later, name, later)
    yield from (Change("type-changed", *change) for change in type_changes(old.types, new.types))
    for column in was.keys() & (now.keys() | new.types.keys()):
        pair = was[column], now.get(column, NOTHING)
        for difference in column_differences(*pair):
            yield Change(difference.kind, column, *in_words(difference, *pair))
    for difference in row_differences(old.rows, new.rows):
        yield Change(difference.kind, "", *in_words(difference, old.rows, new.rows))


def _digest_changes(
    old: Table, new: Table, renamed: Mapping[str, str], changes: Iterable[Change]
) -> Iterator[Change]:
    """What is computed of the same columns in another way; what is in `changes` is known."""
    if old.digests is None or new.digests is None:
        return
    kinds = {(change.column, change.kind) for change in changes}
    reported = {column for column, kind in kinds if kind in _OF_EXPRESSIONS}
    was = {later: name for name, later in renamed.items()}
    former = {name: was.get(name, name) for name in new.columns or ()}
    columns = {name: before for name, before in former.items() if before in (old.columns or ())}
    for column in digests.other_expressions(old.digests, new.digests, columns, reported):
        yield Change("expression-changed", column, "", "computed in another way")
    for kind, before, after in digests.other_steps(old.digests, new.digests):
        if ("", kind) in kinds or (before == after and ("", "expression-changed") in kinds):
            continue
        if before == after:
            yield Change("expression-changed", "", "", f"{after}: in another way")
        else:
            yield Change(kind, "", before or "none", after or "none")


_OF_EXPRESSIONS = {
    *("sources-changed", "transformation-changed", "expression-changed", "condition-changed"),
    *("type-changed", "masking-removed", "masking-added"),
}


def added(old: Table, new: Table) -> AbstractSet[str]:
    """The columns that only the new table has, by lineage and, if both have one, by schema.

    None if no column was known before: then nobody knows which are new.
    """
    before = (old.columns or {}).keys() | old.types.keys()
    after = set(new.columns or ()) | (set(new.types) if old.types else set())
    return after - before if before else set()


def with_parts(table: Table, other: Table) -> Table:
    """The table with the parts of its structs that only the other one names.

    A copy of a struct has each part from the same part; all else makes each part of the same.
    """
    own, others = table.columns or {}, other.columns or {}
    split = {
        name: whole
        for name in others.keys() - own.keys()
        for whole in nearest(name, own)
        if is_part(name, whole) and not any(is_part(path, whole) for path in own)
    }
    if not split:
        return table
    columns = {name: _of_part(own[whole], whole, name) for name, whole in split.items()}
    gone = set(split.values()) - others.keys()
    kept = {name: inputs for name, inputs in own.items() if name not in gone}
    return table._replace(columns={**kept, **columns})


def _of_part(inputs: Inputs, whole: str, part: str) -> frozenset[Input]:
    return frozenset(
        source._replace(field=in_copy(part, whole, source.field))
        if source.identity and source.field
        else source
        for source in inputs
    )


def with_comparable_types(old: Table, new: Table) -> tuple[Table, Table]:
    """Both tables with the types of the same parts of structs, however their schemas name them."""
    was, now = comparable(old.types, new.types)
    return old._replace(types=was), new._replace(types=now)


def _with_new_names(table: Table, new: Table, renamed: Mapping[str, str]) -> Table:
    """The table with the parts of renamed structs under their new names, by its schema."""
    parts = {
        path: in_copy(path, was, now)
        for was, now in renamed.items()
        for path in table.types
        if is_part(path, was) and path not in (table.columns or {})
        if any(is_part(other, now) for other in new.types)
    }
    return table._replace(types={parts.get(path, path): kind for path, kind in table.types.items()})


def type_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """The columns whose type is known on both sides and another one: name, before, after."""
    for name in old.keys() & new.keys():
        if old[name] and new[name] and not is_same_type(old[name], new[name]):
            yield name, old[name], new[name]


def column_differences(old: Inputs, new: Inputs) -> Iterator[Difference]:
    """How the inputs of a column differ; the first of three kinds counts, masking beside it."""
    was, now = direct(old), direct(new)
    for kind, value in _STEPS:
        gone, came = _differing(was, now, value)
        if gone or came:
            yield Difference(kind, gone, came)
            break
    yield from _masking(was, now)
    yield from _conditions(old - was, new - now, "condition-changed", "condition-changed")


def row_differences(old: Inputs, new: Inputs) -> Iterator[Difference]:
    """How the inputs of all rows differ, by what they decide."""
    for subtype in sorted({source.subtype for source in old | new}):
        was, now = (
            frozenset(source for source in inputs if source.subtype == subtype)
            for inputs in (old, new)
        )
        kind = ROW_KINDS.get(subtype, "rows-changed")
        yield from _conditions(was, now, kind, "expression-changed")


Value = Callable[[Input], tuple[Any, ...]]


def place(source: Input) -> tuple[Dataset, str]:
    """Which field it is."""
    return source.dataset, source.field


def _step(source: Input) -> tuple[Any, ...]:
    return *place(source), source.subtype


def _expression(source: Input) -> tuple[Any, ...]:
    return *place(source), source.description


_STEPS: tuple[tuple[str, Value], ...] = (
    ("sources-changed", place),
    ("transformation-changed", _step),
    ("expression-changed", _expression),
)


def _differing(was: Inputs, now: Inputs, value: Value) -> tuple[frozenset[Input], frozenset[Input]]:
    """The inputs whose value the other side has not."""
    if value is _expression and not (descriptions(was) and descriptions(now)):
        return NOTHING, NOTHING
    old, new = set(map(value, was)), set(map(value, now))
    return (
        frozenset(source for source in was if value(source) not in new),
        frozenset(source for source in now if value(source) not in old),
    )


def _masking(was: Inputs, now: Inputs) -> Iterator[Difference]:
    """Fields that both sides have, and only one side unmasked.

    A column that showed nothing unmasked has lost its mask with any other field, too.
    """
    shown = [{place(source) for source in inputs if not source.masking} for inputs in (was, now)]
    if was and not shown[0] and shown[1]:
        yield Difference("masking-removed", frozenset(was), _at(now, shown[1]))
        return
    for kind, first, fields in (
        ("masking-removed", was, shown[1] - shown[0]),
        ("masking-added", now, shown[0] - shown[1]),
    ):
        both = fields & set(map(place, first))
        if both:
            yield Difference(kind, _at(was, both), _at(now, both))


def _at(inputs: Inputs, places: AbstractSet[tuple[Dataset, str]]) -> frozenset[Input]:
    return frozenset(source for source in inputs if place(source) in places)


def _conditions(was: Inputs, now: Inputs, by_columns: str, by_text: str) -> Iterator[Difference]:
    for kind, value in ((by_columns, _step), (by_text, _expression)):
        gone, came = _differing(was, now, value)
        if gone or came:
            yield Difference(kind, gone, came)
            return


class Delta(NamedTuple):
    """What lineage bodies of a dataset state more and less than others, and what that means."""

    added: list[Statement]
    removed: list[Statement]
    fields_added: list[list[str]]  # name, type
    fields_removed: list[list[str]]
    types_changed: list[list[str]]  # name, before, after
    changes: list[Change]
    counts: dict[str, int]  # of columns, types and links: a link is a pair of ends


def delta(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> Delta:
    """What differs between the bodies that are in force at two times, the latest last."""
    bodies = list(before), list(after)
    edges = [{edge for body in some for edge in edges_of(body)} for some in bodies]
    old, new = with_comparable_types(*map(table_of, bodies))
    columns = sorted(added(old, new)), sorted(added(new, old))
    types = sorted(map(list, type_changes(old.types, new.types)))
    return Delta(
        sorted(edges[1] - edges[0]),
        sorted(edges[0] - edges[1]),
        [[name, new.types.get(name, "")] for name in columns[0]],
        [[name, old.types.get(name, "")] for name in columns[1]],
        types,
        sorted(table_changes(old, new), key=lambda change: (change.column, change.kind)),
        {
            "columns_added": len(columns[0]),
            "columns_removed": len(columns[1]),
            "types": len(types),
            **_link_counts(*edges),
        },
    )


def _link_counts(old: set[Statement], new: set[Statement]) -> dict[str, int]:
    """How many pairs of ends are linked only after, only before, or in another way than before."""
    was, now, differing = (
        {(edge.output, edge.input) for edge in some} for some in (old, new, old ^ new)
    )
    return {
        "edges_added": len(now - was),
        "edges_removed": len(was - now),
        "edges_changed": len(differing & was & now),
    }


# Words -------------------------------------------------------------------------------------------


def between(before: str, after: str) -> str:
    """What it was and is, in one text."""
    if before and after:
        return f"{before} -> {after}"
    return f"came from {before}" if before else after


def in_words(difference: Difference, was: Inputs, now: Inputs) -> tuple[str, str]:
    """The difference for a person: what it was before, and what it is after."""
    kind, gone, came = difference
    if kind == "sources-changed":
        return sources(was), sources(now)
    if kind == "transformation-changed":
        return _steps(direct(was)), _steps(direct(now))
    if kind == "expression-changed" and direct(gone | came):
        return descriptions(direct(was)), descriptions(direct(now))
    if kind in ("masking-removed", "masking-added"):
        how = "without" if kind == "masking-removed" else "with"
        return "", f"{names(map(place, came))} {how} masking"
    fields = set(map(place, gone)), set(map(place, came))
    if fields[0] == fields[1]:
        return descriptions(gone) or _steps(gone), descriptions(came) or _steps(came)
    parts = (
        (f"also by {names(fields[1] - fields[0])}", fields[1] - fields[0]),
        (f"no longer by {names(fields[0] - fields[1])}", fields[0] - fields[1]),
    )
    return "", "; ".join(text for text, some in parts if some)


def direct(inputs: Inputs) -> frozenset[Input]:
    """Those whose values go into the output."""
    return frozenset(source for source in inputs if source.type != "INDIRECT")


def sources(inputs: Inputs) -> str:
    """The columns that a column's values come from; `no column` for none."""
    return names(map(place, direct(inputs))) or "no column"


def names(fields: Iterable[tuple[Dataset, str]]) -> str:
    """The fields by name."""
    return ", ".join(f"{dataset.name}.{field}" for dataset, field in sorted(set(fields)))


def descriptions(inputs: Inputs) -> str:
    """The expressions, each once."""
    return ", ".join(sorted({source.description for source in inputs if source.description}))


def _steps(inputs: Inputs) -> str:
    return ", ".join(sorted({f"{source.field} {source.subtype}".rstrip() for source in inputs}))
