"""A small answer for the drawings' tests."""

from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.query.graph import Edge, Graph, Job, Question, Report, Run

RUN = Run("0199aaaa-0000-7000-8000-000000000001", "t1", "t2", "COMPLETE", 1, None, None)
REPORTS = (Report(Job("default", "shop.daily", "shop", "daily"), RUN, "t1", "t2", None),)
TOTAL = Field("s3://lake", 'mart "daily"', "total")
ROWS = TOTAL.dataset
AMOUNT = Field("postgres://h:5432", "shop.orders", "amount")
STATE = AMOUNT._replace(field="state")


def upstream(*, unexplored: int = 0) -> Graph:
    """`total` is a sum of `amount`; `state` affects the rows."""
    filtered = Transformation("INDIRECT", "FILTER", False, "")
    summed = Transformation("DIRECT", "AGGREGATION", True, 'sum("amount")')
    edges = [
        Edge(AMOUNT, TOTAL, summed, 1, "upstream", REPORTS),
        Edge(STATE, ROWS, filtered, 1, "upstream", REPORTS),
    ]
    return Graph(Question(indirect=True), (TOTAL,), edges, unexplored)
