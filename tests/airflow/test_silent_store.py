"""A real API server of Airflow whose lineage database accepts connections and says nothing."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from dev.demo_airflow import Airflow
from tests.silent_server import silent_server

pytestmark = [pytest.mark.airflow, pytest.mark.xdist_group("airflow")]

LONG = 300  # seconds, within which anything ends


def status(url: str) -> tuple[int, str | None]:
    """The status of an answer, and when to ask again."""
    try:
        with urlopen(url, timeout=LONG) as answer:
            return answer.status, answer.headers["Retry-After"]
    except HTTPError as error:
        return error.code, error.headers["Retry-After"]


def test_airflow_answers_while_the_store_does_not(tmp_path: Path) -> None:
    """No earlier test started Airflow with a store that does not answer."""
    count = 60
    with silent_server() as silent, ThreadPoolExecutor(count) as threads:
        variables = {
            "AIRFLOW__COLGRAPH__STORE": f"postgresql://me@127.0.0.1:{silent.port}/lineage",
            "AIRFLOW__COLGRAPH__DEADLINE_SECONDS": "60",
        }
        home = tmp_path / "airflow"
        with Airflow(home, tmp_path, variables, programs=("api-server",)) as airflow:
            airflow.start()
            assert silent.connections == 0
            asked = [
                threads.submit(status, f"{airflow.address}/colgraph/health") for _ in range(count)
            ]
            version = status(f"{airflow.address}/api/v2/version")
            waiting = [request for request in asked if not request.done()]
            silent.close()
            answers = {request.result() for request in asked}
    assert (version, len(waiting)) == ((200, None), count)
    assert answers == {(503, "5")}
