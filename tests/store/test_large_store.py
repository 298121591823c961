"""The large store that is made by SQL is one that events could have made."""

import uuid
from collections import defaultdict
from typing import Any

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from bench import large_store
from bench.synthetic import Size, name
from tests.store.samples import memory_store, table_rows

SIZE = Size(40, 6, 1, (1,) * 5)
EDGES = """
SELECT j.name AS job, o.last_at, o.last_run, w.name AS written, c.name AS made, e.kind,
    d.name AS source, f.name AS field, t.type, t.subtype
FROM colgraph_edge e JOIN colgraph_job_output o ON o.id = e.job_output
JOIN colgraph_job j ON j.id = o.job JOIN colgraph_dataset w ON w.id = o.dataset
JOIN colgraph_field c ON c.id = e.output JOIN colgraph_field f ON f.id = e.input
JOIN colgraph_dataset d ON d.id = f.dataset
JOIN colgraph_transformation t ON t.id = e.transformation
"""


def as_events(store: Store) -> list[dict[str, Any]]:
    """The events that report the edges of a store."""
    found: dict[str, dict[str, Any]] = {}
    lineage: dict[str, Any] = defaultdict(lambda: {"fields": {}, "dataset": []})
    with store.connection() as connection:
        for row in connection.exec_driver_sql(EDGES):
            event = found.setdefault(
                row.job,
                {
                    "eventType": "COMPLETE",
                    "eventTime": clock.iso(row.last_at),
                    "run": {"runId": str(uuid.UUID(bytes=bytes(row.last_run)))},
                    "job": {"namespace": "warehouse", "name": row.job},
                    "inputs": [],
                    "outputs": [{"namespace": large_store.NAMESPACE, "name": row.written}],
                },
            )
            source = {"namespace": large_store.NAMESPACE, "name": row.source}
            if not row.field:
                event["inputs"].append(source)
                continue
            inputs = lineage[row.job]["dataset"]
            if row.made:
                made = lineage[row.job]["fields"].setdefault(row.made, {"inputFields": []})
                inputs = made["inputFields"]
            how = {"type": row.type, "subtype": row.subtype}
            inputs.append({**source, "field": row.field, "transformations": [how]})
    for job, event in found.items():
        event["outputs"][0]["facets"] = {"columnLineage": lineage[job]}
    return list(found.values())


def test_its_rows_are_those_of_events(store: Store) -> None:
    count = large_store.make(store, SIZE)
    other = memory_store()
    other.add(as_events(store))
    made, expected = table_rows(store), table_rows(other)
    assert made["colgraph_edge"] == expected["colgraph_edge"]
    assert len(made["colgraph_edge"]) == count > 36 * 6
    assert made["colgraph_job"] == expected["colgraph_job"]
    # It has what no job uses, too.
    for table in ("dataset", "field", "field_name", "transformation"):
        assert set(made[f"colgraph_{table}"]) >= set(expected[f"colgraph_{table}"])
    answers = [
        graph.lineage(one, [large_store.Field("s3://lake", name(39, 4), "column_003")], depth=9)
        for one in (store, other)
    ]
    assert answers[0].edges == answers[1].edges
    assert len(answers[0].edges) > 20
