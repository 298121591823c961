"""A command of `colgraph warehouse` as a Spark application: its arguments are the command's."""

from airflow_colgraph.cli.warehouse import warehouse

warehouse()
