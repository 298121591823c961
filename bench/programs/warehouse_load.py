"""A load of a warehouse by SQL templates, a loop over tables, and insertInto."""

import sys
from string import Template

from pyspark.sql import SparkSession

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
TABLES = {
    "orders": {"read": "parquet", "path": "raw/orders", "key": "id"},
    "customers": {"read": "csv", "path": "raw/customers.csv", "key": "customer", "header": "true"},
}
STAGE = Template("""
    CREATE OR REPLACE TEMP VIEW stage_$name AS
    SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY $key ORDER BY $key DESC) AS rn FROM raw_$name)
    WHERE rn = 1
""")
spark.sql("CREATE DATABASE IF NOT EXISTS dwh")
for name, table in TABLES.items():
    reader = spark.read.format(table["read"]).option("header", table.get("header", "false"))
    reader.load(f"{home}/{table['path']}").createOrReplaceTempView(f"raw_{name}")
    spark.sql(STAGE.substitute(name=name, key=table["key"]))
    spark.table(f"stage_{name}").drop("rn").write.mode("overwrite").saveAsTable(f"dwh.{name}")
    spark.sql(f"ANALYZE TABLE dwh.{name} COMPUTE STATISTICS")

spark.sql("""
    CREATE TABLE IF NOT EXISTS dwh.facts (customer STRING, amount DOUBLE, country STRING, day STRING)
    USING parquet PARTITIONED BY (day)
""")
facts = spark.sql(
    """
    WITH paid AS (SELECT customer, amount, day FROM dwh.orders WHERE status = :status)
    SELECT c.customer, p.amount, c.country, p.day FROM paid p
    JOIN dwh.customers c ON CAST(p.customer AS STRING) = c.customer
    WHERE EXISTS (SELECT 1 FROM dwh.orders o WHERE o.customer = p.customer AND o.amount > 1)
""",
    args={"status": "paid"},
)
facts.write.insertInto("dwh.facts")
spark.sql(
    "INSERT OVERWRITE dwh.facts PARTITION (day = '2024-01-03') SELECT string(customer), amount, 'x' "
    "FROM dwh.orders WHERE status = 'returned'"
)
for table in spark.catalog.listTables("dwh"):
    if not table.isTemporary:
        spark.table(f"dwh.{table.name}").write.mode("overwrite").parquet(
            f"{home}/backup/{table.name}"
        )
spark.sql(
    f"INSERT OVERWRITE DIRECTORY '{home}/export/facts' USING json SELECT * FROM dwh.facts LIMIT 10"
)
