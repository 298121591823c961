"""Airflow operators that submit Spark jobs with the lineage collector in them."""
