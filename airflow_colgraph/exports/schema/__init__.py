"""Dataset schemas of Spark, Avro, Hive DDL and OpenLineage as one model."""
