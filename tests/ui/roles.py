"""What each role of Airflow may see, route by route: SEES, asked of the LOG.

A role that may read the DAG `cases` sees what SEES says; one that may not sees the same without
that DAG. Nobody sees the DAG `elsewhere`, which Airflow does not know, and only who may read any
DAG the job `lonely`, which has none. docs/security.md shows SEES and ROLES; test_logins.py logs in
each of ROLES.
"""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.store.samples import copy_event

NO_LOGIN = "no login"
EVERY_DAG = frozenset({"cases", "ends", None})  # None: and what has no DAG
# The DAGs that each user may read, by auth manager. A user's name is that of the role; those with
# one DAG are viewers of a team (with teams), or have a role for just this DAG (FAB). The public
# role is Viewer.
ROLES: dict[str, dict[str, frozenset[str | None]]] = {
    "simple": dict.fromkeys(("admin", "op", "user", "viewer"), EVERY_DAG),
    "simple with teams": {
        "admin": EVERY_DAG,
        "cases": frozenset({"cases"}),
        "ends": frozenset({"ends"}),
        "none": frozenset(),
    },
    "FAB": {
        **dict.fromkeys(("admin", "op", "user", "viewer"), EVERY_DAG),
        "cases": frozenset({"cases"}),
        "ends": frozenset({"ends"}),
        "both": frozenset({"cases", "ends"}),
        "none": frozenset(),
    },
    "FAB with a public role": {"admin": EVERY_DAG, NO_LOGIN: EVERY_DAG},
}

EVERYBODY = "names of datasets and fields, of every DAG"
BY_DAG = "jobs, runs and steps of the DAGs that the role may read"
NOBODY = "403: it cannot be cut by DAG, or it writes"
ALL = "200: no lineage of anybody"
OPEN = "200, also without a login"

RUN = str(uuid5(NAMESPACE_URL, "cases first"))  # a DAG run: the parent of the tasks' runs
MART = "namespace=n&name=mart"
TIMES = "start=0&end=2000000000"
V3 = "/v3/namespaces/n/datasets/mart"
RAW = "/v3/namespaces/n/datasets/raw"
END = "/v3/namespaces/n/endpoints/mart"
NS = "/api/v1/namespaces"


def task_event(
    dag: str, task: str, minute: int, dataset: str, source: str, run: str, map_index: int = -1
) -> dict[str, Any]:
    """What a task of a DAG run reported: `dataset` is made from `source`."""
    event = copy_event(f"{dag}.{task}", minute, dataset, {"t": source})
    properties = {
        "colgraph_properties": {"format": "csv", "options": []},
        "tags": {"tags": [{"key": "pii", "value": "true", "field": "new"}]},
    }
    event["inputs"] = [{"namespace": "n", "name": "raw", "facets": properties}]
    lacks = {"unresolved": [{"class": "columns without inputs", "count": 1}]}
    event["run"]["facets"] = {
        "colgraph_diagnostics": lacks,
        "airflow": {
            "dag": {"dag_id": dag},
            "dagRun": {"run_id": run},
            "task": {"task_id": task},
            "taskInstance": {"try_number": 1, "map_index": map_index},
        },
        "parent": {
            "run": {"runId": str(uuid5(NAMESPACE_URL, f"{dag} {run}"))},
            "job": {"namespace": "jobs", "name": dag},
        },
    }
    return event


def _without_dag(event: dict[str, Any]) -> dict[str, Any]:
    """The event of a job that is no task."""
    for facet in ("airflow", "parent"):
        del event["run"]["facets"][facet]
    return event


LOG = [
    task_event("cases", "totals", 10, "mart", "raw.old", "first"),
    task_event("cases", "totals", 20, "mart", "raw.new", "second"),
    task_event("cases", "mapped", 21, "part", "raw.p0", "first", 0),
    task_event("cases", "mapped", 22, "part", "raw.p1", "first", 1),
    task_event("elsewhere", "totals", 10, "secret", "raw.a", "first"),
    _without_dag(task_event("lonely", "job", 15, "mart", "raw.old", "first")),
    _without_dag(task_event("lonely", "job", 25, "stray", "raw.old", "first")),
]

