from airflow_colgraph.exports.formats.dot import dot
from tests.exports.graphs import AMOUNT, upstream


def test_a_digraph() -> None:
    assert dot(upstream()) == (
        "digraph lineage {\n"
        "  rankdir=LR;\n"
        "  node [shape=box];\n"
        "  subgraph cluster_0 {\n"
        '    label="postgres://h:5432 shop.orders";\n'
        '    f0 [label="amount"];\n'
        '    f1 [label="state"];\n'
        "  }\n"
        "  subgraph cluster_1 {\n"
        '    label="s3://lake mart \\"daily\\"";\n'
        '    f2 [label="*"];\n'
        '    f3 [label="total"];\n'
        "  }\n"
        '  f0 -> f3 [label="DIRECT AGGREGATION masking [sum(\\"amount\\")]"];\n'
        '  f1 -> f2 [label="INDIRECT FILTER", style=dashed];\n'
        "}\n"
    )


def test_a_column_that_is_gone_is_struck_out() -> None:
    graph = upstream()
    graph.gone = frozenset({AMOUNT})
    lines = dot(graph).splitlines()
    assert "    f0 [label=<<s>amount</s> (gone)>, fontcolor=gray40, color=gray40];" in lines
    assert '    f1 [label="state"];' in lines
