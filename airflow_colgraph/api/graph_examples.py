"""Examples of a graph's two JSON formats, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.exports.formats.edge_rows import edge_rows
from airflow_colgraph.exports.formats.graph_json import graph_json
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import UP, Question
from airflow_colgraph.store.model.runs import Job, Report, Run

# No part is None: FastAPI leaves such keys out of the document.
_AT, _END = "2026-11-20T10:00:00.000Z", "2026-11-21T10:00:00.000Z"
_RUN_IDS = "0199aaaa-0000-7000-8000-000000000001", "0199aaaa-0000-7000-8000-000000000000"
_RUN = Run(_RUN_IDS[0], _AT, _AT, "COMPLETE", 1, 0, _RUN_IDS[1])
_REPORT = Report(Job("default", "shop.mart", "shop", "mart"), _RUN, _AT, _AT, _END)
_ENDS = Field("s3://lake", "raw", "amount"), Field("s3://lake", "mart", "total")
_SUM = Transformation("DIRECT", "AGGREGATION", description="sum(amount)")
_GRAPH = Graph(Question(direction=UP), (_ENDS[1],), [Edge(*_ENDS, _SUM, 1, UP, (_REPORT,))])

EXAMPLES: dict[str, Any] = {
    "json": {"summary": "Each edge is a row (the default)", "value": edge_rows(_GRAPH)},
    "compact": {"summary": "format=compact: each part once", "value": graph_json(_GRAPH)},
}
_AS_TEXT = sorted({each.media_type.partition(";")[0] for each in GRAPH_FORMATS.values()})
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            **{media_type: {"schema": {"type": "string"}} for media_type in _AS_TEXT},
            "application/json": {"examples": EXAMPLES},
        }
    }
}
