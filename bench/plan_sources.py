"""What bench/programs read, as other teams have left it, and the options that some of them need."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.spark.jars import jars

CUSTOMERS = """customer,name,country,email
1,Ann,DE,ann@example.com
2,Bo,FR,bo@example.org
3,,DE,c@example.com
"""
CLICKS = [
    {
        "at": f"2024-01-01T10:0{number}:00",
        "user": {"id": number % 2, "geo": {"country": "DE"}},
        "items": [{"sku": sku, "qty": number} for sku in "ab"],
    }
    for number in range(4)
]
COLUMNS = ("id", "customer", "amount", "status")
ORDERS = {
    "2024-01-01": [(1, 1, 2.5, "paid"), (2, 2, 9.0, "returned")],
    "2024-01-02": [(3, 3, 4.0, "paid"), (4, 1, -1.0, "paid")],
}
PRODUCTS = """
CREATE TABLE APP.PRODUCTS (SKU VARCHAR(9) PRIMARY KEY, NAME VARCHAR(9), PRICE DECIMAL(9,2));
INSERT INTO APP.PRODUCTS VALUES ('a', 'Apple', 1.5), ('b', 'Bread', 3);
"""


def land(home: Path) -> None:
    """Write Parquet in partitions, a CSV file, nested JSON, and a database of Derby's beside it."""
    raw = home / "raw"
    for day, rows in ORDERS.items():
        (raw / "orders" / f"day={day}").mkdir(parents=True)
        table = pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in rows])
        pq.write_table(table, raw / "orders" / f"day={day}" / "part.parquet")
    (raw / "customers.csv").write_text(CUSTOMERS)
    (raw / "clicks").mkdir()
    for number, click in enumerate(CLICKS):
        (raw / "clicks" / f"{number}.json").write_text(json.dumps(click) + "\n")
    derby(Path(f"{home}-db"))


def rows(home: Path) -> Path:
    """Write the orders and customers as a file for `--rows`, beside the sources."""
    orders = [
        {**dict(zip(COLUMNS, row, strict=True)), "day": day}
        for day, of_day in ORDERS.items()
        for row in of_day
    ]
    customers = [
        {**row, "customer": int(row["customer"])} for row in csv.DictReader(CUSTOMERS.splitlines())
    ]
    file = Path(f"{home}-rows.json")
    by_source = {f"{home}/raw/orders": orders, f"{home}/raw/customers.csv": customers}
    file.write_text(json.dumps(by_source), encoding="utf-8")
    return file


def derby(database: Path) -> None:
    """Create the products, by the tool that comes with Spark's copy of Derby."""
    package = find_spec("pyspark")
    if package is None or package.origin is None:
        raise SystemExit("PySpark is not installed.")
    archives = os.pathsep.join(map(str, Path(package.origin).parent.glob("jars/derby*.jar")))
    tool = ("-cp", archives, "org.apache.derby.tools.ij")
    words = ["java", f"-Dderby.system.home={database.parent}", *tool]
    script = f"CONNECT 'jdbc:derby:{database};create=true';\n{PRODUCTS}EXIT;\n"
    subprocess.run(words, input=script, text=True, check=True, capture_output=True)


def options(program: str, home: Path) -> list[str]:
    """spark-submit's options for a program, by the format that its text names."""
    conf = {"spark.sql.warehouse.dir": f"{home}/warehouse"}
    named: tuple[str, ...] = ()
    if "delta" in program:
        named = jars("delta-spark_4.1_2.13", "delta-storage")
        conf["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
        conf["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    elif "iceberg" in program:
        named = jars("iceberg-spark-runtime-4.1_2.13")
        extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        conf["spark.sql.extensions"] = extensions
        conf["spark.sql.catalog.ice"] = "org.apache.iceberg.spark.SparkCatalog"
        conf["spark.sql.catalog.ice.type"] = "hadoop"
        conf["spark.sql.catalog.ice.warehouse"] = f"{home}/ice"
    words = [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    return [*words, *(("--jars", ",".join(named)) if named else ())]
