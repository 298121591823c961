"""docs/operators.md: its recipes make operators of the classes that the providers have."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from airflow.sdk import BaseOperator

from airflow_colgraph.operators.requests import Request
from airflow_colgraph.operators.services import ServiceLineage
from tests.operators.test_inject import context

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, flags=re.M | re.S)
RECIPES = [block for block in BLOCKS if "ServiceLineage" in block]


class Anything(BaseOperator):
    """Stands in for an operator whose provider is not installed: keeps what it would submit."""

    def __init__(self, *, request: Any, attribute: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.attribute = attribute
        setattr(self, attribute, request)

    def execute(self, context: Any) -> None:
        self.submitted = getattr(self, self.attribute)


def classes(recipe: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, type[ServiceLineage]]:
    """The classes that a recipe makes, with stand-ins for those of the providers."""
    for name, imported in re.findall(
        r"^from (airflow\.providers\.\S+) import ([^(\n]+|\([^)]*\))", recipe, flags=re.M
    ):
        module = ModuleType(name)
        for each in re.findall(r"\w+", imported):
            setattr(module, each, Anything)
        monkeypatch.setitem(sys.modules, name, module)
    made: dict[str, Any] = {}
    exec(recipe, made)
    return {name: of for name, of in made.items() if name.startswith("Colgraph")}


REQUESTS: dict[str, Any] = {
    "template_spec": {"spec": {"mainApplicationFile": "local:///job.py"}},
    "steps": [{"Name": "a", "HadoopJarStep": {"Args": ["spark-submit", "job.py"]}}],
    "job_driver": {"sparkSubmit": {"entryPoint": "job.py"}},
    "job": {"pyspark_job": {"main_python_file_uri": "job.py"}},
    "batch": {"pyspark_batch": {"main_python_file_uri": "job.py"}},
    "spark_submit_task": {"parameters": ["job.py"]},
}


@pytest.mark.parametrize("number", range(len(RECIPES)))
def test_a_recipe_submits_the_collector(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = classes(RECIPES[number], monkeypatch)
    assert made
    for operator_class in made.values():
        ((attribute, kind),) = operator_class.colgraph_requests.items()
        assert isinstance(kind, Request)
        given = REQUESTS[attribute]
        operator: Any = operator_class(task_id="load", request=given, attribute=attribute)
        operator.execute(context())
        submitted = operator.submitted[0] if isinstance(given, list) else operator.submitted
        assert kind.properties(submitted)["spark.colgraph.jobName"] == "shop.group.load.spark"
        assert getattr(operator, attribute) == given


def test_every_kind_of_request_has_a_recipe_or_an_operator() -> None:
    from airflow_colgraph.operators import requests

    kinds = {name for name, value in vars(requests).items() if isinstance(value, Request)}
    named = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", "".join(RECIPES)))
    assert kinds - named == {"LIVY_BATCH"}


def test_every_operator_of_ours_is_in_the_table() -> None:
    files = (ROOT / "airflow_colgraph" / "operators").glob("*.py")
    ours = {
        f"`{name}` of `airflow_colgraph.operators.{file.stem}`"
        for file in files
        for name in re.findall(r"^class (Colgraph\w+Operator)\(", file.read_text(), flags=re.M)
        if name.removeprefix("Colgraph").removesuffix("Operator")
        not in ("Deliver", "Export", "Policy", "Prune", "Rerun")
    }
    assert {line for line in ours if line not in TEXT} == set()
    assert len(ours) >= 4
