"""How much was read of a dataset: by the scans of Spark and Iceberg, and only if all are known."""

from typing import Any

from airflow_colgraph.collector.events.facets import input_datasets
from airflow_colgraph.collector.model import (
    Commit,
    Dataset,
    NamedDataset,
    Query,
    Read,
    Statistics,
    total,
)
from airflow_colgraph.collector.pipeline import counted_by, without_report
from airflow_colgraph.collector.spark.statistics import Scan, counted, statistics_of

T = NamedDataset(Dataset("file", "/t"))
U = NamedDataset(Dataset("file", "/u"))
ONE = Read((T,), (("a", "int"),))


def metric(name: str, text: str, value: int) -> str:
    return f"{name} -> SQLMetric(id: 12, name: Some({text}), value: {value})"


def statistics(read: dict[str, Any]) -> dict[str, int]:
    facet = read.get("inputFacets", {}).get("inputStatistics", {})
    return {key: value for key, value in facet.items() if not key.startswith("_")}


def test_the_metrics_of_an_iceberg_scan() -> None:
    metrics = ", ".join(
        [
            metric("totalDataFileSize", "total file size (bytes)", 700),
            metric("resultDataFiles", "number of result data files", 2),
            metric("numOutputRows", "number of output rows", 3),
            metric("skippedDataFiles", "number of skipped data files", 9),
        ]
    )
    counts = {"resultDataFiles": 2, "skippedDataFiles": 9, "totalFileSizeInBytes": 700}
    assert statistics_of(f"HashMap({metrics})") == Statistics(3, 700, 2, counts)
    two = total([Statistics(3, 700, 2, counts)] * 2)
    assert (two.rows, two.metrics["skippedDataFiles"]) == (6, 18)
    assert total([two, Statistics(1, 2, 3)]).metrics == {}


def test_rows_that_a_plan_reads_again_are_of_unknown_files() -> None:
    """The second `collect` of a frame had read 5 rows of 0 bytes and 0 files."""
    for size, files in (("filesSize", "numFiles"), ("totalDataFileSize", "resultDataFiles")):
        zero = f"{metric(size, 'size', 0)}, {metric(files, 'files', 0)}"
        rows = metric("numOutputRows", "number of output rows", 5)
        assert statistics_of(f"Map({zero}, {rows})") == Statistics(5)
        assert statistics_of(f"Map({zero})")[:3] == (None, 0, 0)


def test_a_read_has_the_sums_of_the_scans_of_its_columns() -> None:
    scans = [
        Scan(frozenset({1, 2}), Statistics(1, 10, 1)),
        Scan(frozenset({2}), Statistics(2, 20, 1)),
        Scan(frozenset({3}), Statistics(4, 40, 1)),
    ]
    assert counted((1, 2), ONE, scans).statistics == Statistics(3, 30, 2)
    assert counted((9,), ONE, scans).statistics is None
    assert counted((1,), ONE._replace(datasets=(T, U)), scans).statistics is None


def test_iceberg_s_reports_are_left_out_unless_they_are_asked_for() -> None:
    report = {"addedRecords": 1}, Commit(7, 2, "append")
    written = ONE._replace(statistics=Statistics(1, 2, 3, *report))
    query = Query("command", "", [], {(1,): written}, {})
    (read,) = counted_by(query, without_report).reads.values()
    assert read.statistics == Statistics(1, 2, 3)
    assert without_report(Statistics(None, None, None, *report)) is None


def test_a_dataset_has_statistics_if_all_its_reads_have() -> None:
    rows = ONE._replace(statistics=Statistics(3))
    files = ONE._replace(statistics=Statistics(4, 40, 1))
    (both,) = input_datasets([rows, files])
    assert statistics(both) == {"rowCount": 7}
    (unknown,) = input_datasets([files, ONE])
    assert statistics(unknown) == {}
