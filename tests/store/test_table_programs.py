"""A sample of `oracles.table_programs`: copies against the rows of tables that jobs make and end.

`oracles.row_histories` has jobs that write one table each, once in a run; so no run there read what
it had written, or emptied what it had read.
"""

import pytest

from oracles.table_programs import KINDS, Run, Statement, differences, programs

RAW, BASE = (("raw", "a", "b"),), (("base", "a", "b"),)


def fill(kind: str, table: str, *names: str, swapped: bool = False) -> Statement:
    columns = ("b", "a") if swapped else ("a", "b")
    return Statement(kind, table, tuple((name, *columns) for name in names))


STAGED = [fill("CREATE", "t1", "raw")]
CASES = {
    "emptied after it was read": [
        ("load", STAGED),
        ("load", [fill("CREATE", "t2", "t1"), Statement("TRUNCATE", "t1")]),
    ],
    "read before it is overwritten": [
        ("load", STAGED),
        ("load", [fill("CREATE", "t2", "t1"), fill("OVERWRITE", "t1", "base")]),
    ],
    "read after it is overwritten": [
        ("load", [*STAGED, fill("CREATE", "t2", "t1")]),
        ("load", [fill("OVERWRITE", "t1", "base"), fill("OVERWRITE", "t2", "t1")]),
    ],
    "appends its own rows": [
        ("load", [*STAGED, fill("INSERT", "t1", "t1", swapped=True)]),
        ("load", [fill("INSERT", "t1", "base")]),
    ],
    "reads a later one of its tables": [
        ("load", [*STAGED, fill("CREATE", "t2", "t1", "base"), fill("INSERT", "t1", "t2")]),
        ("load", [fill("OVERWRITE", "t2", "t1"), fill("OVERWRITE", "t1", "base")]),
    ],
    "renamed and made again": [
        (
            "load",
            [*STAGED, Statement("RENAME", "t2", source="t1"), fill("CREATE", "t1", "t2", "base")],
        ),
        ("report", [fill("CREATE", "u1", "t1")]),
    ],
    "another one in its place": [
        ("load", STAGED),
        (
            "load",
            [
                fill("CREATE", "t3", "base"),
                Statement("RENAME", "t2", source="t1"),
                Statement("RENAME", "t1", source="t3"),
            ],
        ),
    ],
    "replaced by what was made beside it": [
        ("report", [fill("CREATE", "u1", "raw")]),
        ("load", [fill("CREATE", "u2", "base"), Statement("DROP", "u1")]),
        ("load", [Statement("RENAME", "u1", source="u2")]),
    ],
    "made beside it, dropped and renamed at once": [
        ("report", [fill("CREATE", "u1", "raw")]),
        (
            "load",
            [
                fill("CREATE", "u2", "base"),
                Statement("DROP", "u1"),
                Statement("RENAME", "u1", source="u2"),
            ],
        ),
    ],
    "renamed, then more": [
        ("load", STAGED),
        ("load", [Statement("RENAME", "t2", source="t1"), fill("INSERT", "t2", "base")]),
    ],
}


# A run's events tell less than its rows: its one event no order, and its edges hold as a whole.
EXTRA = {
    "read before it is overwritten": {"extra by task"},
    "renamed and made again": {"extra by statements"},
}


@pytest.mark.parametrize("case", CASES)
def test_copies_are_those_in_the_rows(case: str) -> None:
    kinds = {line.partition(",")[0] for line in differences([Run(*run) for run in CASES[case]])}
    assert kinds == EXTRA.get(case, set())


@pytest.mark.parametrize("seed", range(1, 9))
def test_no_copy_is_lost_that_a_made_program_has(seed: int) -> None:
    lines = differences(list(programs(seed)))
    assert [line for line in lines if line.startswith("lost")] == []


def test_made_programs_have_every_statement() -> None:
    made = [program for seed in range(1, 9) for _, program in programs(seed)]
    assert {statement.kind for program in made for statement in program} == set(KINDS)
