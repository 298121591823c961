"""`colgraph export` and `convert`: files, servers, and the one line for wrong usage."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main
from airflow_colgraph.exports.exporters import FORMATS
from airflow_colgraph.store.store import Store
from tests.exports.samples import daily, load
from tests.exports.standin import serving


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The shop in a SQLite file."""
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    with Store.open(url) as store:
        store.add([load(), daily()])
    return url


def run(url: str, *options: str, **how: Any) -> Result:
    return CliRunner().invoke(main, ["--store", url, *options], **how)


UNITS = {
    "openlineage": "2 events",
    "datahub": "7 aspects",
    "datahub-rfc": "35 documents",
    "openmetadata": "2 documents",
    "mermaid": "7 edges",
    "dot": "7 edges",
    "csv": "11 edges",
    "parquet": "11 edges",
}


@pytest.mark.parametrize("name", UNITS)
def test_a_file(url: str, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    result = run(url, "export", name, "--output", str(out))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{UNITS[name]} written to {out}\n"
    assert oct(out.stat().st_mode & 0o777) == oct(0o666 & ~umask())
    if name != "parquet":
        printed = run(url, "export", name)
        assert printed.stdout_bytes == out.read_bytes()
    assert {p.name for p in tmp_path.iterdir() if "lineage.db" not in p.name} == {"out"}


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_formats_are_all_in_the_help() -> None:
    text = CliRunner().invoke(main, ["export", "--help"]).stdout
    described = {word.strip(",") for line in text.splitlines() for word in line.split()[:2]}
    assert set(FORMATS) <= described
    assert "Example: colgraph export datahub --since now-1d --output lineage.json" in text
    converted = " ".join(CliRunner().invoke(main, ["convert", "--help"]).stdout.split())
    assert "colgraph convert --from datahub-rfc aspects.json | colgraph ingest -" in converted


def test_quiet_prints_nothing(url: str, tmp_path: Path) -> None:
    result = run(url, "export", "csv", "-q", "-o", str(tmp_path / "out"))
    assert (result.exit_code, result.output) == (0, "")


def test_since(url: str) -> None:
    found = run(url, "export", "openlineage", "--since", "2026-11-20T10:30:00Z").stdout.splitlines()
    assert [json.loads(line)["job"]["name"] for line in found] == ["shop.daily"]
    assert run(url, "export", "openlineage", "--since", "2026-11-21").stdout == ""


def test_options_change_what_is_written(url: str, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"env": "DEV", "cluster": "lab"}))
    found = run(
        url,
        *("export", "datahub", "--mapping", str(mapping), "--paths", "v2-hive", "--indirect"),
        *("--aspect", "upstreamLineage", "--aspect", "dataJobInputOutput"),
    )
    proposals = json.loads(found.stdout)
    assert [p["aspectName"] for p in proposals] == ["upstreamLineage"] * 2 + [
        "dataJobInputOutput"
    ] * 2
    assert {p["entityUrn"].rpartition(",")[2] for p in proposals[:2]} == {"DEV)"}
    assert proposals[2]["entityUrn"].startswith(
        "urn:li:dataJob:(urn:li:dataFlow:(airflow,shop,lab)"
    )
    text = found.stdout
    assert all(mark in text for mark in ("[version=2.0].[type=struct]", "INDIRECT:GROUP_BY"))


def test_the_facets_of_events(url: str) -> None:
    (_, line) = run(url, "export", "openlineage", "--facets", "legacy").stdout.splitlines()
    (output,) = json.loads(line)["outputs"]
    assert "dataset" not in output["facets"]["columnLineage"]
    (_, line) = run(url, "export", "openlineage", "--facets", "lineage").stdout.splitlines()
    assert set(json.loads(line)["job"]["facets"]) == {"lineage"}


def test_a_state_file_leaves_only_what_is_new(url: str, tmp_path: Path) -> None:
    out, state = tmp_path / "out", tmp_path / "state"
    again = ("export", "datahub", "-o", str(out), "--state", str(state))
    assert run(url, *again).stdout == f"7 aspects written to {out}\n"
    assert run(url, *again).stdout == f"0 aspects written to {out}\n"
    assert json.loads(out.read_text()) == []
    with Store.open(url) as store:
        store.add(load(3, "2026-11-21T10:00:00Z", note="TRANSFORMATION"))
    assert run(url, *again).stdout == f"2 aspects written to {out}\n"


def test_a_server(url: str) -> None:
    with serving() as server:
        given = ("export", "openlineage", "--url", f"{server.url}/api/v1/lineage")
        result = run(url, *given, env={"COLGRAPH_EXPORT_TOKEN": "t0p"})
    assert result.stdout == f"2 events sent to {server.url}/api/v1/lineage\n"
    assert [r.headers["authorization"] for r in server.requests] == ["Bearer t0p"] * 2


