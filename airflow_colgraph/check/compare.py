"""Compare two lineages, column by column. Pure.

Datasets are compared by name. What each job wrote last counts; where several jobs write a dataset,
those jobs of the store are compared that the new lineage names, or all of them if it names none.
A change of formatting or of aliases is none: both lineages hold Spark's analyzed expressions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from airflow_colgraph.check.change import Change
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

Inputs = frozenset[Input]
Renamed = Mapping[tuple[Dataset, str], str]  # a dataset's column before -> its name after

# What decides on all rows of a dataset -> the kind of change.
ROW_KINDS = {
    "JOIN": "join-changed",
    "FILTER": "filter-changed",
    "GROUP_BY": "grouping-changed",
    "SORT": "ordering-changed",
}


class Table(NamedTuple):
    """A dataset as its jobs write it; `columns` is None if nothing is known of its columns."""

    columns: Mapping[str, Inputs] | None
    rows: Inputs
    types: Mapping[str, str]


def compare(before: Lineage, after: Lineage, jobs: Collection[str] | None = None) -> list[Change]:
    """Return what changed from one lineage to another, for the datasets that `after` writes.

    Args:
        before: The lineage that is in force, e.g. `store_reader.lineage` of the team's store.
        after: The changed jobs' lineage.
        jobs: The names of the changed jobs, those without outputs too. Default: those of `after`.

    Returns:
        The changes by dataset and column, without severities and dependents. A column's sources
        that were only renamed by `after` itself are no change.
    """
    old, new = _outputs(before), _outputs(after)
    tables = {
        name: (_table(before, name, _same_jobs(old[name], new[name])), _table(after, name, outputs))
        for name, outputs in new.items()
        if name in old
    }
    renamed: Renamed = {}
    while True:  # a rename may explain another one, in a dataset made of this one
        renames = {
            (name, was): now
            for name, (earlier, later) in tables.items()
            for was, now in _renames(_with_names(earlier, renamed), later).items()
        }
        if renames == renamed:
            break
        renamed = renames
    changes = [Change("dataset-removed", name) for name in _given_up(before, after, jobs)]
    for name in new.keys() - old.keys():
        changes.append(
            Change("dataset-added", name, after=_columns(_table(after, name, new[name])))
        )
    for name, (earlier, later) in tables.items():
        names = {was: now for (dataset, was), now in renamed.items() if dataset == name}
        changes += _changes(name, _with_names(earlier, renamed), later, names)
    return sorted(set(changes), key=lambda change: (change.dataset, change.column, change.kind))


def _outputs(lineage: Lineage) -> dict[Dataset, list[JobOutput]]:
    return dict(lineage.by_dataset())


def _same_jobs(old: list[JobOutput], new: list[JobOutput]) -> list[JobOutput]:
    jobs = {output.job.name for output in new if output.job}
    return [output for output in old if output.job and output.job.name in jobs] or old


def _given_up(before: Lineage, after: Lineage, jobs: Collection[str] | None) -> list[Dataset]:
    """The datasets that only changed jobs wrote before, and that none of them writes now."""
    if jobs is None:
        jobs = {output.job.name for output in after.outputs if output.job}
    written = {output.dataset for output in after.outputs}
    return [
        name
        for name, outputs in before.by_dataset()
        if name not in written and all(output.job and output.job.name in jobs for output in outputs)
    ]


def _table(lineage: Lineage, name: Dataset, outputs: Iterable[JobOutput]) -> Table:
    columns: dict[str, set[Input]] | None = None
    rows: set[Input] = set()
    for output in outputs:
        rows.update(output.rows)
        if output.fields is not None:
            columns = {} if columns is None else columns
            for column, inputs in output.fields.items():
                columns.setdefault(column, set()).update(inputs)
    types = {field["name"]: field.get("type") or "" for field in lineage.schemas.get(name, ())}
    whole = None if columns is None else {key: frozenset(inputs) for key, inputs in columns.items()}
    return Table(whole, frozenset(rows), types)


def _with_names(table: Table, renamed: Renamed) -> Table:
    """The table as it would be if its sources' columns had their new names already."""
    if not renamed or table.columns is None:
        return table

    columns = {
        column: frozenset(_with_name(source, renamed) for source in inputs)
        for column, inputs in table.columns.items()
    }
    rows = frozenset(_with_name(source, renamed) for source in table.rows)
    return Table(columns, rows, table.types)


def _with_name(source: Input, renamed: Renamed) -> Input:
    now = renamed.get((source.dataset, source.field))
    if now is None:
        return source
    text = re.sub(rf"\b{re.escape(source.field)}\b", lambda _: now, source.description)
    return source._replace(field=now, description=text)


