"""A report in SQL over tables of the catalog: routes, and the carriers' share of late flights."""

import argparse

from pyspark.sql import SparkSession

arguments = argparse.ArgumentParser()
arguments.add_argument("--enriched", required=True)
arguments.add_argument("--out", required=True)
places = arguments.parse_args()

spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE DATABASE IF NOT EXISTS flights")
spark.sql(f"CREATE TABLE flights.enriched USING parquet LOCATION '{places.enriched}'")
spark.sql(f"""
    CREATE TABLE flights.routes (origin STRING, dest STRING, haul STRING, flights BIGINT)
    USING parquet LOCATION '{places.out}/routes'
""")
spark.sql(f"""
    CREATE TABLE flights.lateness (scope STRING, name STRING, flights BIGINT, late BIGINT,
                                   share_late DOUBLE)
    USING parquet LOCATION '{places.out}/lateness'
""")

spark.sql("""
    INSERT OVERWRITE flights.routes
    WITH flown AS (SELECT * FROM flights.enriched WHERE air_time IS NOT NULL)
    SELECT origin, dest,
           CASE WHEN max(distance) < 700 THEN 'short'
                WHEN max(distance) < 2000 THEN 'middle'
                ELSE 'long' END AS haul,
           count(*) AS flights
    FROM flown
    GROUP BY origin, dest
""")

spark.sql("""
    INSERT OVERWRITE flights.lateness
    WITH late AS (SELECT airline, origin_name, arr_delay > 15 AS is_late FROM flights.enriched)
    SELECT 'airline' AS scope, airline AS name, count(*) AS flights,
           count(*) FILTER (WHERE is_late) AS late,
           count(*) FILTER (WHERE is_late) / count(*) AS share_late
    FROM late GROUP BY airline
    UNION ALL
    SELECT 'airport', origin_name, count(*),
           count(*) FILTER (WHERE is_late),
           count(*) FILTER (WHERE is_late) / count(*)
    FROM late GROUP BY origin_name
""")
spark.stop()
