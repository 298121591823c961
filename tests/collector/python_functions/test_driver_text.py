"""Which calls certainly read rows once, where their statement runs."""

import ast

import pytest

from airflow_colgraph.collector.python_functions.driver_text import is_left, only_read

READS = {
    "rows = df.collect()": True,
    "rows = [r.a for r in df.collect() if r.b]": True,
    "for r in df.collect():\n    rows.append(r)": True,
    "rows = sorted(df.collect()) if limit else 1": False,
    "rows = [] if limit else df.collect()": False,
    "rows = 1 if df.collect() else 2": True,
    "rows = kept or df.collect()": False,
    "rows = df.collect() or kept": True,
    "rows = [r for x in kept for r in df.collect()]": False,
    "rows = [df.collect() for x in kept]": False,
    "rows = lambda: df.collect()": False,
    "for r in kept:\n    rows += df.collect()": False,
    "for r in kept:\n    pass\nelse:\n    df.collect()": False,
    "rows = a.collect() + b.collect()": False,
    "while df.collect():\n    pass": False,
    "if df.collect():\n    pass": False,
}
ENDS = {
    "for r in rows:\n    break": False,
    "for r in rows:\n    for x in r:\n        pass\n    else:\n        continue": False,
    "for r in rows:\n    pass\nelse:\n    break": True,
    "if rows:\n    continue": True,
    "for r in rows:\n    return 1": True,
    "def inner():\n    return 1": False,
}


@pytest.mark.parametrize(("text", "reads"), READS.items())
def test_a_call_that_may_not_run_or_run_again_is_no_start(text: str, reads: bool) -> None:
    (statement,) = ast.parse(text).body
    assert (only_read(statement) is not None) == reads


@pytest.mark.parametrize(("text", "ends"), ENDS.items())
def test_a_loop_of_its_own_may_be_left(text: str, ends: bool) -> None:
    (statement,) = ast.parse(text).body
    assert is_left(statement) == ends
