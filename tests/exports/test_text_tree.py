from airflow_colgraph.exports.formats.text_tree import text_tree
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import Question
from tests.exports.graphs import REPORTS, TOTAL, upstream

SAME = Transformation("DIRECT", "IDENTITY")


def test_a_tree() -> None:
    assert text_tree(upstream(unexplored=7)) == (
        's3://lake mart "daily": total\n'
        "├─ postgres://h:5432 shop.orders: amount  "
        'DIRECT AGGREGATION masking [sum("amount")]  <shop.daily>\n'
        "└─ postgres://h:5432 shop.orders: state  INDIRECT FILTER  <shop.daily>\n"
        "Truncated: 7 more fields were not followed (limit 10000 edges).\n"
    )


def test_what_was_shown_is_not_shown_again() -> None:
    a, b, c, d = (Field("n", "t", name) for name in "abcd")
    edges = [Edge(i, o, SAME, 1, "upstream", ()) for i, o in ((b, a), (c, a), (d, b), (b, c))]
    assert text_tree(Graph(Question(), (a,), edges)) == (
        "n t: a\n"
        "├─ n t: b  DIRECT IDENTITY  <>\n"
        "│  └─ n t: d  DIRECT IDENTITY  <>\n"
        "└─ n t: c  DIRECT IDENTITY  <>\n"
        "   └─ n t: b  DIRECT IDENTITY  <>  (see above)\n"
    )


def test_both_directions() -> None:
    after = Edge(TOTAL, TOTAL._replace(name="later"), SAME, 1, "downstream", REPORTS)
    graph = upstream()
    both = Graph(Question(direction="both"), graph.starts, [graph.edges[0], after])
    assert text_tree(both) == (
        's3://lake mart "daily": total\n'
        "└─ postgres://h:5432 shop.orders: amount  "
        'DIRECT AGGREGATION masking [sum("amount")]  <shop.daily>\n'
        's3://lake mart "daily": total\n'
        "└─ s3://lake later: total  DIRECT IDENTITY  <shop.daily>\n"
    )


def test_a_deep_tree_needs_no_recursion() -> None:
    chain = [Field("n", "t", f"f{n}") for n in range(3000)]
    edges = [Edge(chain[n + 1], chain[n], SAME, n + 1, "upstream", REPORTS) for n in range(2999)]
    assert len(text_tree(Graph(Question(), (chain[0],), edges)).splitlines()) == 3000
