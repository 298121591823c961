"""Tests import Airflow with a home of their own: never the one of whoever runs them."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from dev import class_data_sharing

STARTED = time.time()
PICTURES = os.environ.get("PAGE_SCREENSHOTS") or Path(__file__).parents[1] / ".work/screenshots"
AIRFLOW_HOME = tempfile.mkdtemp(prefix="colgraph-tests-")
for name in [name for name in os.environ if name.startswith(("AIRFLOW_", "COLGRAPH_"))]:
    del os.environ[name]
os.environ["AIRFLOW_HOME"] = AIRFLOW_HOME
os.environ["AIRFLOW_CONN_SPARK_DEFAULT"] = '{"conn_type": "spark", "host": "local[1]"}'
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["AIRFLOW__COLGRAPH__DEADLINE_SECONDS"] = "60"  # of a busy machine
os.environ.update(class_data_sharing.environment())


def pytest_configure(config: pytest.Config) -> None:
    """Give generated examples all the time that they need; in CI hypothesis does so itself."""
    if config.pluginmanager.hasplugin("hypothesispytest") and not os.environ.get("CI"):
        from hypothesis import settings

        settings.register_profile("busy machine", deadline=None)
        settings.load_profile("busy machine")


# Groups of tests that run one after the other, those that take minutes first: so no worker is left
# with a long one at the end.
LONG = ("airflow", "submit", "readme", "yarn", "lessons", "airflow-2.7", "ui")


# Modules that take seconds (processes, servers, generated programs): not in `make check`.
SLOW = {
    "": "canary ci_retry delivery roles spools transport",
    "api": "app catalog cdap datahub dataset_summaries facets gaps hostile_text hostile_values"
    " key_grants key_validity large_answers marquez node_ids oidc operations overview rate_limit"
    " read_audit request_log run_tokens schema schema_links tasks tracing unresponsive",
    "check": "check_orders claims clear command planned rerun rerun_histories rerun_tables",
    "cli": "catalog export help main nothing pipelines plan serve store submit",
    "collector": "bootstrap last_events linear mutations outbox sink",
    "collector/python_functions": "judge written",
    "exports": "docs edge_table odd_names openlineage_events schema unity_catalog",
    "extractors": "stated_lineage",
    "mcp_server": "texts tools",
    "operators": "collector_archive deadline deliver docs policy rerun_operator services sink_token"
    " spark_jdbc spark_pipelines spark_sql spark_submit",
    "sql": "accounts damaged judge qualify unknown_schemas",
    "store": "backup containment copies database_backups failover fast_searches forget"
    " forget_killed graph kill left_out lifecycle long_names lost_connections malformed migrations"
    " pgbouncer raw_events read_audit refused retention row_histories store table_programs"
    " tag_spread tags time_limits unused why"
    " why_histories",
    "testing": "plugin",
    "warehouse": "company",
}
SLOW_FILES = {
    Path(__file__).parent / folder / f"test_{name}.py"
    for folder, names in SLOW.items()
    for name in names.split()
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what `make check` leaves out anyway."""
    is_left_out = collection_path in SLOW_FILES and "not slow" in config.option.markexpr
    return is_left_out or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, then what is in a group, then all else."""
    for item in items:
        if item.path in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    mark = item.get_closest_marker("xdist_group")
    if mark is None:
        return len(LONG) + 1
    name = mark.args[0] if mark.args else mark.kwargs["name"]
    return LONG.index(name) if name in LONG else len(LONG)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests of the page in a browser measured."""
    for file in sorted(Path(PICTURES).glob("*/measured.txt")):
        if file.stat().st_mtime >= STARTED:
            terminalreporter.section(f"measured by {file.parent.name}.mjs")
            terminalreporter.write(file.read_text())


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(AIRFLOW_HOME, ignore_errors=True)
