"""Column-level lineage of Spark jobs in Airflow, without a JVM jar."""

__version__ = "0.1.0"
