"""What Marquez's web page can change and this store cannot: each request gets one clear answer.

Lineage comes from events, and repeated events would bring a deleted edge back; tags are changed by
`POST /api/v1/dataset-tags`. To delete old lineage use `colgraph db prune`.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from airflow_colgraph.api.access import Ingester
from airflow_colgraph.api.responses import error
from airflow_colgraph.api.worker_threads import StoreRoute

router = APIRouter(prefix="/api/v1", include_in_schema=False, route_class=StoreRoute)

NAMESPACE = "/namespaces/{namespace:path}"
DATASET = f"{NAMESPACE}/datasets/{{dataset:path}}"
JOB = f"{NAMESPACE}/jobs/{{job:path}}"
# In the order in which they are tried: the longer paths first.
NOT_SERVED = {
    f"{DATASET}/fields/{{field:path}}/tags/{{tag}}": ["POST", "DELETE"],
    f"{DATASET}/tags/{{tag}}": ["POST", "DELETE"],
    DATASET: ["DELETE", "PUT"],
    f"{JOB}/tags/{{tag}}": ["POST", "DELETE"],
    JOB: ["DELETE", "PUT"],
    NAMESPACE: ["DELETE", "PUT"],
    "/tags/{tag}": ["PUT"],
}


async def not_served(request: Request, access: Ingester) -> Response:
    """501 and why."""
    if "/tags/" in request.url.path:
        return error(
            501, "Tags are not changed over REST in this form: use POST /api/v1/dataset-tags."
        )
    return error(
        501,
        "Datasets, jobs and namespaces are not changed over REST: the store holds what events "
        "report. To delete old lineage use `colgraph db prune --before`.",
    )


for path, methods in NOT_SERVED.items():
    router.add_api_route(path, not_served, methods=methods)
