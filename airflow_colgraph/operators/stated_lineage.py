"""Lineage that the author of a Python task states, on the task's own event.

EXPORT = StatedLineage(
    '''
    export
      day   <- daily.day    DIRECT:IDENTITY
      total <- daily.total  DIRECT:TRANSFORMATION
    ''',
    {
        "export": ("s3://partner", "daily.csv"),
        "daily": ("postgres://db:5432", "shop.public.daily"),
    },
)

@task
def export():
    ...
    EXPORT.report()
"""

from __future__ import annotations

import logging

from airflow_colgraph.extractors.stated_lineage import Datasets, parse
from airflow_colgraph.version_compat import current_task

log = logging.getLogger(__name__)


class StatedLineage:
    """Column lineage in text, checked where the DAG is parsed, and reported by a task."""

    def __init__(self, text: str, datasets: Datasets) -> None:
        """Check the text, in the form that `colgraph show` prints, and the OpenLineage names."""
        self.lineage = parse(text, datasets)

    def report(self) -> None:
        """Say that the running task has done this: its event has the lineage if it succeeds.

        The task is a PythonOperator or a `@task` function, with `[colgraph] sql_tasks = True`.
        Elsewhere a line in the task's log says that the lineage is not reported.
        """
        task = current_task()
        if not hasattr(task, "colgraph_stated"):
            log.warning(
                "colgraph: stated lineage is not reported: set [colgraph] sql_tasks = True, "
                "and report it in a PythonOperator or a @task function"
            )
            return
        task.colgraph_stated = (*task.colgraph_stated, self.lineage)
