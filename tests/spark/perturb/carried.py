"""Judges whether what carries values is reported as DIRECT, and as IDENTITY only if unchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from tests.spark.perturb.data import leaves
from tests.spark.perturb.judge import Judge, Verdict
from tests.spark.perturb.oracle import Claims, Path, Source, edges_of, part
from tests.spark.perturb.programs import Program
from tests.spark.perturb.tokens import marked, showing

DRAWS = 3  # in which a column has to show tokens: by chance one shows a number near to one
SHARES = (1.0, 0.5, 0.5)  # of a field's values that are tokens, as the conditions may let by


class Carried(NamedTuple):
    """What tokens have shown of one query."""

    runs: int
    indirect: tuple[tuple[Path, Source], ...]  # carries values, and is not reported as DIRECT
    changed: tuple[tuple[Path, Source], ...]  # reported as IDENTITY, and the value is another


Steps = Mapping[Path, Mapping[Source, "set[str]"]]


NOTHING = Carried(0, (), ())


def carried(judge: Judge, program: Program, verdict: Verdict) -> Carried:
    """What tokens show of a program whose lineage has been judged so."""
    claims, facet = verdict.claims, verdict.facet
    if claims is None or facet is None:
        return NOTHING
    steps: dict[Path, dict[Source, set[str]]] = defaultdict(dict)
    for column, source, found in edges_of(facet, judge.names):
        steps[column][source] = found
    runs, wrong = 0, ([], [])  # type: tuple[int, tuple[list[Any], list[Any]]]
    every = {
        (table, leaf)
        for table, columns in judge.tables.items()
        for name, kind in columns.items()
        for leaf in leaves(kind, (name,))
    }
    deciding = {one for one in every if any(related(one, other) for other in claims.rows)}
    suspects = [{source} for source in sorted(every) if is_suspect(source, claims, steps)]
    for sources in [every, every - deciding, *suspects]:
        first = shown(judge, program, claims, steps, sources, 0)
        runs += 1
        if first is None or not any(first):
            continue
        draws = [first]
        for number in range(1, DRAWS):
            again = shown(judge, program, claims, steps, sources, number)
            runs += 1
            draws.append(again or (set(), set()))
        for kind, into in enumerate(wrong):
            into += sorted(set.intersection(*(draw[kind] for draw in draws)) - set(into))
    return Carried(runs, tuple(wrong[0]), tuple(wrong[1]))


def related(one: Source, other: Source) -> bool:
    """Whether one field is the other or a member of it."""
    (table, path), (second, longer) = one, other
    shorter = min(len(path), len(longer))
    return table == second and path[:shorter] == longer[:shorter]


def is_suspect(source: Source, claims: Claims, steps: Steps) -> bool:
    """Whether a field is reported to affect some column that is not made of it."""
    return any(
        any(related(source, one) for one in known | claims.rows)
        and not any(related(source, one) for one in steps[column])
        for column, known in claims.columns.items()
    )


def shown(
    judge: Judge,
    program: Program,
    claims: Claims,
    steps: Steps,
    sources: set[Source],
    number: int,
) -> tuple[set[tuple[Path, Source]], set[tuple[Path, Source]]] | None:
    """The edges that one drawing of tokens speaks against; None where the program fails on it."""
    random = Random(f"tokens {sorted(sources)} {number}")
    frames, tokens = {}, {}
    for table, columns in judge.tables.items():
        fields = {path for name, path in sources if name == table}
        made = marked(random, columns, judge.rows[table], fields, SHARES[number])
        frames[table] = judge.frame(table, made.rows) if fields else judge.base[table]
        tokens.update({(table, path): found for path, found in made.tokens.items() if found})
    rows = judge.run(program, frames)
    if rows is None:
        return None
    indirect, changed = set(), set()
    for column, source, is_changed in seen(rows, claims, tokens):
        matching = [step for one, step in steps[column].items() if related(source, one)]
        if not matching:
            indirect.add((column, source))
        elif is_changed and set.union(*matching) == {"IDENTITY"}:
            changed.add((column, source))
    return indirect, changed


def seen(
    rows: list[Any], claims: Claims, tokens: Mapping[Source, list[Any]]
) -> Iterator[tuple[Path, Source, bool]]:
    """Each column that shows tokens of a field, and whether it shows some changed."""
    for column in claims.columns:
        values = [part(row[int(column[0])], column[1:]) for row in rows]
        for source, known in tokens.items():
            is_there, is_changed = showing(values, known)
            if is_there:
                yield column, source, is_changed
