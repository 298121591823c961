"""The operator against the stock one, with a fake spark-submit that notes how it was called."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from airflow.exceptions import AirflowException
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.openlineage import conf as openlineage_conf
from airflow.providers.openlineage.plugins.listener import get_openlineage_listener
from airflow.sdk import Asset, AssetAlias
from airflow.sdk._shared.secrets_masker import redact
from airflow.sdk.execution_time.context import OutletEventAccessors

from airflow_colgraph.operators.collector_archive import compiled_archive, launcher
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.spark_submit import (
    ColgraphSparkSubmitOperator,
    SparkSubmitLineage,
)
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import AirflowSkipException, identity
from tests.operators.conftest import Fake
from tests.operators.test_inject import context


def ours(**arguments: Any) -> Any:
    return ColgraphSparkSubmitOperator(
        task_id="load", **{"application": "job.py", "name": "load", **arguments}
    )


def stock(**arguments: Any) -> Any:
    return SparkSubmitOperator(
        task_id="load", **{"application": "job.py", "name": "load", **arguments}
    )


def names(datasets: list[Any]) -> list[str]:
    return [dataset.name for dataset in datasets]


def written(operator: Any) -> list[str]:
    return names(operator.get_openlineage_facets_on_complete(None).outputs)


def raised(operator: Any) -> tuple[type[BaseException], str]:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - whatever the stock one raises
        operator.execute(context())
    return caught.type, str(caught.value)


# What is submitted ----------------------------------------------------------------------------

EVERYTHING = {
    "application_args": ["--day", "2026-11-20", 7],
    "conf": {"spark.x": "1", "spark.submit.deployMode": "client"},
    "files": "a.txt",
    "archives": "a.tgz",
    "jars": "a.jar",
    "packages": "g:a:1",
    "driver_memory": "1g",
    "num_executors": 2,
    "verbose": True,
    "properties_file": "p.conf",
    "yarn_queue": "q",
}


@pytest.mark.parametrize("arguments", [{}, EVERYTHING], ids=["plain", "everything"])
def test_the_stock_call_with_our_properties_and_one_more_python_file(
    fake: Fake, arguments: dict[str, Any]
) -> None:
    arguments = {
        **arguments,
        "application_args": [*map(str, arguments.get("application_args", []))],
    }
    stock(**arguments).execute(context())
    ours(**arguments).execute(context())
    before, after = fake.calls()
    added = inject({}, context())
    for name, value in added.items():
        at = after.index(f"{name}={value}")
        assert after[at - 1] == "--conf"
        del after[at - 1 : at + 1]
    at = after.index("--py-files")
    assert after[at + 1] == str(compiled_archive())
    del after[at : at + 2]
    assert after == before


def test_a_token_in_the_command_is_masked_in_logs(fake: Fake) -> None:
    token = "colgraph-token-7Zq4"
    ours(conf={"spark.colgraph.sinkToken": token}).execute(context())
    (call,) = fake.calls()
    assert f"spark.colgraph.sinkToken={token}" in call
    assert redact(" ".join(call)).count("spark.colgraph.sinkToken=***") == 1
    assert token not in redact(" ".join(call))


def test_a_token_in_the_environment_is_not_in_the_command(fake: Fake) -> None:
    token = "colgraph-token-8Zq5"
    ours(env_vars={"COLGRAPH_SINK_TOKEN": token}).execute(context())
    assert token not in str(fake.calls())


def test_the_users_python_files_come_after_the_collector(fake: Fake) -> None:
    ours(py_files="a.zip,b.py").execute(context())
    (call,) = fake.calls()
    assert call[call.index("--py-files") + 1] == f"{compiled_archive()},a.zip,b.py"


def test_a_jar_is_run_by_the_launcher(fake: Fake) -> None:
    operator = ours(application="job.jar", java_class="shop.Main", application_args=["a"])
    operator.execute(context())
    (call,) = fake.calls()
    assert call[-3:] == [str(launcher()), "shop.Main", "a"]
    assert call[call.index("--jars") + 1] == "job.jar"
    assert "--class" not in call
    assert operator.application == "job.jar"


def test_the_providers_own_injection_names_the_parent(fake: Fake) -> None:
    ours(openlineage_inject_parent_job_info=True).execute(context())
    (call,) = fake.calls()
    parent = [word for word in call if "parentRunId" in word]
    assert parent == [f"spark.openlineage.parentRunId={identity(context()['ti']).run_id}"]


@pytest.mark.parametrize("second", [context(try_number=2), context()], ids=["retry", "again"])
def test_a_second_execute_adds_everything_once_and_afresh(fake: Fake, second: Any) -> None:
    operator = ours(conf={"spark.x": "1"}, py_files="a.zip")
    before = {name: copy.copy(getattr(operator, name)) for name in operator.template_fields}
    operator.execute(context())
    operator.execute(second)
    fresh = ours(conf={"spark.x": "1"}, py_files="a.zip")
    fresh.execute(second)
    _, again, expected = fake.calls()
    assert again == expected
    assert {name: getattr(operator, name) for name in operator.template_fields} == before


def test_the_templates_are_the_stock_operators() -> None:
    assert ColgraphSparkSubmitOperator.template_fields == SparkSubmitOperator.template_fields
    assert ours().task_type == "ColgraphSparkSubmitOperator"


def test_the_task_page_has_a_link_to_the_lineage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://host/airflow")
    (link,) = ours().operator_extra_links
    address = link.get_link(ours(), ti_key=context(map_index=3)["ti"])
    assert (link.name, address) == (
        "Column lineage",
        "https://host/airflow/dags/shop/runs/manual__2026-11-20T00%3A00%3A00%2B00%3A00"
        "/tasks/group.load/mapped/3/plugin/colgraph-task-instance",
    )


def test_disabled_it_is_the_stock_operator(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__DISABLED", "True")
    stock().execute(context())
    operator = ours()
    operator.execute(context())
    before, after = fake.calls()
    assert after == before
    assert operator.get_openlineage_facets_on_complete(None).outputs == []


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("disabled", "maybe"),
        ("properties", "{"),
        ("scratch", "("),
        ("max_input_fields", "many"),
        ("max_event_bytes", "-1"),
        ("keep_events", "?"),
        ("forward_events", "?"),
    ],
)
def test_a_wrong_option_costs_the_lineage_and_one_warning(
    fake: Fake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
) -> None:
    monkeypatch.setenv(f"AIRFLOW__COLGRAPH__{option.upper()}", value)
    stock().execute(context())
    ours().execute(context())
    before, after = fake.calls()
    assert after == before
    (warning,) = warnings(capsys)
    assert f"Option '{option}' in [colgraph] is '{value}'" in warning


def warnings(capsys: pytest.CaptureFixture[str]) -> list[str]:
    lines = re.findall(r"\[warning *\] colgraph: (.*) \[airflow", capsys.readouterr().out)
    return [str(line) for line in lines]


# What is collected ----------------------------------------------------------------------------


def test_at_the_start_nothing_is_known() -> None:
    lineage = ours().get_openlineage_facets_on_start()
    assert (lineage.inputs, lineage.outputs, lineage.run_facets) == ([], [], {})


def test_after_a_success_there_are_inputs_and_outputs(fake: Fake) -> None:
    fake.job(writes=["mart", "rank"])
    operator = ours()
    operator.execute(context())
    lineage = operator.get_openlineage_facets_on_complete(None)
    assert names(lineage.inputs) == ["raw"]
    assert names(lineage.outputs) == ["mart", "rank"]
    (application,) = lineage.run_facets["colgraph_spark"].applications
    assert application["state"] == "COMPLETE"
    assert application["applicationId"].startswith("fake-")


def test_a_failed_job_raises_what_the_stock_operator_raises_and_keeps_its_writes(
    fake: Fake,
) -> None:
    fake.job(writes=["mart"], exit=3)
    operator = ours()
    kind, message = raised(operator)
    assert kind is AirflowException
    assert "Error code is: 3." in message
    assert names(operator.get_openlineage_facets_on_failure(None).outputs) == ["mart"]


def test_a_retry_knows_only_its_own_writes(fake: Fake) -> None:
    fake.job(writes=["first"], exit=1)
    raised(ours())
    fake.job(writes=["second"])
    operator = ours()
    operator.execute(context(try_number=2))
    assert written(operator) == ["second"]


def test_a_retry_that_never_starts_a_driver_has_no_lineage_of_the_first(fake: Fake) -> None:
    fake.job(writes=["first"])
    ours().execute(context())
    fake.job(silent=True, exit=1)
    operator = ours()
    raised(operator)
    assert names(operator.get_openlineage_facets_on_failure(None).outputs) == []


def test_mapped_instances_do_not_mix(fake: Fake) -> None:
    operators = [ours(application_args=[f"writes=part-{at}"]) for at in range(3)]
    for at, operator in enumerate(operators):
        operator.execute(context(map_index=at))
    assert [written(operator) for operator in operators] == [["part-0"], ["part-1"], ["part-2"]]


@pytest.mark.parametrize("ids", [(None, None), (1, 2)], ids=["Airflow 2", "Airflow 3"])
def test_a_retry_that_finds_the_finished_job_has_its_lineage(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, ids: tuple[int | None, int | None]
) -> None:
    """Airflow 3 gives each try an id, which is in the name of its file."""
    fake.job(writes=["mart"])
    first = context()
    first["ti"].id = ids[0]
    earlier = ours()
    earlier.execute(first)
    cluster = {"conn_type": "spark", "host": "spark://m:7077", "extra": {"deploy-mode": "cluster"}}
    monkeypatch.setenv("AIRFLOW_CONN_CLUSTER", json.dumps(cluster))
    monkeypatch.setattr(ColgraphSparkSubmitOperator, "get_job_status", lambda *_: "FINISHED")
    kept = {"spark_job_id": "driver-1", "colgraph_sink": earlier.colgraph_sink}
    retry = {**context(try_number=2), "task_state_store": kept}
    retry["ti"].id, retry["ti"].stats_tags = ids[1], {}
    operator = ours(conn_id="cluster")
    operator.execute(retry)
    assert len(fake.calls()) == 1
    assert written(operator) == ["mart"]


def test_a_job_that_reports_nothing_is_logged(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.job(silent=True)
    operator = ours()
    operator.execute(context())
    assert written(operator) == []
    (warning,) = warnings(capsys)
    assert "no lineage of this task; the job reported none to" in warning


def test_a_half_line_costs_only_itself(
    fake: Fake, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.job(writes=["mart"])
    place = Path(inject({}, context())["spark.colgraph.sink"])
    place.parent.mkdir(parents=True)
    place.write_text('{"run": {"runId": "x\n')
    operator = ours()
    operator.execute(context())
    assert written(operator) == ["mart"]
    (warning,) = warnings(capsys)
    assert warning.startswith(f"{place}:1 is left out: not JSON")


def test_a_sink_that_cannot_be_read_costs_one_warning(
    fake: Fake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    fake.job(silent=True)
    operator = ours(conf={"spark.colgraph.sink": f"{tmp_path}/file/task.ndjson"})
    operator.execute(context())
    assert written(operator) == []
    (warning,) = warnings(capsys)
    assert "reading the lineage failed: NotADirectoryError" in warning
    assert f"{tmp_path}/file/task.ndjson" in warning


@pytest.mark.parametrize("time", ["1999-01-01T00:00:00Z", "2099-01-01T00:00:00Z"])
def test_a_drivers_clock_may_be_wrong(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: str
) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", url)
    fake.job(writes=["mart"], time=time)
    operator = ours()
    operator.execute(context())
    assert written(operator) == ["mart"]
    with Store.open(url) as store:
        found = graph.upstream(store, "file", "mart", "a")
    assert [(edge.input.name, edge.input.field) for edge in found.edges] == [("raw", "a")]


def test_two_tries_that_write_at_the_same_time_stay_separate(fake: Fake) -> None:
    """The driver of the first try lives on, and reports after the second has begun."""
    first, second = inject({}, context()), inject({}, context(try_number=2))
    assert first["spark.colgraph.sink"] == second["spark.colgraph.sink"]
    fake.job(writes=["second"], late={"conf": first, "writes": ["late"]})
    operator = ours()
    operator.execute(context(try_number=2))
    assert written(operator) == ["second"]


def test_an_http_sink_is_not_read(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    operator = ours(conf={"spark.colgraph.sink": "http://127.0.0.1:9/api"})
    fake.job(silent=True)
    operator.execute(context())
    assert written(operator) == []
    assert warnings(capsys) == []


def test_the_operator_can_be_copied_after_it_ran(fake: Fake) -> None:
    fake.job(writes=["mart"])
    operator = ours()
    operator.execute(context())
    assert copy.deepcopy(operator.colgraph_lineage) == operator.colgraph_lineage


# The store ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "state"), [(0, "COMPLETE"), (1, "FAIL")])
def test_with_a_store_the_whole_lineage_is_kept_under_the_tasks_run(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, state: str
) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", url)
    fake.job(writes=["mart"], exit=code)
    kept = []
    add = Store.add
    monkeypatch.setattr(Store, "add", lambda self, event: kept.append(event) or add(self, event))
    operator = ours()
    if code:
        raised(operator)
    else:
        operator.execute(context())
    (event,) = kept
    task = identity(context()["ti"])
    assert (event["eventType"], event["run"]["runId"]) == (state, task.run_id)
    assert event["job"]["name"] == "shop.group.load"
    assert event["run"]["facets"]["parent"]["run"] == {"runId": task.root_run_id}
    facets = operator.get_openlineage_facets_on_complete(None).run_facets
    for facet in (event["run"]["facets"]["colgraph_task"], vars(facets["colgraph_task"])):
        assert (facet["dag_id"], facet["task_id"], facet["try_number"]) == ("shop", "group.load", 1)
    assert [dataset["name"] for dataset in event["outputs"]] == ["mart"]
    assert (tmp_path / "store.db").exists()


class Skips(SparkSubmitOperator):  # type: ignore[misc]
    def execute(self, context: Any) -> None:
        super().execute(context)
        raise AirflowSkipException


class SkipsWithLineage(SparkSubmitLineage, Skips):
    pass


def test_a_task_that_skips_itself_is_complete_in_the_store_as_in_airflow(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/store.db")
    fake.job(writes=["mart"])
    kept: list[dict[str, Any]] = []
    monkeypatch.setattr(Store, "add", lambda self, event: kept.append(event))
    operator = SkipsWithLineage(task_id="load", application="job.py")
    with pytest.raises(AirflowSkipException):
        operator.execute(context())
    assert [(event["eventType"], len(event["outputs"])) for event in kept] == [("COMPLETE", 1)]


def test_a_store_out_of_reach_costs_one_warning(
    fake: Fake,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/file/store.db")
    fake.job(writes=["mart"])
    operator = ours()
    operator.execute(context())
    assert written(operator) == ["mart"]
    (warning,) = warnings(capsys)
    assert "the lineage is not in the store: " in warning


def test_what_the_store_has_is_not_kept_twice(
    fake: Fake, sink: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/store.db")
    fake.job(writes=["mart"])
    ours().execute(context())
    assert not Path(inject({}, context())["spark.colgraph.sink"]).exists()
    shared = str(sink / "shared.ndjson")
    ours(conf={"spark.colgraph.sink": shared}).execute(context())
    assert Path(shared).exists()  # the DAG's own file
    fake.job(writes=["mart"], exit=1)
    raised(ours())
    assert Path(inject({}, context())["spark.colgraph.sink"]).exists()  # a retry may want it


@pytest.mark.parametrize("option", ["keep_events", ""])
def test_it_is_kept_by_option_and_without_a_store(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    if option:
        monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/store.db")
        monkeypatch.setenv("AIRFLOW__COLGRAPH__KEEP_EVENTS", "True")
    fake.job(writes=["mart"])
    ours().execute(context())
    assert Path(inject({}, context())["spark.colgraph.sink"]).exists()


def test_a_cut_event_names_the_store_that_has_the_whole(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", f"sqlite:///{tmp_path}/store.db")
    monkeypatch.setenv("AIRFLOW__COLGRAPH__MAX_INPUT_FIELDS", "0")
    fake.job(writes=["mart"])
    operator = ours()
    operator.execute(context())
    diagnostics = operator.get_openlineage_facets_on_complete(None).run_facets[
        "colgraph_diagnostics"
    ]
    assert diagnostics.whole == f"sqlite:///{tmp_path}/store.db"


# Scratch datasets, and the job's own events ------------------------------------------------------


def test_scratch_datasets_are_left_out(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SCRATCH", "^stage")
    fake.job(writes=["stage", "mart"], reads={"mart": "stage"})
    operator = ours()
    operator.execute(context())
    (output,) = operator.get_openlineage_facets_on_complete(None).outputs
    assert output.name == "mart"
    assert [i.name for i in output.facets["columnLineage"].fields["a"].inputFields] == ["raw"]


def test_the_jobs_own_events_are_forwarded_by_option(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AIRFLOW__COLGRAPH__FORWARD_EVENTS", "True")
    fake.job(writes=["mart"])
    ours().execute(context())
    (warning,) = (line for line in caplog.messages if "forwarded" in line)
    assert warning.endswith("the job's events are not forwarded: OpenLineage has no transport")
    file = tmp_path / "events.jsonl"
    transport = {"type": "file", "log_file_path": str(file), "append": True}
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__TRANSPORT", json.dumps(transport))
    clear(openlineage_conf)
    try:
        ours().execute(context(try_number=2))
    finally:
        monkeypatch.delenv("AIRFLOW__OPENLINEAGE__TRANSPORT")
        clear(openlineage_conf)
        get_openlineage_listener().adapter._client = None
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    task = identity(context(try_number=2)["ti"])
    assert {e["run"]["facets"]["parent"]["run"]["runId"] for e in events} == {task.run_id}
    (output,) = events[1]["outputs"]
    (entry,) = output["facets"]["columnLineage"]["fields"]["a"]["inputFields"]
    assert (output["name"], entry["field"]) == ("mart", "a")


def clear(module: Any) -> None:
    for option in vars(module).values():
        if hasattr(option, "cache_clear"):
            option.cache_clear()


# Assets -----------------------------------------------------------------------------------------


def test_an_asset_that_asks_gets_the_lineage_and_an_alias_the_assets(fake: Fake) -> None:
    fake.job(writes=["/mart", "/rank"])
    asks = Asset("file:///mart", extra={"colgraph": True})
    silent, other = Asset("file:///rank"), Asset("file:///none", extra={"colgraph": True})
    alias, plain = AssetAlias("written", group="colgraph"), AssetAlias("plain")
    events = OutletEventAccessors()
    operator = ours(outlets=[asks, silent, other, alias, plain])
    operator.execute({**context(), "task": operator, "outlet_events": events})
    lineage = {
        "namespace": "file",
        "name": "/mart",
        "columns": [
            {
                "column": "a",
                "inputs": [{"namespace": "file", "name": "raw", "field": "a", "how": []}],
            }
        ],
        "rows": [],
    }
    assert events[asks].extra == {"colgraph": lineage}
    assert [events[asset].extra for asset in (silent, other)] == [{}, {}]
    added = events[alias].asset_alias_events
    assert [event.dest_asset_key.uri for event in added] == ["file:///mart", "file:///rank"]
    assert added[0].extra == {"colgraph": lineage}
    assert events[plain].asset_alias_events == []


def test_a_failed_job_describes_no_asset(fake: Fake) -> None:
    fake.job(writes=["/mart"], exit=1)
    asks, events = Asset("file:///mart", extra={"colgraph": True}), OutletEventAccessors()
    operator = ours(outlets=[asks])
    with pytest.raises(AirflowException):
        operator.execute({**context(), "task": operator, "outlet_events": events})
    assert events[asks].extra == {}


# Bad input ------------------------------------------------------------------------------------


def test_without_spark_submit_it_fails_as_the_stock_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert raised(ours()) == raised(stock())
    assert raised(ours())[0] is FileNotFoundError


def test_with_a_wrong_connection_it_fails_as_the_stock_operator(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = {"conn_type": "spark", "host": "local", "extra": {"spark-home": "/opt/spark"}}
    monkeypatch.setenv("AIRFLOW_CONN_HOME", json.dumps(home))
    assert raised(ours(conn_id="home")) == raised(stock(conn_id="home"))
