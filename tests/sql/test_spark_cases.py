"""The collector's cases read as SQL: the lineage is what Spark's own plans give, with its types."""

from __future__ import annotations

from collections import defaultdict

import pytest
from sqlglot import exp

from airflow_colgraph.sql.database import Place, TableName
from airflow_colgraph.sql.parse import statements
from airflow_colgraph.sql.relation import Relation
from airflow_colgraph.sql.script import script
from tests.collector.cases.loader import HERE, Case, all_cases

SPARK = Place("databricks", "", "default", 2)
MEMBERS = "members and elements of what was built: of all that it was built of"
VIEWS = "a view is a dataset of its own"
UNLISTED = "columns that an INSERT does not list are not in its lineage"
DIFFERENT = {
    "expressions_one_element_of_what_was_built_from_several": MEMBERS,
    "expressions_an_element_of_what_a_subquery_built": MEMBERS,
    "expressions_an_element_that_nobody_knows": MEMBERS,
    "expressions_what_depends_on_no_value": MEMBERS,
    "expressions_what_a_lambda_takes_of_structs_that_were_collected": MEMBERS,
    "further_the_newest_row_of_each_by_a_struct": MEMBERS,
    "nested_arrays_zipped_maps_taken_apart": MEMBERS,
    "nested_the_winner_of_an_ordered_list_of_structs": MEMBERS,
    "nested_functions_that_give_elements_and_members_on": MEMBERS,
    "nested_orders_among_structs": MEMBERS,
    "perturbed_a_struct_found_by_a_key_that_is_a_column": MEMBERS,
    "perturbed_members_of_structs_that_are_unlike_others": MEMBERS,
    "perturbed_members_of_structs_collected_as_a_set_and_of_the_most_frequent_one": MEMBERS,
    "relational_stack": MEMBERS,
    "expressions_arrays_sorted_in_Spark_s_own_order_and_maps_as_a_whole": MEMBERS,
    "expressions_elements_kept_as_a_column_decides": MEMBERS,
    "writes_create_or_replace_through_a_view": VIEWS,
    "writes_an_insert_with_a_column_list_in_another_order": UNLISTED,
}


def schemas() -> dict[TableName, tuple[str, ...]]:
    """The columns of the tables that the cases read."""
    found = {}
    for node in statements((HERE / "tables.sql").read_text(), SPARK.dialect):
        if isinstance(node, exp.Create) and isinstance(node.this, exp.Schema):
            columns = [c.name for c in node.this.expressions if isinstance(c, exp.ColumnDef)]
            found[tuple(part.name for part in node.this.this.parts)] = tuple(columns)
    return found


TABLES = schemas()
CASES = [one for one in all_cases() if one.statement and not one.properties]


def lines(relation: Relation) -> set[str]:
    """The lineage in the form of the cases."""
    found = set()
    for name, inputs in (*relation.columns, ("*", relation.rows)):
        steps = defaultdict(set)
        for source, step in inputs:
            kind = f"{step.type}:{step.subtype}{' masking' * step.masking}"
            steps[".".join((*source.table, source.column))].add(kind)
        found |= {f"{name} <- {source} {', '.join(sorted(of))}" for source, of in steps.items()}
        found |= {f"{name} <-"} if not steps and name != "*" else set()
    return found


def in_order(expected: frozenset[str]) -> set[str]:
    """The lines of a case with the types of each in alphabetical order."""
    found = set()
    for line in expected:
        edge, space, rest = line.partition(" DIRECT:")
        edge, space, rest = (edge, space, rest) if space else line.partition(" INDIRECT:")
        steps = sorted(f"{space.strip()}{rest}".split(", "))
        found.add(f"{edge} {', '.join(steps)}" if space else line)
    return found


def pairs(found: set[str] | frozenset[str]) -> set[tuple[str, str]]:
    """Output and input columns, without types."""
    cut = (line.partition(" <- ") for line in found)
    return {(name, rest.split(" DIRECT")[0].split(" INDIRECT")[0]) for name, _, rest in cut if rest}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_of_spark(case: Case) -> None:
    lineage = script(case.statement, SPARK, TABLES)
    reported = bool(lineage.unresolved or lineage.opaque)
    relations = [write.relation for write in lineage.writes if write.relation is not None]
    found = lines(relations[-1]) if relations else set()
    expected = in_order(case.lineage)
    if case.name in DIFFERENT:
        assert found != expected
        if DIFFERENT[case.name] is MEMBERS:
            assert pairs(expected) <= pairs(found)
    elif not reported and expected:
        assert found == expected
