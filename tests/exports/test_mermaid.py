from airflow_colgraph.exports.formats.mermaid import mermaid
from tests.exports.graphs import AMOUNT, upstream


def test_a_flowchart() -> None:
    assert mermaid(upstream()) == (
        "flowchart LR\n"
        '  subgraph d0["postgres://h:5432 shop.orders"]\n'
        '    f0["amount"]\n'
        '    f1["state"]\n'
        "  end\n"
        '  subgraph d1["s3://lake mart #quot;daily#quot;"]\n'
        '    f2["*"]\n'
        '    f3["total"]\n'
        "  end\n"
        '  f0 -->|"DIRECT AGGREGATION masking [sum(#quot;amount#quot;)]"| f3\n'
        '  f1 -.->|"INDIRECT FILTER"| f2\n'
    )


def test_a_column_that_is_gone_is_struck_out() -> None:
    graph = upstream()
    graph.gone = frozenset({AMOUNT})
    lines = mermaid(graph).splitlines()
    assert '    f0["amount (gone)"]:::gone' in lines
    assert '    f1["state"]' in lines
    assert lines[-1].startswith("  classDef gone ")
    assert lines[-1].endswith(",text-decoration:line-through")
