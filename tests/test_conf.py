import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from airflow.configuration import conf as airflow_conf
from airflow.sdk._shared.secrets_masker import redact

from airflow_colgraph import conf
from airflow_colgraph.get_provider_info import OPTIONS, get_provider_info
from airflow_colgraph.plugin import ColgraphPlugin
from airflow_colgraph.run_tokens import new_key
from airflow_colgraph.version_compat import ConfigException

DEFAULTS = {
    "disabled": False,
    "wrap_spark_submit": False,
    "sql_tasks": False,
    "deadline_seconds": 5,
    "spool": None,  # see its own test
    "sink": None,  # see its own test
    "sink_key": "",
    "sink_token_seconds": 86_400,
    "keep_events": False,
    "collector_path": "",
    "store": None,
    "airflow_database": False,
    "max_input_fields": 20_000,
    "max_event_bytes": 3_000_000,
    "scratch": None,
    "forward_events": False,
    "audit_reads": (),
    "properties": {},
}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("AIRFLOW__COLGRAPH__DEADLINE_SECONDS")
    for name in OPTIONS:
        getattr(conf, name).cache_clear()
    yield
    for name in OPTIONS:
        getattr(conf, name).cache_clear()


def test_every_option_has_a_function_that_names_it_and_a_default() -> None:
    assert {name: f"[colgraph] {name}." for name in OPTIONS} == {
        name: getattr(conf, name).__doc__ for name in OPTIONS
    }
    assert OPTIONS.keys() == DEFAULTS.keys()


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name not in ("sink", "spool")])
def test_the_defaults(name: str) -> None:
    assert getattr(conf, name)() == DEFAULTS[name]


def test_sink_and_spool_are_in_airflows_home_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_HOME", "/home/airflow")
    assert conf.sink() == "/home/airflow/colgraph"
    assert conf.spool() == "/home/airflow/colgraph-spool"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("disabled", "True", True),
        ("sink", "s3a://lineage/x", "s3a://lineage/x"),
        ("store", "sqlite:////x.db", "sqlite:////x.db"),
        ("airflow_database", "True", True),
        ("max_input_fields", "5", 5),
        ("max_event_bytes", "1000", 1000),
        ("wrap_spark_submit", "True", True),
        ("keep_events", "1", True),
        ("forward_events", "yes", True),
        ("collector_path", "s3://b/c/", "s3://b/c/"),
        ("properties", '{"spark.colgraph.a": true}', {"spark.colgraph.a": "true"}),
    ],
)
def test_the_environment_sets_an_option(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: Any
) -> None:
    monkeypatch.setenv(f"AIRFLOW__COLGRAPH__{name.upper()}", text)
    assert getattr(conf, name)() == value


def test_scratch_is_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SCRATCH", "/tmp/|_stage$")
    matches = conf.scratch()
    assert matches is not None
    assert [matches(name) for name in ("/tmp/x", "a_stage", "a_stage_b")] == [True, True, False]


def test_the_stores_own_variable_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", "sqlite:///a")
    monkeypatch.setenv("COLGRAPH_STORE", "sqlite:///b")
    assert conf.store() == "sqlite:///b"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("disabled", "maybe", "Option 'disabled' in [colgraph] is 'maybe'. Expected True or False"),
        ("wrap_spark_submit", "on", "'wrap_spark_submit' in [colgraph] is 'on'. Expected True or"),
        ("keep_events", "?", "is '?'. Expected True or False"),
        ("forward_events", "?", "is '?'. Expected True or False"),
        ("max_event_bytes", "5 MB", "is '5 MB'. Expected a whole number."),
        (
            "scratch",
            "(",
            "Option 'scratch' in [colgraph] is '('. Expected a pattern ('(' is not a regular",
        ),
        ("max_input_fields", "many", "is 'many'. Expected a whole number."),
        ("max_input_fields", "-1", "is '-1'. Expected a whole number."),
        ("properties", "{", 'Expected a JSON object such as {"spark.colgraph'),
        ("properties", "[1]", 'Expected a JSON object such as {"spark.colgraph'),
        ("properties", '{"spark.x": 1}', "is 'spark.x'. Expected names that start with spark.col"),
    ],
)
def test_a_wrong_value_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, message: str
) -> None:
    monkeypatch.setenv(f"AIRFLOW__COLGRAPH__{name.upper()}", text)
    with pytest.raises(ConfigException) as raised:
        getattr(conf, name)()
    assert message in str(raised.value)


