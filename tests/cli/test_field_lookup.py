"""Questions on the command line about fields by their DataHub paths and URNs."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import main
from airflow_colgraph.store.store import Store
from tests.exports.samples import FACTS, ORDERS, daily, event, load, made_of

KAFKA = "urn:li:dataset:(urn:li:dataPlatform:kafka,demo.orders,PROD)"


def ask(tmp_path: Path, name: str, field: str) -> Result:
    store = f"sqlite:///{tmp_path / 'lineage.db'}"
    asked = ["downstream", "--name", name, "--field", field, "--format", "csv"]
    return CliRunner().invoke(main, ["--store", store, *asked])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with Store.open(f"sqlite:///{tmp_path / 'lineage.db'}") as store:
        store.add([load(), daily()])
    return tmp_path


@pytest.mark.parametrize(
    "field",
    [
        "/header/timeStamp",
        "[version=2.0].[type=struct].[type=struct].header.[type=timestamp].timeStamp",
        f"urn:li:schemaField:({KAFKA},header.timeStamp)",
        f"urn:li:datasetField:({KAFKA},/header/timeStamp)",
    ],
)
def test_a_field_by_every_name(shop: Path, field: str) -> None:
    plain = ask(shop, ORDERS[1], "header.timeStamp")
    assert len(plain.stdout.splitlines()) == 3
    found = ask(shop, ORDERS[1], field)
    assert (found.exit_code, found.stdout) == (0, plain.stdout)


def test_an_ambiguous_name_is_wrong_usage(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'lineage.db'}") as store:
        schema = [{"name": "Id", "type": "long"}, {"name": "ID", "type": "long"}]
        fields = {"Id": [made_of(ORDERS, "a")], "ID": [made_of(ORDERS, "b")]}
        store.add(event("a.b", 1, "2026-11-20T10:00:00Z", {ORDERS: []}, FACTS, schema, fields))
    found = ask(tmp_path, FACTS[1], "/id")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "colgraph: error: Field '/id' is ambiguous. Write one of: /ID, /Id.\n"


def test_a_malformed_path_is_wrong_usage(shop: Path) -> None:
    found = ask(shop, ORDERS[1], "/header//x")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "colgraph: error: Field path '/header//x' has an empty name.\n"
