"""What a textfile collector reads of the store and of a spool."""

import json
from pathlib import Path

from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from airflow_colgraph.cli import main
from airflow_colgraph.collector.sinks.spool import Spool
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event

EVENT = copy_event("load", 1, "raw", {"x": "csv.a"})


def values(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def written(url: str, spool: Path, file: Path) -> dict[tuple[str, ...], float]:
    words = ["--store", url, "metrics", "--spool", str(spool), str(file)]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.output) == (0, "")
    return values(file.read_text())


def test_metrics_of_the_store_and_the_spool(tmp_path: Path) -> None:
    url, spool, file = f"sqlite:///{tmp_path}/s.db", tmp_path / "spool", tmp_path / "colgraph.prom"
    Store.open(url).add(EVENT)
    keeper = Spool(str(spool))
    paths = [keeper.keep(EVENT) for _ in range(3)]
    (spool / "refused").mkdir()
    Path(paths[0]).rename(spool / "refused" / Path(paths[0]).name)
    (spool / "dropped.log").write_text(json.dumps({"at": 1, "events": 7}) + "\n")
    metrics = written(url, spool, file)
    assert metrics["colgraph_spool_events",] == 2
    assert metrics["colgraph_spool_bytes",] == 2 * Path(paths[1]).stat().st_size
    assert metrics["colgraph_spool_dropped",] == 7
    assert metrics["colgraph_spool_refused",] == 1
    assert 0 <= metrics["colgraph_spool_oldest_seconds",] < 600
    assert metrics["colgraph_store_ready",] == 1
    assert metrics["colgraph_store_rows", "run"] == 1
    assert metrics["colgraph_store_bytes", "run"] > 0
    assert metrics["colgraph_newest_lineage_age_seconds", "jobs"] != 0
    assert (metrics["colgraph_jobs", "complete"], metrics["colgraph_jobs", "incomplete"]) == (1, 0)
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


def test_a_store_that_is_away_is_a_metric(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.prom"
    metrics = written(f"sqlite:///{tmp_path}/none.db", tmp_path / "no-spool", file)
    assert metrics["colgraph_store_ready",] == 0
    assert metrics["colgraph_spool_events",] == 0
    assert not (tmp_path / "none.db").exists()
