import datetime
import uuid
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph import conf
from airflow_colgraph.collector.events.facets import task_facet
from airflow_colgraph.collector.settings import read
from airflow_colgraph.operators.inject import inject, location, parent_run_id
from airflow_colgraph.version_compat import identity


def context(try_number: int = 1, map_index: int = -1, **dag_run_conf: Any) -> dict[str, Any]:
    dag_run = SimpleNamespace(
        logical_date=datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc),
        run_after=None,
        clear_number=0,
        conf=dag_run_conf,
    )
    ti = SimpleNamespace(
        dag_id="shop",
        task_id="group.load",
        run_id="manual__2026-11-20T00:00:00+00:00",
        map_index=map_index,
        try_number=try_number,
        dag_run=dag_run,
        get_template_context=lambda: {"dag_run": dag_run},
    )
    return {"ti": ti, "dag_run": dag_run}


def ours(given: dict[str, Any], **how: Any) -> dict[str, Any]:
    return inject(given, context(), sink="/lineage", **how)


def test_everything_that_the_collector_needs_is_added() -> None:
    task = identity(context()["ti"])
    assert ours({"spark.app": 1}) == {
        "spark.app": 1,
        "spark.colgraph.sink": (
            "/lineage/shop/manual__2026-11-20T00_00_00_00_00-2ff67aee/group.load/task.ndjson"
        ),
        "spark.colgraph.namespace": "default",
        "spark.colgraph.jobName": "shop.group.load.spark",
        "spark.colgraph.dagId": "shop",
        "spark.colgraph.dagRunId": "manual__2026-11-20T00:00:00+00:00",
        "spark.colgraph.taskId": "group.load",
        "spark.colgraph.tryNumber": "1",
        "spark.colgraph.parentJobNamespace": "default",
        "spark.colgraph.parentJobName": "shop.group.load",
        "spark.colgraph.parentRunId": task.run_id,
        "spark.colgraph.rootParentJobNamespace": "default",
        "spark.colgraph.rootParentJobName": "shop",
        "spark.colgraph.rootParentRunId": task.root_run_id,
    }


@pytest.mark.parametrize("map_index", [-1, 0, 3])
def test_the_collector_reads_the_task_back(map_index: int) -> None:
    """No earlier test had the task's own ids: of the job's events only names and runs told them."""
    ti = context(2, map_index)["ti"]
    settings = read(inject({}, {"ti": ti}, sink="http://lineage.test"))
    names = ("dagId", "dagRunId", "taskId", "mapIndex", "tryNumber")
    found = task_facet(*(settings[name] for name in names))
    assert {key: value for key, value in found.items() if key[0] != "_"} == {
        "dag_id": "shop",
        "run_id": ti.run_id,
        "task_id": "group.load",
        "try_number": 2,
        **({} if map_index < 0 else {"map_index": map_index}),
    }


def test_no_properties_are_as_good_as_an_empty_dict() -> None:
    assert inject(None, context(), sink="/lineage") == ours({})


def test_injecting_twice_is_injecting_once() -> None:
    once = ours({"spark.app": 1})
    assert inject(once, context(try_number=2), sink="/elsewhere") == once


def test_what_was_given_is_not_changed() -> None:
    given = {"spark.app": 1}
    ours(given)
    assert given == {"spark.app": 1}


@pytest.mark.parametrize("name", sorted(ours({})))
def test_what_the_user_set_stays(name: str) -> None:
    assert ours({name: "mine"})[name] == "mine"


@pytest.mark.parametrize(
    "given",
    [
        {"spark.openlineage.parentRunId": "mine"},
        {"spark.openlineage.parentJobName": "mine"},
        {"spark.colgraph.parentRunId": "mine"},
    ],
)
def test_a_parent_of_the_users_is_the_whole_parent(given: dict[str, str]) -> None:
    added = ours(given).keys() - given.keys()
    assert added == {
        "spark.colgraph.sink",
        "spark.colgraph.namespace",
        "spark.colgraph.jobName",
        "spark.colgraph.dagId",
        "spark.colgraph.dagRunId",
        "spark.colgraph.taskId",
        "spark.colgraph.tryNumber",
    }


def test_a_root_of_the_users_is_not_hidden_by_ours() -> None:
    injected = ours({"spark.openlineage.rootParentRunId": "mine"})
    assert "spark.colgraph.rootParentRunId" not in injected
    assert injected["spark.colgraph.rootParentJobName"] == "shop"


def test_each_try_has_its_own_parent_run_and_the_same_sink() -> None:
    first, second = (inject({}, context(number), sink="/lineage") for number in (1, 2))
    differing = {name for name in first if first[name] != second[name]}
    assert differing == {"spark.colgraph.parentRunId", "spark.colgraph.tryNumber"}


def test_properties_for_all_jobs_come_from_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    set_for_all = {"spark.colgraph.legacyIndirect": "true", "spark.colgraph.jobName": "all"}
    monkeypatch.setattr(conf, "properties", lambda: set_for_all)
    injected = ours({"spark.colgraph.legacyIndirect": "false"})
    assert injected["spark.colgraph.legacyIndirect"] == "false"
    assert "spark.colgraph.jobName" in injected


def test_the_parent_is_found_in_either_spelling() -> None:
    assert parent_run_id({"spark.openlineage.parentRunId": "a"}) == "a"
    both = {"spark.openlineage.parentRunId": "a", "spark.colgraph.parentRunId": "b"}
    assert parent_run_id(both) == "b"
    assert parent_run_id({}) is None


def test_a_configured_spool_is_told_to_drivers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without it they keep events beside the job: the worker's own folder is not theirs."""
    assert "spark.colgraph.spool" not in inject({}, context(), sink="https://lineage/api")
    monkeypatch.setenv("AIRFLOW__COLGRAPH__SPOOL", "hdfs://nn/spool")
    conf.spool.cache_clear()
    for sink in ("https://lineage/api", "/lineage"):
        assert inject({}, context(), sink=sink)["spark.colgraph.spool"] == "hdfs://nn/spool"


# location -------------------------------------------------------------------------------------


def test_an_http_sink_is_one_for_all() -> None:
    assert location("https://lineage/api", context()["ti"]) == "https://lineage/api"


def test_mapped_instances_have_files_of_their_own() -> None:
    places = {location("s3a://bucket/x/", context(map_index=at)["ti"]) for at in (-1, 0, 1)}
    assert {place.rpartition("/")[2] for place in places} == {
        "task.ndjson",
        "0.ndjson",
        "1.ndjson",
    }
    assert all(place.startswith("s3a://bucket/x/shop/manual__") for place in places)


def test_passes_of_a_loop_have_files_of_their_own() -> None:
    """Airflow 3.4 runs them under one DAG, run, task and map index, which were the whole name."""
    places = []
    for number in (1, 2, 2):  # the last is the second after a deferral
        ti = context()["ti"]
        ti.id = uuid.UUID(int=number)
        places.append(location("/lineage", ti))
    assert places[0] != places[1] == places[2]
    assert places[0].endswith("/group.load/task-00000000-0000-0000-0000-000000000001.ndjson")


def test_names_that_only_differ_in_odd_signs_have_places_of_their_own() -> None:
    places = set()
    for run_id in ("a:b", "a+b", "a b", "a_b", "a/b", "..", ".", "名前", "名字"):
        ti = context()["ti"]
        ti.run_id = run_id
        places.add(location("/lineage", ti))
    assert len(places) == 9
    assert all(".." not in place and place.count("/") == 5 for place in places)
