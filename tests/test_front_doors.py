"""The functions and classes that others call first document their arguments and results."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "airflow_colgraph"

# Module, function or class, and the sections of its docstring.
DOORS = [
    ("collector/__init__.py", "install", "Args"),
    ("collector/__init__.py", "finish", "Args"),
    ("collector/pipeline.py", "Pipeline", "Args"),
    ("collector/pipeline.py", "process", "Args"),
    ("collector/lineage/resolution.py", "resolve", "Args Returns"),
    ("collector/lineage/operations.py", "operations_of", "Args Returns Raises"),
    ("collector/events/build.py", "query_event", "Args Returns"),
    ("collector/registry.py", "register", "Args Returns"),
    ("operators/inject.py", "inject", "Args Returns Raises"),
    ("operators/spark_submit.py", "ColgraphSparkSubmitOperator", "Args Returns Raises"),
    ("operators/spark_jdbc.py", "ColgraphSparkJDBCOperator", "Args Returns Raises"),
    ("operators/spark_sql.py", "ColgraphSparkSqlOperator", "Args Returns Raises"),
    ("operators/spark_pipelines.py", "ColgraphSparkPipelinesOperator", "Args Returns Raises"),
    ("operators/spark_pyspark.py", "ColgraphPySparkOperator", "Args Returns Raises"),
    ("operators/livy.py", "ColgraphLivyOperator", "Args Returns Raises"),
    ("operators/deliver.py", "ColgraphDeliverOperator", "Args Returns Raises"),
    ("operators/export.py", "ColgraphExportOperator", "Args Returns Raises"),
    ("operators/policy.py", "ColgraphPolicyOperator", "Args Returns Raises"),
    ("operators/prune.py", "ColgraphPruneOperator", "Args Returns Raises"),
    ("operators/rerun.py", "ColgraphRerunOperator", "Args Returns Raises"),
    ("extractors/spark.py", "operator_lineage", "Args Returns Raises"),
    ("store/store.py", "open", "Args Returns Raises"),
    ("store/store.py", "add", "Args Returns Raises"),
    ("store/store.py", "ask", "Args Returns Raises"),
    ("store/model/tag_travel.py", "spread", "Args Returns"),
    ("store/query/tag_spread.py", "tags_at", "Args Returns"),
    ("store/query/tag_spread.py", "tagged", "Args Returns"),
    ("store/query/tags.py", "changes", "Args Returns Raises"),
    ("check/policy.py", "check", "Args Returns Raises"),
    ("store/query/graph.py", "upstream", "Args Returns Raises"),
    ("store/query/graph.py", "downstream", "Args Returns Raises"),
    ("api/app.py", "create_app", "Args Returns"),
    ("cli/__init__.py", "main", "Args Raises"),
    ("warehouse/build.py", "build", "Args Returns Raises"),
    ("warehouse/closure.py", "closure", "Args Returns Raises"),
    ("publish/stored_events.py", "stored_events", "Args Returns Raises"),
    ("publish/publish.py", "publish", "Args Returns Raises"),
    ("warehouse/impact.py", "impact", "Args Returns Raises"),
    ("exports/store_reader.py", "lineage", "Args Returns"),
    ("exports/exporters.py", "send_all", "Args Returns Raises"),
]
Definition = ast.FunctionDef | ast.ClassDef


def definition(module: str, name: str) -> Definition:
    """The last function or class of a module with this name that has a docstring."""
    tree = ast.parse((ROOT / module).read_text())
    found = [n for n in ast.walk(tree) if isinstance(n, Definition) and n.name == name]
    return next(one for one in reversed(found) if "Args:" in (ast.get_docstring(one) or ""))


def parameters(node: Definition) -> list[str]:
    """The parameters of a function, or of a class's own constructor, else `kwargs`."""
    if isinstance(node, ast.ClassDef):
        own = (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
        init = next(own, None)
        return parameters(init) if init else ["kwargs"]
    names = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [each.arg for each in names if each.arg not in ("self", "cls")]


@pytest.mark.parametrize(("module", "name", "sections"), DOORS, ids=lambda v: v)
def test_its_docstring_is_whole(module: str, name: str, sections: str) -> None:
    node = definition(module, name)
    text = ast.get_docstring(node) or ""
    lines = [line.strip() for line in text.splitlines()]
    assert [section for section in sections.split() if f"{section}:" not in lines] == []
    described = {line.partition(":")[0] for line in lines if ":" in line}
    assert [name for name in parameters(node) if name not in described] == []
