"""A history of customers in Delta: created if it is not there, then closed and added by MERGE."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
TABLE = "dim.customers"

updates = (
    spark.read.option("header", True)
    .csv(f"{home}/raw/customers.csv")
    .withColumn("hash", F.sha2(F.concat_ws("|", "name", "country", "email"), 256))
)
spark.sql("CREATE SCHEMA IF NOT EXISTS dim")
if not spark.catalog.tableExists(TABLE):
    first = updates.withColumn("valid_from", F.lit("1900-01-01")).withColumn(
        "is_current", F.lit(True)
    )
    first.write.format("delta").saveAsTable(TABLE)

updates.createOrReplaceTempView("updates")
spark.sql(f"""
    MERGE INTO {TABLE} AS t USING (
        SELECT customer AS key, u.* FROM updates u
        UNION ALL
        SELECT NULL AS key, u.* FROM updates u JOIN {TABLE} d ON u.customer = d.customer
        WHERE d.is_current AND u.hash <> d.hash
    ) AS s ON t.customer = s.key AND t.is_current
    WHEN MATCHED AND t.hash <> s.hash THEN UPDATE SET is_current = false
    WHEN NOT MATCHED THEN INSERT (customer, name, country, email, hash, valid_from, is_current)
        VALUES (s.customer, s.name, s.country, s.email, s.hash, current_date(), true)
""")
spark.sql(f"UPDATE {TABLE} SET email = NULL WHERE country = 'DE' AND NOT is_current")
spark.sql(f"DELETE FROM {TABLE} WHERE name IS NULL")
spark.sql(f"""
    CREATE OR REPLACE TABLE dim.countries USING delta LOCATION '{home}/lake/countries' AS
    SELECT country, count(*) AS customers FROM {TABLE} WHERE is_current GROUP BY country
""")
spark.read.format("delta").load(f"{home}/lake/countries").write.mode("append").format("delta").save(
    f"{home}/lake/countries_log"
)
