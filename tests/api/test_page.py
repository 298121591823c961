from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from airflow_colgraph.api import page


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>colgraph</title>")
    (tmp_path / "assets" / "index-1a2b.js").write_text("1")
    return tmp_path


def client(dist: Path) -> TestClient:
    app = FastAPI()
    page.add_page(app, dist)
    return TestClient(app)


def test_the_page_is_asked_for_again_and_its_assets_are_kept(dist: Path) -> None:
    first = client(dist).get("/")
    assert (first.status_code, first.text) == (200, "<title>colgraph</title>")
    assert first.headers["cache-control"] == "no-cache"
    asset = client(dist).get("/assets/index-1a2b.js")
    assert (asset.text, "immutable" in asset.headers["cache-control"]) == ("1", True)
    assert client(dist).get("/assets/../index.html%00").status_code == 404
    assert client(dist).get("/assets/none.js").status_code == 404


def test_a_missing_bundle_is_one_sentence_that_says_how_to_build_it(tmp_path: Path) -> None:
    answer = client(tmp_path).get("/")
    assert (answer.status_code, answer.text) == (503, page.MISSING)
    assert "make ui" in page.MISSING
    assert client(tmp_path).get("/assets/index.js").status_code == 404
