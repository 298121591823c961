"""Compare two lineages, dataset by dataset; `store.model.compare` has the rules. Pure.

Datasets are compared by name. What each job wrote last counts; where several jobs write a dataset,
those jobs of the store are compared that the new lineage names, or all of them if it names none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from airflow_colgraph.check.change import Change
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.store.model import digests
from airflow_colgraph.store.model.compare import Table, table_changes, with_comparable_types
from airflow_colgraph.store.model.data_types import is_same_type
from airflow_colgraph.store.model.field_path import columns_of
from airflow_colgraph.store.model.latest_lineage import Dataset, Input, JobOutput

Renamed = Mapping[tuple[Dataset, str], str]  # a dataset's column before -> its name after


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
        name: with_comparable_types(
            _table(before, name, same_jobs(before, after, name)), _table(after, name, outputs)
        )
        for name, outputs in new.items()
        if name in old
    }
    renamed: Renamed = {}
    while True:  # a rename may explain another one, in a dataset that reads this one
        renames = {
            (name, was): now
            for name, (earlier, later) in tables.items()
            for was, now in _renames(_with_names(earlier, renamed), later).items()
        }
        if renames == renamed:
            break
        renamed = renames
    changes = [*_given_up(before, after, jobs), *_added_writers(old, new, jobs)]
    for name in new.keys() - old.keys():
        changes.append(
            Change("dataset-added", name, after=_columns(_table(after, name, new[name])))
        )
    for name, (earlier, later) in tables.items():
        names = {was: now for (dataset, was), now in renamed.items() if dataset == name}
        changes += _changes(name, _with_names(earlier, renamed), later, names)
    return sorted(set(changes), key=lambda change: (change.dataset, change.column, change.kind))


def without_namesakes(before: Lineage, jobs: Collection[tuple[str, ...]]) -> Lineage:
    """The lineage without jobs of other namespaces, where it has the one that is meant.

    `jobs` are the namespaces and names of the changed jobs, which CI may run in another namespace.
    """
    there = {output.job[:2] for output in before.outputs if output.job} & set(jobs)
    names = {name for _, name in there}
    kept = (
        output
        for output in before.outputs
        if output.job is None or output.job.name not in names or output.job[:2] in there
    )
    return replace(before, outputs=tuple(kept))


Outputs = Mapping[Dataset, list[JobOutput]]


def _outputs(lineage: Lineage) -> Outputs:
    return dict(lineage.by_dataset())


def same_jobs(before: Lineage, after: Lineage, name: Dataset) -> list[JobOutput]:
    """The outputs of a dataset before by the jobs that write it after; of all, if none did."""
    old, new = (
        [output for output in lineage.outputs if output.dataset == name]
        for lineage in (before, after)
    )
    jobs = {output.job.name for output in new if output.job}
    return [output for output in old if output.job and output.job.name in jobs] or old


def _given_up(before: Lineage, after: Lineage, jobs: Collection[str] | None) -> Iterator[Change]:
    """The datasets that changed jobs wrote before, and that none of them writes now."""
    if jobs is None:
        jobs = {output.job.name for output in after.outputs if output.job}
    written = {output.dataset for output in after.outputs}
    last: dict[str, tuple[int, str]] = {}  # when each job wrote anything, in which run
    for output in before.outputs:
        job = output.job.name if output.job else ""
        last[job] = max((output.at, output.run), last.get(job, (output.at, output.run)))
    for name, outputs in before.by_dataset():
        runs = {(output.job.name if output.job else ""): output.run for output in outputs}
        left = sorted(job for job in runs.keys() & set(jobs) if runs[job] == last[job][1])
        others = sorted(runs.keys() - set(jobs))
        if name in written or not (left if others else runs):
            continue
        text = f"by {', '.join(left)}; still by {', '.join(others)}"
        yield Change("dataset-removed", name, after=text if others else "")


def _added_writers(old: Outputs, new: Outputs, jobs: Collection[str] | None) -> Iterator[Change]:
    """The datasets that a job writes which did not before, unless it does so for a changed job.

    Where no job writes it that did before, the job may be one of those under another name. That is
    only said if it adds rows: CI often calls jobs otherwise.
    """
    for name in old.keys() & new.keys():
        was, now = (
            {output.job.name if output.job else "" for output in outputs[name]}
            for outputs in (old, new)
        )
        added = ", ".join(sorted(now - was))
        if added and was & now:
            yield Change("rows-changed", name, after=f"also written by {added}")
        elif added and not was <= set(jobs or ()) and not any(each.replaces for each in new[name]):
            yield Change("writer-added", name, after=f"{added}, beside {', '.join(sorted(was))}")


def _table(lineage: Lineage, name: Dataset, outputs: Collection[JobOutput]) -> Table:
    columns: dict[str, set[Input]] | None = None
    rows: set[Input] = set()
    for output in outputs:
        rows.update(output.rows)
        if output.fields is not None:
            columns = {} if columns is None else columns
            for column, inputs in output.fields.items():
                columns.setdefault(column, set()).update(inputs)
    types = {path: kind for path, kind, _ in columns_of(lineage.schemas.get(name))}
    whole = None if columns is None else {key: frozenset(inputs) for key, inputs in columns.items()}
    return Table(whole, frozenset(rows), types, digests.together(o.digests for o in outputs))


def _with_names(table: Table, renamed: Renamed) -> Table:
    """The table as it would be if its sources' columns had their new names already."""
    if not renamed or table.columns is None:
        return table

    columns = {
        column: frozenset(_with_name(source, renamed) for source in inputs)
        for column, inputs in table.columns.items()
    }
    rows = frozenset(_with_name(source, renamed) for source in table.rows)
    own = table.digests
    if own is not None:  # of texts with the names before
        unlike = {name for name, inputs in columns.items() if inputs != table.columns[name]}
        own = own._replace(unknown=frozenset(unlike | ({""} if rows != table.rows else set())))
    return Table(columns, rows, table.types, own)


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
        if inputs == others and is_same_type(old.types.get(was, ""), new.types.get(now, ""))
    ]
    times = Counter(was for was, _ in pairs), Counter(now for _, now in pairs)
    return {was: now for was, now in pairs if times[0][was] == times[1][now] == 1}


def _changes(name: Dataset, old: Table, new: Table, names: Mapping[str, str]) -> Iterator[Change]:
    for table, text in ((new, "its columns"), (old, "its columns before the change")):
        if not table.columns:
            what = f"{text} have no lineage; for a SQL script, name them in --schemas"
            yield Change("lineage-unknown", name, after=what)
            return
    if (old.digests is None) != (new.digests is None):
        side = "before" if old.digests is None else "after"
        yield Change("expressions-unknown", name, after=f"there are no digests of those {side}")
    earlier = {now: was for was, now in names.items()}
    for kind, column, before, after in table_changes(old, new, names):
        was = "" if kind == "column-added" else earlier.get(column, column)
        yield Change(kind, name, column, before, after, was)


def _columns(table: Table) -> str:
    return f"{len(table.columns)} columns" if table.columns is not None else "columns unknown"
