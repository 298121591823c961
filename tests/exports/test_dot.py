from airflow_colgraph.exports.formats.dot import dot
from tests.exports.graphs import upstream


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
