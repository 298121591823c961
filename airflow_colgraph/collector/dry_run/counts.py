"""How many rows Spark counts as read and as written."""

from __future__ import annotations

from typing import Any

from airflow_colgraph.collector.spark.jvm import loaded_class
from airflow_colgraph.collector.spark.stages import STAGE, iterated


def records(context: Any) -> tuple[int, int]:
    """The rows that a SparkContext's stages have read and written, by its status store."""
    java = context._jsc.sc()
    java.listenerBus().waitUntilEmpty(10_000)
    view = java.statusStore().store().view(loaded_class(java, STAGE))
    infos = [item.info() for item in iterated(view.iterator())]
    return sum(info.inputRecords() for info in infos), sum(i.outputRecords() for i in infos)
