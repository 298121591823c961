"""From the collector's events to what Airflow's OpenLineage listener attaches to a task."""
