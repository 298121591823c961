"""What a job's events say that its lineage lacks: the run facet `colgraph_diagnostics`. Pure.

Each distinct report of a job is stored once, with the times between which it was made. The reports
of one run (an application has one for each query that lacks something) are one answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from airflow_colgraph.store.model.lineage_body import LineageBody, make

# Parts of the facet that mean that not all columns read are known.
INCOMPLETE = ("unresolved", "truncated")
MOST_NAMED = 100  # writers without lineage that a report names


class ClassCount(NamedTuple):
    """A class (or another thing that was not understood), and how often it was met."""

    name: str
    times: int


class DriverRows(NamedTuple):
    """A dataset with rows that the driver made, and the datasets that it had read until then."""

    namespace: str
    name: str
    datasets: tuple[tuple[str, str], ...]


class Gaps(NamedTuple):
    """What the lineage of a run lacks; the numbers of writes are 0 if each has lineage."""

    unresolved: tuple[ClassCount, ...] = ()
    opaque: tuple[ClassCount, ...] = ()
    truncated: tuple[str, ...] = ()
    writes: int = 0
    without_lineage: int = 0
    writers: tuple[str, ...] = ()
    driver_rows: tuple[DriverRows, ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether lineage is missing; links that are too many do not count."""
        return any(self._replace(opaque=()))


def gaps_of(facet: Mapping[str, Any]) -> Gaps:
    """What the facet `colgraph_diagnostics` says; parts of another form are left out."""
    counts = facet.get("completeness")
    counts = counts if isinstance(counts, dict) else {}
    without = _number(counts.get("writesWithoutLineage"))
    writers = [_words(entry.get("by")) for entry in _objects(counts.get("unaccounted"))]
    rows = [_driver_rows(entry) for entry in _objects(facet.get("throughDriver"))]
    return Gaps(
        unresolved=_counts(facet.get("unresolved")),
        opaque=_counts(facet.get("opaque")),
        truncated=_reasons(facet.get("truncated")),
        writes=_number(counts.get("writes")) if without else 0,
        without_lineage=without,
        writers=tuple(dict.fromkeys(writers[:MOST_NAMED])) if without else (),
        driver_rows=tuple(sorted(rows)),
    )


def is_incomplete(facet: Any) -> bool:
    """Whether the facet `colgraph_diagnostics` says that not all columns read are known."""
    return isinstance(facet, dict) and any(facet.get(part) for part in INCOMPLETE)


def body(
    job: tuple[str, str],
    outputs: Iterable[tuple[str, str]],
    gaps: Gaps,
    reads: Iterable[tuple[str, str]] = (),
) -> LineageBody:
    """A report in canonical form, under the checksum of the job, its datasets and itself.

    `outputs` are the event's; `reads` its inputs, if not all columns that it read are known.
    """
    datasets = {"outputs": sorted(set(outputs)), "reads": sorted(set(reads))}
    return make({"gaps": list(job), **datasets, "lacks": _lists(gaps)})


def of_body(body: Mapping[str, Any]) -> Gaps:
    """The gaps in an unpacked body."""
    lacks = body["lacks"]
    return Gaps(
        unresolved=tuple(ClassCount(*entry) for entry in lacks["unresolved"]),
        opaque=tuple(ClassCount(*entry) for entry in lacks["opaque"]),
        truncated=tuple(lacks["truncated"]),
        writes=lacks["writes"],
        without_lineage=lacks["without_lineage"],
        writers=tuple(lacks["writers"]),
        driver_rows=tuple(
            DriverRows(namespace, name, tuple((entry[0], entry[1]) for entry in read))
            for namespace, name, read in lacks["driver_rows"]
        ),
    )


def together(some: Iterable[Gaps]) -> Gaps:
    """The gaps of several reports of a run: numbers add up, the rest is listed once.

    >>> one = Gaps(opaque=(ClassCount("PythonUDF", 1),), writes=3, without_lineage=1)
    >>> together([one, one]).opaque
    (ClassCount(name='PythonUDF', times=2),)
    """
    every = list(some)
    return Gaps(
        unresolved=_sums(gaps.unresolved for gaps in every),
        opaque=_sums(gaps.opaque for gaps in every),
        truncated=_once(gaps.truncated for gaps in every),
        writes=sum(gaps.writes for gaps in every),
        without_lineage=sum(gaps.without_lineage for gaps in every),
        writers=_once(gaps.writers for gaps in every),
        driver_rows=_once(gaps.driver_rows for gaps in every),
    )


def _lists(gaps: Gaps) -> dict[str, Any]:
    rows = [
        [rows_of.namespace, rows_of.name, list(map(list, rows_of.datasets))]
        for rows_of in gaps.driver_rows
    ]
    unresolved, opaque = (list(map(list, counts)) for counts in (gaps.unresolved, gaps.opaque))
    return {**gaps._asdict(), "unresolved": unresolved, "opaque": opaque, "driver_rows": rows}


def _sums(parts: Iterable[tuple[ClassCount, ...]]) -> tuple[ClassCount, ...]:
    counts: dict[str, int] = {}
    for name, times in (counted for part in parts for counted in part):
        counts[name] = counts.get(name, 0) + times
    return tuple(ClassCount(*counted) for counted in sorted(counts.items()))


def _once(parts: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(entry for part in parts for entry in part))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _driver_rows(entry: Mapping[str, Any]) -> DriverRows:
    return DriverRows(*_names(entry), tuple(map(_names, _objects(entry.get("datasets")))))


def _counts(value: Any) -> tuple[ClassCount, ...]:
    return _sums([tuple(_count(entry) for entry in _objects(value) if entry.get("class"))])


def _count(entry: Mapping[str, Any]) -> ClassCount:
    return ClassCount(_words(entry["class"]), _number(entry.get("count")))


def _reasons(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for reason in _words(value).split("; ") if reason))


def _names(entry: Mapping[str, Any]) -> tuple[str, str]:
    return _words(entry.get("namespace")), _words(entry.get("name"))


def _words(value: Any) -> str:
    return " ".join(str(value or "").replace("\0", "\ufffd").split())


def _number(value: Any) -> int:
    return value if type(value) is int and 0 < value < 2**53 else 0
