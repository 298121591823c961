"""Queries as Spark reported them, kept as JSON, so that most tests need no JVM.

`python -m tests.collector.record` writes them for the Spark that is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from airflow_colgraph.collector import load_rules as load_rules
from airflow_colgraph.collector.model import (
    Dataset,
    NamedDataset,
    Place,
    PlanNotes,
    Query,
    Rdd,
    Read,
    Symlink,
    Write,
)

PLANS = Path(__file__).parent / "plans"
RDD_FIELDS = ((), None, (), False)  # the last fields of a `Read`, which older lines lack
NOISE = {"jvmId", "metadata", "nullable", "qualifier", "nonInheritableMetadataKeys"}
NOISE |= {"sameOrderExpressions", "createTime", "owner", "schema", "storage"}


def without_noise(found: Any) -> Any:
    """A plan without what no rule looks at."""
    if isinstance(found, dict):
        return {key: without_noise(value) for key, value in found.items() if key not in NOISE}
    if isinstance(found, list):
        return [without_noise(item) for item in found]
    return found


def as_json(query: Query, root: str) -> Any:
    """A query as JSON, with the run's own folder taken out of all paths."""
    plain = {
        **query._asdict(),
        "plan": without_noise(query.plan),
        "reads": [[list(ids), read] for ids, read in query.reads.items()],
        "expansions": [[list(ids), without_noise(e)] for ids, e in query.expansions.items()],
    }
    plain["rdds"] = [[list(ids), read] for ids, read in query.rdds.items()]
    plain["notes"] = notes_as_json(query.notes)
    del plain["number"], plain["session"], plain["has_local_rows"], plain["ran"]
    for name in ("names", "rdds", "parent", "rdd", "notes"):
        if not plain[name]:
            del plain[name]
    return json.loads(json.dumps(plain).replace(root, ""))


def notes_as_json(notes: PlanNotes) -> dict[str, Any]:
    """The notes that a plan has, sets in a fixed order."""
    found: dict[str, Any] = {
        name: sorted(value) if isinstance(value, frozenset) else list(value)
        for name, value in notes._asdict().items()
    }
    return {name: value for name, value in found.items() if value}


def _notes(found: Any) -> PlanNotes:
    casts = found.get("user_casts", ())
    return PlanNotes(
        frozenset(tuple(ids) for ids in found.get("constant_rdds", ())),
        frozenset(found.get("metadata_columns", ())),
        frozenset(found.get("fitted_columns", ())),
        frozenset(Place(field, item, tuple(way)) for field, item, way in casts),
        tuple(found.get("variable_names", ())),
        tuple(found.get("arguments", ())),
    )


def _named(found: Any) -> NamedDataset:
    dataset, symlinks, *_ = found
    return NamedDataset(Dataset(*dataset), tuple(Symlink(*link) for link in symlinks))


def _columns(found: Any) -> Any:
    return None if found is None else tuple((name, kind) for name, kind in found)


def _read(found: Any) -> Read:
    datasets, columns, properties, form, *rest = found
    named = tuple(_named(item) for item in datasets)
    behind, rdd, unknown, is_mixed = (*rest, *RDD_FIELDS[len(rest) :])
    read = Read(named, _columns(columns), properties, form, tuple(map(_read, behind)))
    return read._replace(
        rdd=Rdd(*rdd) if rdd else None, unknown=tuple(unknown), is_mixed=bool(is_mixed)
    )


def from_json(found: Any) -> Query:
    """A query that `as_json` wrote."""
    reads = {tuple(ids): _read(read) for ids, read in found["reads"]}
    rdds = {tuple(ids): _read(read) for ids, read in found.get("rdds", ())}
    write = found["write"]
    if write is not None:
        named, columns, *rest = write[:9]
        write = Write(_named(named), _columns(columns), *rest)
    expansions = {tuple(ids): projections for ids, projections in found["expansions"]}
    return Query(
        found["function"],
        found["root"],
        found["plan"],
        reads,
        expansions,
        write,
        names=tuple(found.get("names", ())),
        rdds=rdds,
        parent=found.get("parent"),
        rdd=found.get("rdd"),
        notes=_notes(found.get("notes", {})),
    )


def load(file: Path) -> dict[str, list[Query]]:
    """The queries of each case."""
    cases = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        cases[case["case"]] = [from_json(query) for query in case["queries"]]
    return cases