def test_a_server_that_refuses_and_the_state_after(url: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with serving(lambda request: (200 if len(server.requests) <= 2 else 403, "no")) as server:
        given = ("export", "datahub", "--url", server.url, "--state", str(state))
        result = run(url, *given, "--token", "t0p")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"colgraph: error: POST {server.url}/aspects: 403 Forbidden: no.\n"
    assert len(json.loads(state.read_text())) == 2
    with serving() as server:
        given = ("export", "datahub", "--url", server.url, "--state", str(state))
        assert run(url, *given).stdout == f"5 aspects sent to {server.url}\n"


def test_what_is_left_out_is_printed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    event = load()
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    fields["x" * 600] = fields["note"]
    with Store.open(url) as store:
        store.add(event)
    result = run(url, "export", "datahub-rfc")
    assert result.exit_code == 0
    assert result.stderr == (
        f"colgraph: warning: Left out: Field path '/{'x' * 59}...' has 601 characters, "
        "more than the 500 that DataHub allows.\n"
    )


WRONG = {
    "no format": (["export"], "Missing argument 'FORMAT'"),
    "an unknown format": (["export", "xml"], "'xml' is not one of 'openlineage', 'datahub', "),
    "a bad time": (["export", "csv", "--since", "soon"], "colgraph: error: 'soon' is not a time."),
    "two ends": (
        ["export", "datahub", "-o", "x", "--url", "http://h"],
        "colgraph: error: Both a path and a URL are given. Expected one.",
    ),
    "parquet on a terminal": (
        ["export", "parquet"],
        "colgraph: error: parquet is binary: --output FILE is needed.",
    ),
    "a server for a drawing": (
        ["export", "dot", "--url", "http://h"],
        "colgraph: error: Option 'url' does not apply to dot. It applies to: openlineage, datahub, "
        "openmetadata.",
    ),
    "facets of a table": (
        ["export", "csv", "--facets", "both"],
        "colgraph: error: Option 'facets' does not apply to csv. It applies to: openlineage.",
    ),
    "aspects of a table": (
        ["export", "csv", "--aspect", "upstreamLineage"],
        "colgraph: error: Option 'aspects' does not apply to csv. It applies to: datahub.",
    ),
    "a state for a table": (
        ["export", "csv", "--state", "x"],
        "colgraph: error: Option 'state' does not apply to csv. It applies to: openlineage, "
        "datahub, datahub-rfc, openmetadata.",
    ),
    "no folder": (
        ["export", "csv", "-o", "/no/such/x"],
        "colgraph: error: There is no folder /no/such.",
    ),
    "no aspects": (
        ["convert", "--from", "datahub-rfc", "-"],
        "colgraph: error: <stdin>: Line 1 is no",
    ),
    "no time": (
        ["convert", "--from", "datahub-rfc", "--at", "soon", "-"],
        "colgraph: error: 'soon' is not a time.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_reported_in_one_line(url: str, name: str) -> None:
    options, message = WRONG[name]
    result = run(url, *options, input="{")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    if message.startswith("colgraph"):
        assert result.stderr.startswith(message)
        assert result.stderr.count("\n") == 1


def test_bad_files_of_the_user_are_named(url: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[]")
    result = run(url, "export", "datahub", "--mapping", str(bad))
    assert (result.exit_code, result.stderr) == (
        2,
        f"colgraph: error: {bad}: The mapping is not a JSON object.\n",
    )
    result = run(url, "export", "datahub", "--state", str(bad))
    assert (result.exit_code, result.stderr) == (
        2,
        f"colgraph: error: {bad}: The file is not the state of an export. Expected a file that "
        "an export wrote.\n",
    )


def test_an_address_that_is_none(url: str) -> None:
    result = run(url, "export", "datahub", "--url", "gms:8080")
    assert (result.exit_code, result.stderr) == (
        2,
        "colgraph: error: '***' is not a URL. Expected http://host:port or https://host.\n",
    )


def test_a_file_that_failed_is_not_left_half(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.write_text("the last export")
    monkeypatch.setattr("airflow_colgraph.exports.formats.edge_table.EPOCH", None)
    result = run(url, "export", "csv", "-o", str(out))
    assert isinstance(result.exception, TypeError)
    assert out.read_text() == "the last export"
    assert {p.name for p in tmp_path.iterdir() if "lineage.db" not in p.name} == {"out"}


def test_the_rfc_goes_through_convert_and_ingest_into_another_store(
    url: str, tmp_path: Path
) -> None:
    mapping = tmp_path / "mapping.json"
    hosts = ("kafka://broker:9092", "hdfs://nn:8020", "postgres://db:5432")
    mapping.write_text(json.dumps({"namespaces": {host: {} for host in hosts}}))
    aspects = run(url, "export", "datahub-rfc", "--mapping", str(mapping)).stdout
    convert = ("convert", "--from", "datahub-rfc", "--at", "2026-11-20T12:00Z")
    events = run(url, *convert, "--mapping", str(mapping), "-", input=aspects).stdout
    other = f"sqlite:///{tmp_path / 'other.db'}"
    assert run(other, "ingest", "-", input=events).stdout == "3 events added\n"
    asked = ("upstream", "--name", "shop.mart.daily", "--field", "day", "--format", "csv")
    found = [line.split(",")[2:11] for line in run(other, *asked).stdout.splitlines()[1:]]
    assert found == [
        ["hdfs://nn:8020", "/demo/fact_orders", "timeStamp",
         "postgres://db:5432", "shop.mart.daily", "day", "DIRECT", "TRANSFORMATION", "false"],
        ["kafka://broker:9092", "demo.orders", "header.timeStamp",
         "hdfs://nn:8020", "/demo/fact_orders", "timeStamp", "DIRECT", "IDENTITY", "false"],
    ]  # fmt: skip
    again = run(other, "export", "datahub-rfc", "--mapping", str(mapping)).stdout
    assert lineages(again) == lineages(aspects)


def lineages(text: str) -> list[Any]:
    found = [json.loads(line) for line in text.splitlines()]
    return [one for one in found if "DatasetUpstreamLineage" in one]
