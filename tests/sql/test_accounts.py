"""What a statement names is in its lineage, or is reported: nothing is left out in silence."""

import pytest

from oracles.mutate_sql import KNOWN, losses
from tests.amount import ALL, of_all
from tests.sql.texts import PLACES, found

RANGE = "RANGE BETWEEN customer PRECEDING AND state FOLLOWING"
UNREAD = {  # parts for which there is no rule
    f"SELECT sum(id) OVER (ORDER BY amount {RANGE}) FROM raw": ["customer", "state"],
    "INSERT INTO mart (id) SELECT id FROM raw FOR SYSTEM_TIME AS OF v": ["v"],
}


@pytest.mark.parametrize("text", UNREAD)
def test_a_part_that_no_rule_reads_is_named(text: str) -> None:
    """Before, a clause without a rule was left out and the rest looked complete."""
    lineage = found(text, PLACES["duckdb"])
    assert lineage.unresolved == {"Unread": len(UNREAD[text])}
    assert [one.split(" ")[0] for one in lineage.where["Unread"]] == UNREAD[text]


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        ("postgres", "array_append(id, state, amount)"),  # a function of the user's own
        ("mysql", "length(id, r.amount)"),
        ("snowflake", "log10(id, abs(amount))"),
        ("tsql", "log10(id, [amount])"),
    ],
)
def test_an_argument_that_the_tree_lacks_is_named(dialect: str, value: str) -> None:
    """sqlglot leaves out arguments that its own function of a name does not have."""
    lineage = found(f"INSERT INTO mart (total) SELECT {value} FROM raw r", PLACES[dialect])
    assert lineage.unresolved == {"Unread": 1}
    assert lineage.where["Unread"][0].startswith("amount")


def test_words_of_a_clause_are_no_arguments() -> None:
    """Such a report would stand beside each MERGE."""
    text = (
        "MERGE INTO mart t USING raw s ON t.id = s.id WHEN MATCHED THEN UPDATE SET total = %s "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )
    assert found(text).unresolved == {}


def test_what_is_only_named_is_no_part_that_is_left_out() -> None:
    """A report of what has no value would hide the reports that matter."""
    text = (
        "CREATE TABLE made PARTITION BY id AS SELECT id, grouping(id) AS g FROM raw GROUP BY id; "
        "INSERT INTO other (id) SELECT id FROM raw ON CONFLICT (id) DO NOTHING RETURNING id; "
        "SELECT * EXCLUDE (id) FROM raw FOR UPDATE OF raw"
    )
    assert "Unread" not in found(text).unresolved


@pytest.mark.sampled
def test_nothing_is_lost_in_silence_without_a_rule() -> None:
    """No test took a rule away: what only one rule knew could have been lost in silence."""
    survivors = {rule for rule, edges in losses(of_all(1, 5)) if edges}
    assert survivors == set(KNOWN) if ALL else survivors <= set(KNOWN)
    assert survivors
