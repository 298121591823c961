"""A page of another origin before `colgraph serve`, in a real browser."""

import json
from pathlib import Path

import pytest

from airflow_colgraph.store.store import Store
from tests.cli.test_serve import serving
from tests.store.samples import copy_event
from tests.ui.conftest import Browse

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]


def test_a_page_of_another_origin_neither_writes_nor_reads(tmp_path: Path, browse: Browse) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    event = copy_event("shop.mart", 1, "mart", {"t": "raw.a"})
    store = Store.open(url)
    store.add(event)
    store.close()
    with serving(url) as (address, _):
        assert browse("origin.mjs", COLGRAPH_ADDRESS=address, EVENT=json.dumps(event)) == 7
