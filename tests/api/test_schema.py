"""Every operation of the OpenAPI document, asked with what its parameters allow and do not."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks
from schemathesis.generation import GenerationMode

from airflow_colgraph.api.app import create_app
from tests.api.conftest import log
from tests.store.samples import memory_store

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


def _can_be_wrong(operation: dict[str, Any]) -> bool:
    """Whether there is anything to say wrongly: any text is a path."""
    query = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
    return bool(query) or "requestBody" in operation


DOCUMENT = create_app(memory_store()).openapi()
POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
ASKED = [
    (path, method, mode)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    for mode in (POSITIVE, NEGATIVE)
    if mode == POSITIVE or _can_be_wrong(operation)
]


@pytest.fixture(scope="module")
def schema() -> Iterator[Any]:
    store = memory_store()
    store.keep_events()
    store.add(log())
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(store))
    store.close()


@pytest.mark.parametrize(("path", "method", "mode"), ASKED, ids=lambda one: str(one))
def test_answers_are_as_documented(
    schema: Any, path: str, method: str, mode: GenerationMode
) -> None:
    @settings(
        max_examples=5,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    ask()
