"""The run of an application: what its events say of it."""

from types import SimpleNamespace
from typing import Any

import pytest

from airflow_colgraph.collector.driver.application_run import run_of
from airflow_colgraph.collector.settings import read

PROPERTIES = {
    "spark.executor.memory": "4g",
    "spark.hadoop.fs.s3a.secret.key": "s3cretB",
    "spark.redis.url": "redis://user:s3cretB@host/0",
}


def context(properties: dict[str, str]) -> Any:
    """A SparkContext of the JVM."""
    return SimpleNamespace(
        appName=lambda: "job",
        version=lambda: "4.1.3",
        applicationId=lambda: "local-1",
        master=lambda: "local[1]",
        deployMode=lambda: "client",
        sparkUser=lambda: "spark",
        conf=lambda: SimpleNamespace(contains=properties.__contains__, get=properties.__getitem__),
    )


def facets(**options: str) -> dict[str, Any]:
    settings = read({f"spark.colgraph.{name}": text for name, text in options.items()})
    return dict(run_of(context(PROPERTIES), settings).run_facets)


def test_nothing_is_captured_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "finance")
    assert {"spark_properties", "environmentVariables"}.isdisjoint(facets())


def test_what_is_named_is_sent_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event had properties or variables, which the jar sends by an allow-list."""
    monkeypatch.setenv("TEAM", "finance")
    monkeypatch.setenv("DB_PASSWORD", "s3cretB")
    monkeypatch.delenv("NOT_SET", raising=False)
    sent = facets(
        capturedProperties=", ".join([*PROPERTIES, "spark.not.set"]),
        capturedEnvironment="TEAM,DB_PASSWORD,NOT_SET",
    )
    assert sent["spark_properties"]["properties"] == {
        "spark.executor.memory": "4g",
        "spark.hadoop.fs.s3a.secret.key": "***",
        "spark.redis.url": "redis://host/0",
    }
    assert sent["environmentVariables"]["environmentVariables"] == [
        {"name": "TEAM", "value": "finance"},
        {"name": "DB_PASSWORD", "value": "***"},
    ]
    assert sent["environmentVariables"]["_schemaURL"].endswith("EnvironmentVariablesRunFacet")


def test_the_jars_property_counts_too() -> None:
    settings = read({"spark.openlineage.capturedProperties": "spark.executor.memory"})
    run_facets = run_of(context(PROPERTIES), settings).run_facets
    assert run_facets["spark_properties"]["properties"] == {"spark.executor.memory": "4g"}
