import pytest

from airflow_colgraph.collector.naming.datasets import trimmed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/data/key=value", "/data"),
        ("/data/20250722T0901Z", "/data"),
        ("/data/20250722T901Z", "/data"),
        ("/data/2025/07/21", "/data"),
        ("/data/2025/07", "/data"),
        ("/data/2025-07-22", "/data"),
        ("/data/22.07.2025", "/data"),
        ("/data/2025-07-22 09:01:30", "/data"),
        ("/data/20250721", "/data"),
        ("/data/202507", "/data"),
        ("/data/2025-07", "/data"),
        ("data/2025-07", "data"),
        ("data/a=1/b=2", "data"),
        ("/lake/orders/2025/07/21/hour=7", "/lake/orders"),
        ("/lake/orders/region=eu/20250721", "/lake/orders"),
    ],
)
def test_partitions_are_trimmed(name: str, expected: str) -> None:
    assert trimmed(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "/data/20122321",
        "/data/2025/14",
        "/data/2025/07/50",
        "/data/a=b=c",
        "/data/dataset_20122321",
        "/data/orders_20250721",
        "/data/202540",
        "/data/v2",
        "/data/2025",
        "/20250721",
        "20250721",
        "key=value",
        "/key=value",
        "/2025/07",
        "2025/07",
        "/2025/07/21",
        "/",
        "",
    ],
)
def test_other_names_stay(name: str) -> None:
    assert trimmed(name) == name
