"""The rights that docs/operating.md gives to servers and workers are enough, and no more."""

import re
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from airflow_colgraph.store import readiness
from airflow_colgraph.store.admin import api_keys
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from tests.store.packaged_server import packaged_server
from tests.store.samples import copy_event
from tests.test_delivery import colgraph

pytestmark = pytest.mark.packaged_postgres
PAGE = Path(__file__).parents[2] / "docs" / "operating.md"


def test_a_role_that_owns_nothing(tmp_path: Path) -> None:
    (grants,) = re.findall(r"^```sql\n(GRANT.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    with packaged_server() as owner:
        Store.open(owner).close()
        admin = create_engine(make_url(owner).set(drivername="postgresql+psycopg"))
        with admin.begin() as connection:
            for statement in ("CREATE ROLE lineage LOGIN", *grants.split(";\n")[:-1]):
                connection.exec_driver_sql(statement)
        admin.dispose()
        url = owner.replace("postgres@", "lineage@")
        with Store.open(url) as store:
            for minute, column in enumerate(("a", "b", "c"), 1):
                store.add(copy_event("shop.mart", minute, "mart", {"t": f"raw.{column}"}))
            assert not any(readiness.checks(store).values())
            assert len(upstream(store, "n", "mart", "t").edges) == 1
            assert prune(store, clock.parse("now")).runs == 2
            assert api_keys.add(store, "airflow", ["read"])
            for words in (
                ["forget", "--dataset", "mart", "--yes"],
                ["retire", "--namespace", "jobs", "--job", "shop.mart"],
                ["db", "size"],
                ["db", "backup", str(tmp_path / "copy.db")],
            ):
                done = colgraph("--store", url, *words)
                assert "permission denied" not in done.output
                assert done.exit_code == 0, done.output
            with pytest.raises(StoreError, match="must be owner"), store.connection() as connection:
                connection.exec_driver_sql("DROP TABLE colgraph_edge")
