"""The wheel: it contains the page, and whoever installs it needs no Node.js."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from dev import build_ui

pytestmark = [pytest.mark.ui, pytest.mark.xdist_group("ui")]

ASK = """
import airflow_colgraph
from fastapi.testclient import TestClient
from airflow_colgraph.api.app import create_app
from airflow_colgraph.store.store import Store

client = TestClient(create_app(Store.open("sqlite://")))
print(airflow_colgraph.__file__)
print(client.get("/").text)
"""


def test_the_wheel_serves_the_page_where_there_is_no_node(tmp_path: Path) -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "build", "--quiet", "--wheel", "-o", tmp_path, build_ui.ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    page = {name for name in ZipFile(wheel).namelist() if name.startswith("airflow_colgraph/ui/")}
    built = {path for path in build_ui.DIST.rglob("*") if path.is_file()}
    assert page == {str(path.relative_to(build_ui.ROOT)) for path in built}
    site = tmp_path / "site"
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--target", site, wheel]
    subprocess.run(install, check=True, env={**os.environ, "PATH": "/none"})
    asked = subprocess.run(
        [sys.executable, "-c", ASK],
        env={"PATH": "/none", "PYTHONPATH": str(site), "HOME": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    where, _, html = asked.stdout.partition("\n")
    assert Path(where).is_relative_to(site)
    assert html.strip() == (build_ui.DIST / "index.html").read_text().strip()
