import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.store_reader import lineage
from airflow_colgraph.store.store import Store
from tests.exports.samples import daily, load


@pytest.fixture(scope="session")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop in a SQLite file that nobody changes."""
    file = tmp_path_factory.mktemp("shop") / "lineage.db"
    with Store.open(f"sqlite:///{file}") as store:
        store.add([load(), daily()])
    return file


@pytest.fixture
def store(shop_file: Path, tmp_path: Path) -> Iterator[Store]:
    """The shop in a store of the test's own."""
    shutil.copy(shop_file, tmp_path / "shop.db")
    with Store.open(f"sqlite:///{tmp_path / 'shop.db'}", migrate=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def shop(shop_file: Path) -> Lineage:
    """The shop's lineage."""
    opened = Store.open(f"sqlite:///{shop_file}", migrate=False)
    with opened as store, store.connection() as connection:
        return lineage(connection)
