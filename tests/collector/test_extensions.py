"""Which registries an extension's rules may be in, and what becomes of rules that fail."""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from airflow_colgraph import collector
from airflow_colgraph.collector import rule_api
from airflow_colgraph.collector.extensions import REGISTRIES, load
from airflow_colgraph.collector.registry import Registry, register
from airflow_colgraph.collector.rule_api import TEXTS, Node, node_text
from airflow_colgraph.collector.spark.catalog import CONNECTED

DOCS = Path(__file__).parents[2] / "docs" / "extensions.md"


def registries() -> dict[str, Registry]:
    """Every registry in the collector, by the name of its variable."""
    names = (m.name for m in pkgutil.walk_packages(collector.__path__, f"{collector.__name__}."))
    modules = [importlib.import_module(name) for name in names]
    found = [(name, value) for module in modules for name, value in vars(module).items()]
    return {name: value for name, value in found if isinstance(value, Registry)}


def test_every_registry_is_guarded_exported_and_documented() -> None:
    found = registries()
    assert {id(one) for one in found.values()} == {id(one) for one in REGISTRIES}
    documented = {line.split("`")[1] for line in DOCS.read_text().splitlines() if "| `" in line}
    assert found.keys() == documented
    assert found.keys() <= set(rule_api.__all__)


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module whose rule for a connector's table raises."""
    module = ModuleType("failing_connector")

    def load_module(name: str) -> ModuleType:
        @register(CONNECTED, "MongoTable", "SomeTable")
        def fails(table: object, setting: object, purpose: str) -> None:
            raise RuntimeError("a mistake")

        return module

    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(
        "airflow_colgraph.collector.extensions.importlib.import_module", load_module
    )
    before = dict(CONNECTED)
    yield module.__name__
    CONNECTED.clear()
    CONNECTED.update(before)


def test_a_connectors_rule_that_raises_leaves_the_answer_to_the_one_before(extension: str) -> None:
    warnings: list[str] = []
    load([extension], warnings.append)
    assert CONNECTED["SomeTable"](object(), str, "read") is None
    options = {"connection.uri": "mongodb://host/db", "collection": "people"}
    named = CONNECTED["MongoTable"](object(), lambda name: options.get(name, ""), "read")
    assert named.dataset == ("mongodb://host/db", "people")
    assert warnings == [
        "an extension failed, failing_connector: SomeTable: RuntimeError: a mistake",
        "an extension failed, failing_connector: MongoTable: RuntimeError: a mistake",
    ]


def test_a_text_that_raises_is_written_as_spark_calls_the_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warnings: list[str] = []
    module = ModuleType("own_texts")

    def load_module(name: str) -> ModuleType:
        @register(TEXTS, "Redact")
        def redact(node: Node) -> str:
            return f"{node_text(node.children[0])} REDACTED"

        @register(TEXTS, "Fails")
        def fails(node: Node) -> str:
            raise RuntimeError("a mistake")

        return module

    monkeypatch.setattr(
        "airflow_colgraph.collector.extensions.importlib.import_module", load_module
    )
    before = dict(TEXTS)
    load(["own_texts"], warnings.append)
    column = Node("AttributeReference", {"name": "a"})
    try:
        assert node_text(Node("Redact", {}, (column,))) == "a REDACTED"
        assert node_text(Node("Fails", {}, (column,))) == "fails(a)"
    finally:
        TEXTS.clear()
        TEXTS.update(before)
    assert warnings == ["an extension failed, own_texts: Fails: RuntimeError: a mistake"]
