"""Judges whether a value that is tagged shows in an output only where the tag is, too."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.tag_spread import tags_at
from tests.spark.perturb.carried import DRAWS, SHARES, related, seen
from tests.spark.perturb.data import leaves
from tests.spark.perturb.judge import Judge
from tests.spark.perturb.oracle import Claims, Path, Source, claims_of
from tests.spark.perturb.programs import Program
from tests.spark.perturb.tokens import marked
from tests.store.samples import memory_store

OUT = Field("file", "/out", "")
Found = frozenset[tuple[Path, Source]]  # an output column and a field


class Tagged(NamedTuple):
    """What came out of one program, all of whose inputs' fields have a tag each.

    `shown` are the columns that show a field's values in every drawing of them, `tags` those with
    the field's tag, `unseen` the tags without a value in any drawing.
    """

    shown: Found = frozenset()
    tags: Found = frozenset()
    unseen: Found = frozenset()
    why_not: str = ""

    @property
    def missed(self) -> Found:
        """What shows without its tag, or that of a field related to it."""
        return frozenset(
            (column, source)
            for column, source in self.shown
            if not any(one == column and related(source, other) for one, other in self.tags)
        )


def tagged(judge: Judge, program: Program) -> Tagged:
    """What the tags of a program's output say, beside what its values show."""
    try:
        facet = judge.reported(program)
    except (PySparkException, Py4JJavaError) as error:
        return Tagged(why_not=str(error).splitlines()[0].split("]")[0])
    if facet is None:
        return Tagged(why_not="reads nothing")
    claims = claims_of(facet, judge.names)
    tags = frozenset(_tags(facet, claims, judge))
    draws = [found for found in _draws(judge, program, claims) if found is not None]
    if not draws:
        return Tagged(tags=tags, why_not="no rows")
    every = frozenset(one for found in draws for one in found)
    shown = frozenset(one for one in every if sum(one in found for found in draws) >= DRAWS)
    unseen = frozenset(
        (column, source)
        for column, source in tags
        if not any(one == column and related(source, other) for one, other in every)
    )
    return Tagged(shown, tags, unseen)


def _tags(facet: dict[str, Any], claims: Claims, judge: Judge) -> Iterator[tuple[Path, Source]]:
    """The columns of the output and the fields whose tags they have, by a store of its own."""
    with memory_store() as store:
        store.add(_event(facet, judge))
        sources = {_key(source): source for source in _leaves(judge)}
        with store.connection() as connection:
            found = tags_at(connection, OUT).tags
    for column in claims.columns:
        for one in found:
            path = tuple(one.field.field.split(".")) if one.field.field else ()
            if all(a == b for a, b in zip(path, column, strict=False)):
                yield column, sources[one.tag.key]


def _event(facet: dict[str, Any], judge: Judge) -> dict[str, Any]:
    """A run that wrote OUT, and read tables each field of which has a tag of its own."""
    lists = [facet["dataset"], *(entry["inputFields"] for entry in facet["fields"].values())]
    read = sorted({(one["namespace"], one["name"]) for items in lists for one in items})
    inputs = []
    for namespace, name in read:
        rows = [
            {"key": _key((table, path)), "value": "true", "field": ".".join(path)}
            for table, path in _leaves(judge)
            if table == judge.names[name]
        ]
        inputs.append({"namespace": namespace, "name": name, "facets": {"tags": {"tags": rows}}})
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-20T12:00:00Z",
        "run": {"runId": str(uuid.UUID(int=1))},
        "job": {"namespace": "jobs", "name": "program"},
        "inputs": inputs,
        "outputs": [
            {"namespace": OUT.namespace, "name": OUT.name, "facets": {"columnLineage": facet}}
        ],
    }


def _key(source: Source) -> str:
    return ".".join((source[0], *source[1]))


def _leaves(judge: Judge) -> list[Source]:
    return [
        (table, leaf)
        for table, columns in judge.tables.items()
        for name, kind in columns.items()
        for leaf in leaves(kind, (name,))
    ]


def _draws(judge: Judge, program: Program, claims: Claims) -> Iterator[Found | None]:
    """What drawings of rare values show, with and without them in fields that affect rows."""
    every = set(_leaves(judge))
    deciding = {one for one in every if any(related(one, other) for other in claims.rows)}
    for sources in (every, every - deciding):
        for number in range(DRAWS):
            yield _draw(judge, program, claims, sources, number)


def _draw(
    judge: Judge, program: Program, claims: Claims, sources: set[Source], number: int
) -> Found | None:
    """The columns that show rare values of fields; None where there are no rows."""
    random = Random(f"tags {sorted(sources)} {number}")
    frames, tokens = {}, {}
    for table, columns in judge.tables.items():
        fields = {path for name, path in sources if name == table}
        made = marked(random, columns, judge.rows[table], fields, SHARES[number])
        frames[table] = judge.frame(table, made.rows)
        tokens.update({(table, path): found for path, found in made.tokens.items() if found})
    rows = judge.run(program, frames)
    if not rows:
        return None
    return frozenset((column, source) for column, source, _ in seen(rows, claims, tokens))
