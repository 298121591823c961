"""The stages that have read or written, and the SQL executions, by Spark's status stores.

They are there without a web UI, too. A few are asked one by one; many come as one JSON text that
Spark's own writer makes, without the fields that are no numbers: a thousand stages are 1.2 MB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from time import monotonic, sleep
from typing import Any

from airflow_colgraph.collector.model import Execution, Stage
from airflow_colgraph.collector.spark.jvm import Java, give_back, loaded_class, private

FEW = 30  # that are asked one by one
POLL_SECONDS = 0.02
STAGE = "org.apache.spark.status.StageDataWrapper"
WRITER = "org.apache.spark.status.api.v1.JacksonMessageWriter"
LEFT_OUT = (
    "java.lang.String",
    "scala.Option",
    "scala.collection.Map",
    "scala.collection.immutable.Map",
)
LISTS = ("scala.collection.Seq", "scala.collection.immutable.Seq")  # left out of stages, too
METRIC = re.compile(r",(\d+),")  # in `SQLPlanMetric(number of files,12,sum)`
METRIC_OF_PLAN = re.compile(r"\bid: (\d+)")  # in `SQLMetric(id: 12, name: ...)`


def next_stage(context: Java) -> int:
    """The number that the next stage of an application will have; 0 if Spark does not tell."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

    try:
        return int(private(context.dagScheduler(), "nextStageId"))  # py4j has its value
    except Py4JError:
        return 0


def wait_for_end(context: Java, seconds: float) -> bool:
    """Wait until Spark's status store has the application's end; False if it has not.

    By then it has all events before it. Its listener has a queue of its own, which others overtake.
    """
    deadline = monotonic() + seconds
    while not (ended := has_ended(context)) and monotonic() < deadline:
        sleep(POLL_SECONDS)
    return ended


def has_ended(context: Java) -> bool:
    """Whether Spark's status store has the application's end."""
    return bool(context.statusStore().applicationInfo().attempts().head().completed())


def stages_since(context: Java, first: int) -> list[Stage]:
    """The stages of an application, from number `first` on, that have read or written."""
    store = context.statusStore().store()
    kind = loaded_class(context, STAGE)
    view = store.view(kind)
    if store.count(kind) <= FEW:
        infos = (item.info() for item in iterated(view.iterator()))
        stages = [
            Stage(
                info.stageId(), info.outputRecords(), info.outputBytes(), read=info.inputRecords()
            )
            for info in infos
        ]
    else:
        rows = (row["info"] for row in as_json(context, view, (*LEFT_OUT, *LISTS)))
        stages = [
            Stage(
                row["stageId"], row["outputRecords"], row["outputBytes"], read=row["inputRecords"]
            )
            for row in rows
        ]
    has_data = (stage for stage in stages if stage.rows or stage.bytes or stage.read)
    return [stage for stage in has_data if stage.number >= first]


def executions(context: Java, session: Java) -> list[Execution]:
    """The SQL executions of all sessions that share this one's state; each without description."""
    listed = session.sharedState().statusStore().executionsList()
    if listed.size() > FEW:
        return [
            Execution(
                row["executionId"],
                row.get("rootExecutionId", row["executionId"]),
                frozenset(row["stages"]),
                frozenset(metric["accumulatorId"] for metric in row["metrics"]),
            )
            for row in as_json(context, listed, LEFT_OUT)
        ]
    return [
        Execution(
            execution.executionId(),
            root_of(execution),
            frozenset(numbers_in(execution.stages())),
            frozenset(map(int, METRIC.findall(str(execution.metrics().mkString(";"))))),
        )
        for execution in iterated(listed.iterator())
    ]


def numbers_in(items: Java) -> list[int]:
    """The numbers in a Scala collection."""
    return [int(number) for number in re.findall(r"\d+", str(items.mkString(",")))]


def stages_of(some: Iterable[Execution]) -> set[int]:
    """The numbers of the stages of some executions."""
    return {stage for execution in some for stage in execution.stages}


def described(session: Java, execution: Execution) -> Execution:
    """An execution with what Spark's own page shows of it."""
    shown = session.sharedState().statusStore().execution(execution.number)
    return execution._replace(description=str(shown.get().description())) if shown else execution


def named(context: Java, stage: Stage) -> Stage:
    """A stage with its name: the call that has run it."""
    return stage._replace(name=str(context.statusStore().lastStageAttempt(stage.number).name()))


def tells_roots(context: Java) -> bool:
    """Whether Spark tells for what an execution runs: from 3.4 on."""
    return tuple(map(int, str(context.version()).split(".")[:2])) >= (3, 4)


def root_of(execution: Java) -> int:
    """The execution that one runs for; before Spark 3.4 each is its own."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped,unused-ignore]

    try:
        return int(execution.rootExecutionId())
    except Py4JError:
        return int(execution.executionId())


def metric_of(execution: Java) -> int | None:
    """A metric of a query's plan, by which its execution is found among others; None without any.

    A QueryExecution has a number of its own, which is not that of the SQL execution.
    """
    from py4j.protocol import Py4JError

    try:
        plan = execution.executedPlan()
        metrics = plan.metrics()
        match = METRIC_OF_PLAN.search(str(metrics.toString()))
    except (Py4JError, OSError):  # it has no plan that was executed, or the JVM is gone
        return None
    give_back(plan, metrics)
    return int(match[1]) if match else None


def iterated(iterator: Java) -> Iterator[Java]:
    """What a Java or Scala iterator goes through."""
    while iterator.hasNext():
        yield iterator.next()


def as_json(context: Java, value: Java, left_out: Iterable[str]) -> Any:
    """Objects of Spark's as JSON, by its REST API's own writer."""
    mapper = loaded_class(context, WRITER).newInstance().mapper()
    for name in left_out:
        mapper.configOverride(loaded_class(context, name)).setIsIgnoredType(True)
    return json.loads(str(mapper.writeValueAsString(value)))