def test_the_former_name_of_an_option_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__BUNDLE", "s3://b/c")
    with pytest.raises(ConfigException, match=r"'bundle' in .colgraph. is now 'collector_path'"):
        conf.collector_path()


def test_the_provider_info_is_as_airflow_wants_it() -> None:
    schema = json.loads(files("airflow").joinpath("provider_info.schema.json").read_text())
    jsonschema.validate(get_provider_info(), schema)
    (provider,) = (
        point
        for point in entry_points(group="apache_airflow_provider")
        if "colgraph" in point.value
    )
    assert provider.load() is get_provider_info
    assert provider.dist is not None
    assert provider.dist.name == get_provider_info()["package-name"]


def test_the_plugin_is_found() -> None:
    (plugin,) = entry_points(group="airflow.plugins", name="colgraph")
    assert plugin.load() is ColgraphPlugin
    assert ColgraphPlugin.name == "colgraph"


def test_everything_that_the_provider_info_names_is_there() -> None:
    info = get_provider_info()
    named = [*info["extra-links"], *info["db-managers"], *info["cli"]]
    named += [decorator["class-name"] for decorator in info["task-decorators"]]
    for path in named:
        module, _, name = path.rpartition(".")
        assert callable(getattr(import_module(module), name)), path
    modules = [name for group in info["operators"] for name in group["python-modules"]]
    assert all(
        any(name.startswith("Colgraph") for name in vars(import_module(module)))
        for module in modules
    )


@pytest.mark.airflow
@pytest.mark.xdist_group("airflow")
def test_airflow_shows_the_provider_whole() -> None:
    command = [sys.executable, "-m", "airflow", "providers", "get", "airflow-colgraph", "--full"]
    done = subprocess.run([*command, "-o", "json"], capture_output=True, text=True, check=True)
    (shown,) = json.loads(done.stdout[done.stdout.index("[") :])
    for word in (
        "colgraph_submit",
        "LineageLink",
        "ColgraphDBManager",
        "get_cli_commands",
        *OPTIONS,
    ):
        assert word in str(shown), word


def test_the_key_of_the_sink_can_come_from_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    key = new_key()
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SINK_KEY_CMD", f"echo {key}")
    assert conf.sink_key() == key


SECRET_URL = "postgresql+psycopg://colgraph:s3cr%40et@db/lineage"


class Secrets:
    """A secrets backend of Airflow's."""

    def __init__(self, **kwargs: Any) -> None:
        pass

    def get_config(self, key: str) -> str | None:
        return SECRET_URL if key == "colgraph-store" else None


@pytest.mark.parametrize("way", ["", "_CMD", "_SECRET"])
def test_airflow_reads_the_store_in_each_of_its_ways_and_shows_it_in_none(
    monkeypatch: pytest.MonkeyPatch, way: str, tmp_path: Path
) -> None:
    """The option was not marked as a secret: Airflow ignored `store_cmd`, and showed the URL."""
    (tmp_path / "url").write_text(SECRET_URL)
    given = {"": SECRET_URL, "_CMD": f"cat {tmp_path}/url", "_SECRET": "colgraph-store"}
    monkeypatch.setenv(f"AIRFLOW__COLGRAPH__STORE{way}", given[way])
    monkeypatch.setenv("AIRFLOW__SECRETS__BACKEND", f"{__name__}.Secrets")
    assert conf.store() == SECRET_URL
    page = airflow_conf.as_dict(display_source=True, display_sensitive=False)["colgraph"]
    assert "s3cr" not in str(page)
    assert "s3cr" not in redact(f"with s3cr@et at {SECRET_URL}")


def test_secrets_of_other_options_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    sensitive = {name for name, option in OPTIONS.items() if option.get("sensitive")}
    assert sensitive == {"sink_key", "store", "properties"}
    assert {("colgraph", name) for name in sensitive} <= airflow_conf.sensitive_config_values
