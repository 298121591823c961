"""Minimal statements that the judge of `python -m tests.sql.judge` has found, by their lineage."""

import pytest

from tests.sql.judge.findings import Block, block_of, blocks, silent

BLOCKS = blocks()
LOST = """\
-- sqlite: none
-- lost: out_1.n <- raw.amount
CREATE TABLE out_1 AS SELECT id AS n FROM raw"""


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.database} {block.title}")
def test_a_finding_is_open_or_mended(block: Block) -> None:
    """No other test knows which defects are open: one that is mended must become a case."""
    left = silent(block)
    if block.is_open:
        assert left, (
            f"mended: delete the line `-- open` of this block in findings.sql:\n{block.text()}"
        )
    else:
        assert left == [], block.text()


def test_each_statement_is_listed_once() -> None:
    """A finding that is listed twice would be mended twice."""
    texts = [(block.database, block.statements) for block in BLOCKS]
    assert len(set(texts)) == len(texts)


def test_an_edge_that_is_not_told_is_seen_without_a_database() -> None:
    """If `silent` saw nothing, all findings would look mended."""
    assert silent(block_of(LOST)) == list(block_of(LOST).findings)
    assert silent(block_of(LOST.replace("SELECT id AS", "SELECT id + amount AS"))) == []
    assert block_of(LOST).text() == LOST
