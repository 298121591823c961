"""SparkSqlOperator with column lineage on the task's events.

It has the arguments of the provider's operator. `spark-sql` is spark-submit with a main class of
Spark's own, so the collector is attached as for a jar: by the launcher.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

from airflow_colgraph.operators.collector_archive import CollectorFiles
from airflow_colgraph.operators.hook_mixin import HookLineage
from airflow_colgraph.operators.inject import inject
from airflow_colgraph.operators.submit_arguments import NotPossible

SQL_CLI = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"
OF_THE_CLI = {"-d", "--define", "--database", "-e", "-f", "-H", "--hiveconf", "--hivevar", "-i"}


def pairs(conf: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """The properties in the operator's `conf`: a dict, or `name=value,name=value`."""
    if not isinstance(conf, str):
        return dict(conf or {})
    parts = (part.partition("=") for part in conf.split(","))
    return {name.strip(): value for name, _, value in parts}


def as_submit(command: list[str], at: CollectorFiles) -> list[str]:
    """The `spark-sql` command line as spark-submit's, with the collector.

    The options of Spark's SQL shell follow the launcher and the shell's main class.

    >>> as_submit(["spark-sql", "-e", "SELECT 1", "--name", "n"], CollectorFiles("c.zip", "l.py"))
    ... # doctest: +NORMALIZE_WHITESPACE
    ['spark-submit', '--name', 'n', '--py-files', 'c.zip', 'l.py',
     'org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver', '-e', 'SELECT 1']
    """
    if command[:1] != ["spark-sql"]:
        raise NotPossible(f"{command[:1]} is not spark-sql")
    submit: list[str] = []
    shell: list[str] = []
    words = iter(command[1:])
    for word in words:
        if word in OF_THE_CLI:
            shell += [word, next(words)]
        else:
            submit.append(word)
    return ["spark-submit", *submit, "--py-files", at.archive, at.launcher, SQL_CLI, *shell]


class SparkSqlLineage(HookLineage):
    """For SparkSqlOperator and your subclasses of it."""

    _conf: dict[str, Any] | str | None

    def colgraph_properties(self) -> Mapping[Any, Any]:
        """The properties in `conf`."""
        return pairs(self._conf)

    def _add_collector(self, hook: Any, context: Any, at: CollectorFiles) -> None:
        dag_properties = pairs(hook._conf)
        properties = inject(dag_properties, context)
        stock = hook._prepare_command
        as_submit(stock(""), at)
        self._collector_added(properties)
        hook._conf = self._token_in_environment(properties, dag_properties)
        hook._prepare_command = lambda more: as_submit(stock(more), at)


class ColgraphSparkSqlOperator(SparkSqlLineage, SparkSqlOperator):  # type: ignore[misc]
    """The provider's SparkSqlOperator, with column lineage.

    Args:
        kwargs: The arguments of `SparkSqlOperator` in apache-airflow-providers-apache-spark.

    Returns:
        As `ColgraphSparkSubmitOperator`.

    Raises:
        AirflowException: As the stock operator. A failure of lineage collection is only logged.
    """
