"""Names, descriptions and SQL of hostile events in the page, in a real browser."""

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.store.store import Store
from dev import build_ui
from tests.cli.test_serve import serving
from tests.store.samples import copy_event
from tests.ui.conftest import Browse

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]

ATTACKS = {
    "elements": "\"'><img src=x onerror=globalThis.xss=1><script>globalThis.xss=1</script>",
    "links": "javascript:globalThis.xss=1//${globalThis.xss=1}{{constructor('xss=1')()}}",
}


def hostile(text: str) -> dict[str, Any]:
    """An event each of whose texts is the attack: names, job, task, descriptions, SQL, type."""
    event = copy_event("j", 1, f"{text}mart", {"x": "s.y"})
    (output,) = event["outputs"]
    how = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": text, "masking": False}
    source = {"namespace": text, "name": f"{text}raw", "field": text, "transformations": [how]}
    operation = {"id": text, "name": text, "description": text, "type": "TRANSFORM"}
    output["namespace"] = text
    output["facets"] = {
        "schema": {"fields": [{"name": text, "type": text, "description": text}]},
        "columnLineage": {"fields": {text: {"inputFields": [source]}}},
        "colgraph_operations": {"operations": [operation]},
        "documentation": {"description": text},
    }
    option = {"name": text, "value": text}
    facets = {"colgraph_properties": {"format": text, "path": text, "options": [option]}}
    event["inputs"] = [{"namespace": text, "name": f"{text}raw", "facets": facets}]
    event["job"] = {"namespace": text, "name": text, "facets": {"sql": {"query": text}}}
    event["run"]["facets"] = {
        "airflow": {
            "dag": {"dag_id": text},
            "dagRun": {"run_id": text},
            "task": {"task_id": text},
            "taskInstance": {"try_number": 1},
        }
    }
    return event


def test_hostile_texts_stay_texts(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    for number, text in enumerate(ATTACKS.values(), 1):
        event = hostile(text)
        event["run"]["runId"] = f"0199aaaa-0000-7000-8000-{number:012}"
        store.add(event)
    store.close()
    build_ui.build()
    with serving(url, "--airflow", "http://airflow.test") as (address, _):
        passed = browse("xss.mjs", COLGRAPH_ADDRESS=address, ATTACKS=json.dumps(ATTACKS))
    assert passed == 4 * len(ATTACKS)