def _renames(old: Table, new: Table) -> dict[str, str]:
    """Columns that are gone -> new ones of the same lineage and type, where only one fits."""
    if old.columns is None or new.columns is None:
        return {}
    gone = {c: i for c, i in old.columns.items() if c not in new.columns and i}
    came = {c: i for c, i in new.columns.items() if c not in old.columns and i}
    pairs = [
        (was, now)
        for was, inputs in gone.items()
        for now, others in came.items()
        if inputs == others and old.types.get(was, "") == new.types.get(now, "")
    ]
    times = Counter(was for was, _ in pairs), Counter(now for _, now in pairs)
    return {was: now for was, now in pairs if times[0][was] == times[1][now] == 1}


def _changes(name: Dataset, old: Table, new: Table, names: Mapping[str, str]) -> Iterator[Change]:
    if new.columns is None or old.columns is None:
        if new.columns is None:
            yield Change("lineage-unknown", name, after="its columns have no lineage")
        return
    for column in old.columns.keys() - new.columns.keys() - names.keys():
        before = sources(old.columns[column]) if _direct(old.columns[column]) else ""
        yield Change("column-removed", name, column, before, was=column)
    for column in new.columns.keys() - old.columns.keys() - set(names.values()):
        yield Change("column-added", name, column, after=sources(new.columns[column]))
    for was, now in names.items():
        yield Change("column-renamed", name, now, was, now, was)
    for column in old.columns.keys() & new.columns.keys():
        earlier, later = old.columns[column], new.columns[column]
        types = old.types.get(column, ""), new.types.get(column, "")
        if all(types) and types[0] != types[1]:
            yield Change("type-changed", name, column, *types, column)
        for kind, before, after in _column_changes(earlier, later):
            yield Change(kind, name, column, before, after, column)
    for kind, before, after in _row_changes(old.rows, new.rows):
        yield Change(kind, name, "", before, after)


def _column_changes(old: Inputs, new: Inputs) -> Iterator[tuple[str, str, str]]:
    was, now = _direct(old), _direct(new)
    if _fields(was) != _fields(now):
        yield "sources-changed", sources(was), sources(now)
    elif _kinds(was) != _kinds(now):
        yield "transformation-changed", _steps(was), _steps(now)
    elif (texts := (_descriptions(was), _descriptions(now)))[0] != texts[1] and all(texts):
        yield "expression-changed", *texts
    unmasked = _fields(source for source in now if not source.masking)
    seen_before = _fields(source for source in was if not source.masking)
    if revealed := _fields(source for source in was if source.masking) & (unmasked - seen_before):
        yield "masking-removed", "", f"{_names(revealed)} without masking"
    if hidden := (seen_before - unmasked) & _fields(now):
        yield "masking-added", "", f"{_names(hidden)} with masking"
    deciding = _fields(old - was), _fields(new - now)
    if deciding[0] != deciding[1]:
        yield "condition-changed", "", _delta(*deciding)


def _row_changes(old: Inputs, new: Inputs) -> Iterator[tuple[str, str, str]]:
    for subtype in sorted({source.subtype for source in old | new}):
        was = _fields(source for source in old if source.subtype == subtype)
        now = _fields(source for source in new if source.subtype == subtype)
        if was != now:
            yield ROW_KINDS.get(subtype, "rows-changed"), "", _delta(was, now)


def _direct(inputs: Inputs) -> Inputs:
    return frozenset(source for source in inputs if source.direct)


def _fields(inputs: Iterable[Input]) -> set[tuple[Dataset, str]]:
    return {(source.dataset, source.field) for source in inputs}


def _kinds(inputs: Inputs) -> set[tuple[Dataset, str, str]]:
    return {(source.dataset, source.field, source.subtype) for source in inputs}


def _steps(inputs: Inputs) -> str:
    return ", ".join(sorted({f"{source.field} {source.subtype}".rstrip() for source in inputs}))


def _descriptions(inputs: Inputs) -> str:
    return ", ".join(sorted({source.description for source in inputs if source.description}))


def _names(fields: Iterable[tuple[Dataset, str]]) -> str:
    fields = sorted(fields)
    return ", ".join(f"{dataset.name}.{field}" for dataset, field in fields) or "none"


def _delta(was: set[tuple[Dataset, str]], now: set[tuple[Dataset, str]]) -> str:
    parts = (
        (f"also by {_names(now - was)}", now - was),
        (f"no longer by {_names(was - now)}", was - now),
    )
    return "; ".join(text for text, columns in parts if columns)


def sources(inputs: Inputs) -> str:
    """The columns that a column's values come from; `no column` for none."""
    direct = _fields(source for source in inputs if source.direct)
    return _names(direct) if direct else "no column"


def _columns(table: Table) -> str:
    return f"{len(table.columns)} columns" if table.columns is not None else "columns unknown"
