from airflow_colgraph.exports.formats.mermaid import mermaid
from tests.exports.graphs import upstream


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