# (method, route of the OpenAPI document): the request, and who sees what.
SEES: dict[tuple[str, str], tuple[str, str]] = {
    ("GET", "/health"): ("/health", OPEN),
    ("GET", "/livez"): ("/livez", OPEN),
    ("GET", "/readyz"): ("/readyz", OPEN),
    ("GET", "/metrics"): ("/metrics", NOBODY),
    ("POST", "/api/v1/lineage"): ("/api/v1/lineage", NOBODY),
    ("POST", "/api/v1/lineage/batch"): ("/api/v1/lineage/batch", NOBODY),
    ("GET", "/api/v1/lineage"): ("/api/v1/lineage?nodeId=dataset:n:mart", NOBODY),
    ("GET", "/api/v1/upstream"): (f"/api/v1/upstream?{MART}", BY_DAG),
    ("GET", "/api/v1/downstream"): ("/api/v1/downstream?namespace=n&name=raw", BY_DAG),
    ("GET", "/api/v1/graph"): (f"/api/v1/graph?{MART}", BY_DAG),
    ("GET", "/api/v1/impact"): ("/api/v1/impact?namespace=n&name=raw", BY_DAG),
    ("GET", "/api/v1/paths"): (
        "/api/v1/paths?namespace=n&name=raw&field=new&to_namespace=n&to_name=mart&to_field=t",
        BY_DAG,
    ),
    ("GET", "/api/v1/datasets"): ("/api/v1/datasets", EVERYBODY),
    ("GET", "/api/v1/dataset-tags"): (f"/api/v1/dataset-tags?{MART}", BY_DAG),
    ("POST", "/api/v1/dataset-tags"): ("/api/v1/dataset-tags", NOBODY),
    ("DELETE", "/api/v1/namespaces/{namespace}"): ("/api/v1/namespaces/n", NOBODY),
    ("DELETE", "/api/v1/namespaces/{namespace}/datasets/{dataset}"): (
        "/api/v1/namespaces/n/datasets/mart",
        NOBODY,
    ),
    ("DELETE", "/api/v1/namespaces/{namespace}/jobs/{job}"): (
        "/api/v1/namespaces/default/jobs/cases.totals",
        NOBODY,
    ),
    ("GET", "/api/v1/tagged"): ("/api/v1/tagged?tag=pii", BY_DAG),
    ("GET", "/api/v1/columns"): ("/api/v1/columns?q=t", EVERYBODY),
    ("GET", "/api/v1/fields"): (f"/api/v1/fields?{MART}", EVERYBODY),
    ("GET", "/api/v1/sizes"): ('/api/v1/sizes?dataset=%5B"n","mart"%5D', BY_DAG),
    ("GET", "/api/v1/overview"): ("/api/v1/overview", BY_DAG),
    ("GET", "/api/v1/dataset-summaries"): ("/api/v1/dataset-summaries", BY_DAG),
    ("GET", "/api/v1/gaps"): (f"/api/v1/gaps?{MART}", BY_DAG),
    ("GET", "/api/v1/statistics"): ("/api/v1/statistics", ALL),
    ("GET", "/api/v1/properties"): ("/api/v1/properties?namespace=n&name=raw", BY_DAG),
    ("GET", "/api/v1/history"): (f"/api/v1/history?{MART}&field=t", BY_DAG),
    ("GET", "/api/v1/diff"): (f"/api/v1/diff?{MART}&before=2000-01-01", BY_DAG),
    ("GET", "/api/v1/jobs"): ("/api/v1/jobs", BY_DAG),
    ("GET", "/api/v1/latest-runs"): (
        '/api/v1/latest-runs?of=%5B"jobs","cases.totals"%5D',
        BY_DAG,
    ),
    ("GET", "/api/v1/runs"): ("/api/v1/runs?job=cases.totals&namespace=jobs", BY_DAG),
    ("GET", "/api/v1/runs/{run}"): (f"/api/v1/runs/{RUN}", BY_DAG),
    ("GET", "/api/v1/operations"): (f"/api/v1/operations?{MART}&field=t", BY_DAG),
    ("GET", "/api/v1/expressions"): (f"/api/v1/expressions?{MART}", BY_DAG),
    ("GET", "/api/v1/outputs"): ("/api/v1/outputs?dag_id=cases", BY_DAG),
    ("GET", "/api/v1/writes"): (f"/api/v1/writes?{MART}", BY_DAG),
    ("GET", "/api/v1/copies"): ("/api/v1/copies?namespace=n&name=raw&field=new", BY_DAG),
    ("GET", "/api/v1/why"): (
        "/api/v1/why?namespace=n&name=mart&field=t&since=2026-11-20T12:15Z&until=2026-11-22",
        BY_DAG,
    ),
    ("GET", "/api/v1/unused"): ("/api/v1/unused?days=36500", EVERYBODY),
    ("GET", "/api/v1/tasks"): ("/api/v1/tasks?dag_id=cases", BY_DAG),
    ("GET", "/api/v1/column-lineage"): ("/api/v1/column-lineage?nodeId=dataset:n:mart", NOBODY),
    ("GET", "/api/v1/lineage-bodies/{checksum}"): (f"/api/v1/lineage-bodies/{'0' * 32}", NOBODY),
    ("GET", "/api/v1/search"): ("/api/v1/search?q=mart", NOBODY),
    ("GET", "/api/v1/namespaces"): (NS, NOBODY),
    ("GET", f"{NS}/{{namespace}}/datasets"): (f"{NS}/n/datasets", NOBODY),
    ("GET", f"{NS}/{{namespace}}/datasets/{{dataset}}"): (f"{NS}/n/datasets/mart", NOBODY),
    ("GET", f"{NS}/{{namespace}}/jobs"): (f"{NS}/jobs/jobs", NOBODY),
    ("GET", f"{NS}/{{namespace}}/jobs/{{job}}"): (f"{NS}/jobs/jobs/cases.totals", NOBODY),
    ("GET", f"{NS}/{{namespace}}/jobs/{{job}}/runs"): (f"{NS}/jobs/jobs/cases.totals/runs", NOBODY),
    ("GET", "/api/v1/jobs/runs/{run}"): (f"/api/v1/jobs/runs/{RUN}", BY_DAG),
    ("GET", "/api/v1/datahub/rfc"): ("/api/v1/datahub/rfc", NOBODY),
    ("GET", "/api/v1/datahub/proposals"): ("/api/v1/datahub/proposals", NOBODY),
    ("GET", "/api/v1/datahub/fields"): (f"/api/v1/datahub/fields?{MART}", NOBODY),
    **{
        ("GET", f"/v3/namespaces/{{namespace}}/{route}"): (request, kind)
        for route, request, kind in (
            ("datasets/{dataset}/fields", f"{V3}/fields", EVERYBODY),
            ("datasets/{dataset}/properties", f"{RAW}/properties", BY_DAG),
            ("datasets/{dataset}/lineage", f"{V3}/lineage?{TIMES}", BY_DAG),
            ("datasets/{dataset}/lineage/fields", f"{V3}/lineage/fields?{TIMES}", BY_DAG),
            ("datasets/{dataset}/lineage/fields/{field}", f"{V3}/lineage/fields/t?{TIMES}", BY_DAG),
            (
                "datasets/{dataset}/lineage/fields/{field}/operations",
                f"{V3}/lineage/fields/t/operations?{TIMES}",
                BY_DAG,
            ),
            (
                "datasets/{dataset}/lineage/allfieldlineage",
                f"{V3}/lineage/allfieldlineage?{TIMES}",
                BY_DAG,
            ),
            ("endpoints/{endpoint}/fields/lineage", f"{END}/fields/lineage?{TIMES}", BY_DAG),
            (
                "endpoints/{endpoint}/fields/{field}/lineage",
                f"{END}/fields/t/lineage?{TIMES}",
                BY_DAG,
            ),
        )
    },
}
