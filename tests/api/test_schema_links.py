"""Routes asked for what other routes answered, by links that are added to the OpenAPI document."""

import os
from collections import Counter
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.generation import GenerationMode

from airflow_colgraph.api.app import create_app
from tests.api.conftest import log
from tests.api.test_schema import CHECKS
from tests.store.samples import memory_store

EXAMPLES = os.environ.get("SCHEMA_EXAMPLES", "")
# What the answer of a list has of its first entry, under the names that parameters have.
ANSWERS: dict[str, dict[str, str]] = {
    "/api/v1/columns": {
        **dict.fromkeys(("name", "dataset", "endpoint"), "/columns/0/name"),
        "namespace": "/columns/0/namespace",
        "field": "/columns/0/field",
    },
    "/api/v1/jobs": {"job": "/jobs/0/name", "namespace": "/jobs/0/namespace"},
    "/api/v1/runs": {"run": "/runs/0/id"},
    "/api/v1/writes": {"checksum": "/writes/0/checksum"},
}


def linked(document: dict[str, Any]) -> set[str]:
    """Add a link from each list to each route that takes what it answers; returns those routes."""
    found: set[str] = set()
    for source, answered in ANSWERS.items():
        links = {}
        for path, operations in document["paths"].items():
            for operation in operations.values():
                taken = {
                    f"{one['in']}.{one['name']}": f"$response.body#{answered[one['name']]}"
                    for one in operation.get("parameters", ())
                    if one["name"] in answered
                }
                if taken and path != source:
                    links[operation["operationId"]] = {
                        "operationId": operation["operationId"],
                        "parameters": taken,
                    }
                    found.add(path)
        document["paths"][source]["get"]["responses"]["200"]["links"] = links
    return found


def test_routes_answer_about_what_others_answered() -> None:
    store = memory_store()
    store.keep_events()
    store.add(log())
    app = create_app(store)
    targets = linked(app.openapi())
    assert len(targets) >= 30
    document = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    schema = document.exclude(method="DELETE")  # what is forgotten is asked for in vain
    schema.config.generation.update(modes=[GenerationMode.POSITIVE])
    statuses: Counter[tuple[str, int]] = Counter()

    class Machine(schema.as_state_machine()):  # type: ignore[misc]
        def before_call(self, case: Any) -> None:
            if case.operation.path in ANSWERS:  # a text that no name has finds nothing to link to
                for name in ("offset", "cursor", "limit"):
                    case.query.pop(name, None)
                if "q" in case.query:
                    case.query["q"] = ""

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            statuses[case.operation.path, response.status_code] += 1
            case.validate_response(response, checks=CHECKS)

    Machine.run(
        settings=settings(
            max_examples=int(EXAMPLES or 120),
            stateful_step_count=6,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
    )
    store.close()
    found = {path for path, status in statuses if status == 200 and path in targets}
    assert len(found) >= 6, statuses  # which ones, constants of loaded modules decide, too
