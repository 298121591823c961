"""Our paths, URNs and proposals against acryl-datahub, which has an environment of its own."""

import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from airflow_colgraph.exports.datahub.platform import Mapping, Site, to_datahub
from airflow_colgraph.exports.datahub.proposals import CLASSES, proposals
from airflow_colgraph.exports.datahub.urn import ENVIRONMENTS, DatasetUrn, FieldUrn
from airflow_colgraph.exports.exporters import Options, send_all
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.path_forms import downgrade, paths
from airflow_colgraph.exports.schema.file import from_document
from airflow_colgraph.exports.schema.model import fields, native
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.model.latest_lineage import Dataset
from airflow_colgraph.store.store import Store
from tests.exports.standin import serving
from tests.exports.test_path_forms import AVRO, DOWNGRADED, SPARK, struct

pytestmark = [pytest.mark.datahub, pytest.mark.xdist_group("datahub")]

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venvs/datahub/bin/python"
CHECK = Path(__file__).with_name("acryl_check.py")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in its own environment, made if need be, and a home for what it keeps."""
    (ROOT / ".venvs").mkdir(exist_ok=True)
    with (ROOT / ".venvs/datahub.lock").open("w") as lock:  # several processes run tests
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["bash", ROOT / "dev/datahub.sh"], check=True)
    return tmp_path_factory.mktemp("home")


def ask(home: Path, **questions: Any) -> dict[str, Any]:
    quiet = {"HOME": str(home), "DATAHUB_TELEMETRY_ENABLED": "false", "PATH": os.environ["PATH"]}
    asked = subprocess.run(
        [PYTHON, CHECK],
        input=json.dumps(questions),
        env=quiet,
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr[-3_000:]
    answers: dict[str, Any] = json.loads(asked.stdout.splitlines()[-1])
    return answers


# The package never comes back from a record that holds itself in a nullable field.
ENDLESS = {"a linked list"}


def test_avro_paths_are_those_of_the_package(home: Path) -> None:
    schemas = {name: row[0] for name, row in AVRO.items() if name not in ENDLESS}
    theirs = ask(home, avro=list(schemas.values()))["avro"]
    ours = [paths(from_document(schema), "v2") for schema in schemas.values()]
    assert dict(zip(schemas, ours, strict=True)) == dict(zip(schemas, theirs, strict=True))


def hive_text(type_: Any) -> str:
    """A Spark type as Hive writes it: bigint for long."""
    names = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}
    text = native(type_)
    for ours, theirs in names.items():
        text = text.replace(ours, theirs)
    return text


def test_hive_paths_are_those_of_the_package(home: Path) -> None:
    simple = ["string", "binary", "date", "timestamp", "float", "boolean", "timestamp_ntz", "void"]
    columns = [row[0] for row in SPARK.values()]
    columns += [{"name": f"c{n}", "type": name} for n, name in enumerate(simple)]
    columns += [{"name": "n", "type": name} for name in ("integer", "short", "byte", "variant")]
    schemas = [from_document(struct(column)) for column in columns]
    asked = [
        [column["name"], hive_text(next(fields(schema)).type)]
        for column, schema in zip(columns, schemas, strict=True)
    ]
    theirs = ask(home, hive=asked)["hive"]
    ours = [paths(schema, "v2-hive") for schema in schemas]
    assert ours == [[path for path, _ in found] for found in theirs]


def test_simple_types_are_of_the_class_that_the_package_gives_them(home: Path) -> None:
    names = [
        *("string", "varchar(3)", "int", "bigint", "smallint", "tinyint", "double", "float"),
        *("boolean", "decimal(10,2)", "date", "timestamp"),
    ]
    theirs = ask(home, hive=[["c", name] for name in names])["hive"]
    assert {name: found[0][1] for name, found in zip(names, theirs, strict=True)} == {
        name: CLASSES[name.partition("(")[0]] for name in names
    }


# Java's rule, which is ours, and Python's differ for names that hold brackets.
ODD = {
    "[version=2.0].[type=long].[x",
    "[version=2.0].[type=long].a]",
    "[version=2.0]..[type=long]..a",
}


def test_downgrading_agrees_but_for_odd_names(home: Path) -> None:
    written = [
        path
        for row in AVRO.values()
        for path in paths(from_document(row[0]), "v2")
    ]  # fmt: skip
    asked = [*written, *DOWNGRADED]
    theirs = dict(zip(asked, ask(home, v2=asked)["v2"], strict=True))
    assert {path for path in asked if downgrade(path) != theirs[path]} == ODD


NAMES = ["demo.orders", "/demo/fact_orders", "a,b(c)", "sum(a, b)", "100% ä", "a\u241fb", "x[0]"]


def test_urns_are_those_of_the_package(home: Path) -> None:
    parts = [("kafka", name, "PROD", path) for name in NAMES for path in NAMES]
    ours = [str(FieldUrn(DatasetUrn(p, n, e), path)) for p, n, e, path in parts]
    answers = ask(home, parts=parts, urns=ours)
    assert answers["made"] == ours
    assert {kind for kind, *_ in answers["urns"]} == {"SchemaFieldUrn"}
    assert [urn[1] for urn in answers["urns"]] == [str(DatasetUrn(*p[:3])) for p in parts]
    assert answers["environments"] == sorted(ENVIRONMENTS)


def test_instances_are_written_as_the_package_does(home: Path) -> None:
    mapping = Mapping("DEV", {"postgres://h:5432": Site(instance="one")})
    ours = str(to_datahub("postgres://h:5432", "d.s.t", mapping))
    assert ask(home, instances=[["postgres", "d.s.t", "one", "DEV"]])["instances"] == [ours]


@pytest.mark.parametrize("form", ["v1", "v2-hive", "v2-openlineage"])
def test_the_package_takes_our_file(home: Path, tmp_path: Path, shop: Lineage, form: str) -> None:
    odd = [{"name": name, "type": kind} for name, kind in zip(NAMES, ODD_TYPES, strict=True)]
    every = Lineage(shop.outputs, {**shop.schemas, Dataset("file", "/odd, (name)"): odd})
    written = list(proposals(every, Mapping(), paths=form, indirect=True))
    file = tmp_path / "lineage.json"
    file.write_text(json.dumps(written))
    answers = ask(home, file=str(file), proposals=written, urns=[p["entityUrn"] for p in written])
    assert answers["valid"] == [True] * len(written)
    through = [{k: v for k, v in p.items() if k != "systemMetadata"} for p in answers["through"]]
    ours = [p for p in through if p["aspectName"] != "status"]
    assert [without_defaults(p) for p in ours] == written
    # The file source itself adds that each dataset is there.
    added = {p["entityUrn"] for p in through if p["aspectName"] == "status"}
    assert added <= {p["entityUrn"] for p in written}


def test_our_requests_to_a_gms_are_those_of_the_package(home: Path, store: Store) -> None:
    with serving(lambda request: (200, {"versions": {}})) as server:
        with store.connection() as connection:
            assert send_all(connection, "datahub", Options(), server.url, "t0p") == 7
        ours = list(server.requests)
        with store.connection() as connection:
            written = list(proposals(lineage(connection), Mapping()))
        assert ask(home, emit=server.url, proposals=written)["emit"] == 7
    theirs = [request for request in server.requests[7:] if request.method == "POST"]
    names = ("authorization", "content-type", "x-restli-protocol-version")
    seen = [
        [(r.method, r.path, [r.headers[name] for name in names]) for r in requests]
        for requests in (ours, theirs)
    ]
    assert seen[0] == seen[1]
    for mine, other in zip(ours, theirs, strict=True):
        del other.body["proposal"]["systemMetadata"]  # the time and id of the package's own run
        for body in (mine.body, other.body):
            aspect = body["proposal"]["aspect"]
            aspect["value"] = without_nobody(json.loads(aspect["value"]))
        assert mine.body == other.body


def test_the_package_refuses_what_is_wrong(home: Path, shop: Lineage) -> None:
    every = proposals(shop, Mapping())
    written = next(p for p in every if p["aspectName"] == "upstreamLineage")
    aspect = written["aspect"]["json"]
    (first, *_) = aspect["fineGrainedLineages"]
    wrong: list[dict[str, Any]] = [
        {**written, "aspectName": "upstreamLineages"},
        {**written, "entityUrn": "demo.orders"},
        {**written, "entityType": "dataJob"},
        {**written, "aspect": {"json": {"fineGrainedLineages": []}}},
        {**written, "aspect": {"json": {**aspect, "upstreams": [{"dataset": "x"}]}}},
        {
            **written,
            "aspect": {
                "json": {**aspect, "fineGrainedLineages": [{**first, "downstreamType": "COLUMN"}]}
            },
        },
    ]
    assert ask(home, proposals=[written, *wrong])["valid"] == [True] + [False] * len(wrong)


ODD_TYPES = [
    "struct<a:array<map<string,struct<b:decimal(3,1)>>>>",
    "map<int,array<string>>",
    "interval day to second",
    "binary",
    "timestamp_ntz",
    "date",
    "boolean",
]


def without_nobody(aspect: dict[str, Any]) -> dict[str, Any]:
    """The aspect without what the package adds when it writes one: times of no one."""
    nobody = {"time": 0, "actor": "urn:li:corpuser:unknown"}
    return {k: v for k, v in aspect.items() if k not in ("created", "lastModified") or v != nobody}


def without_defaults(proposal: dict[str, Any]) -> dict[str, Any]:
    aspect = without_nobody(proposal["aspect"]["json"])
    return {**proposal, "aspect": {"json": aspect}}
