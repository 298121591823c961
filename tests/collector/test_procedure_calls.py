"""Which procedures a SQL text calls, whatever else is in it."""

import pytest

from airflow_colgraph.collector.driver.procedure_calls import called_procedures


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("CALL lake.system.add_files('a', 'b')", ["system.add_files"]),
        (
            "  -- first\n/* CALL x(1) */ call\n`my lake` . system . `migrate`('a')",
            ["system.migrate"],
        ),
        ("BEGIN CALL c.s.one(1); CALL c.s.two(); END", ["s.one", "s.two"]),
        ("CALL load(x => 'it\\'s CALL no(1)')", ["load"]),
        ("CALL lake.system.REWRITE_DATA_FILES('a')", []),
        ("SELECT 'CALL a(1)', \"CALL b(1)\" AS `CALL c(1)` FROM calls -- CALL d(1)", []),
        ("SELECT recall(1), call FROM t", []),
    ],
)
def test_calls_are_found_outside_of_comments_and_quotes(text: str, names: list[str]) -> None:
    assert called_procedures(text) == names
