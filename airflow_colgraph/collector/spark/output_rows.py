"""The rows that a query has written, where neither its plan nor its table's history counts them.

A write of Spark's DataSource V2 keeps how many rows its tasks have committed. A write to a database
runs an execution of its own, and Spark's status store has what the tasks of its stage have counted.
The command is found in that store by an object that its plan alone has.
"""

from __future__ import annotations

import re

from airflow_colgraph.collector.model import Query, Statistics
from airflow_colgraph.collector.spark.jvm import Java, option, short_class_name, thrown
from airflow_colgraph.collector.spark.running_commands import BUS_MILLISECONDS
from airflow_colgraph.collector.spark.stages import numbers_in, root_of, tells_roots
from airflow_colgraph.collector.spark.statistics import executed

V2_WRITES = {"AppendDataExec", "OverwriteByExpressionExec", "OverwritePartitionsDynamicExec"}
V1_WRITES = {"AppendDataExecV1", "OverwriteByExpressionExecV1"}  # of a source of the first version
AROUND_ONE_WRITE = {"CreateTableAsSelect", "InsertIntoDataSourceCommand", "ReplaceTableAsSelect"}
LATEST = 50  # executions among which a command is looked for
IDENTITY = re.compile(r"@[0-9a-f]+$")  # in `JdbcRelationProvider@5d08b8c3`


def with_output_rows(query: Query, execution: Java) -> Query:
    """The query, whose write has the rows that its tasks have written, if they are counted."""
    write = query.write
    if write is None or write.statistics is not None:
        return query
    rows = None
    if query.root in ("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic"):
        plan = executed(execution.executedPlan())
        kind = short_class_name(plan)
        if kind in V2_WRITES:
            progress = option(plan.commitProgress())
            rows = None if progress is None else int(progress.numOutputRows())
        elif kind in V1_WRITES and short_class_name(plan.table()) == "JDBCTable":
            rows = rows_of_database(execution, plan.write())
    elif query.root == "SaveIntoDataSourceCommand" and write.format == "jdbc":
        rows = rows_of_database(execution, execution.analyzed().dataSource())
    if rows is None:
        return query
    return query._replace(write=write._replace(statistics=Statistics(rows)))


def rows_of_database(execution: Java, owned: Java) -> int | None:
    """The rows that a command has written to a database; `owned` is an object of its plan alone.

    None if Spark keeps no execution with this object, or if a task was repeated.
    """
    text = str(owned.toString())
    session = execution.sparkSession()
    context = session.sparkContext()
    if not IDENTITY.search(text):
        return None
    try:
        stages = stages_of_command(session, text)
        if stages is None:  # the listener that keeps them may be behind ours
            context.listenerBus().waitUntilEmpty(BUS_MILLISECONDS)
            stages = stages_of_command(session, text)
        return None if stages is None else rows_of_stages(context, stages)
    except thrown():  # Spark has removed a stage, or is busy
        return None


def stages_of_command(session: Java, text: str) -> set[int] | None:
    """The stages of what the latest command with `text` in its plan has run.

    None if it is not among Spark's latest executions, has not ended there, or is one of several
    writes of the execution around it, such as a batch of a stream.
    """
    command, later = latest_execution(session, text)
    if command is None:
        return None
    root = root_of(command)
    inner = [each for each in later if root_of(each) == root]
    store = session.sharedState().statusStore()
    is_whole = root == command.executionId() or is_around_one_write(store.execution(root))
    if not inner or not is_whole:
        return None
    return {stage for each in inner for stage in numbers_in(each.stages())}


def ran_nothing(execution: Java, owned: Java) -> bool:
    """Whether a command is known to have run no job, and no query inside; `owned` as above.

    False before Spark 3.4, which does not tell what a query runs for.
    """
    text = str(owned.toString())
    session = execution.sparkSession()
    if not IDENTITY.search(text) or not tells_roots(session.sparkContext()):
        return False
    session.sparkContext().listenerBus().waitUntilEmpty(BUS_MILLISECONDS)
    command, later = latest_execution(session, text)
    if command is None or not command.jobs().isEmpty():
        return False
    root, end = root_of(command), command.completionTime().get().getTime()
    return not any(root_of(each) == root and each.submissionTime() <= end for each in later)


def latest_execution(session: Java, text: str) -> tuple[Java | None, list[Java]]:
    """The latest execution with `text` in its plan, and those that began after it.

    It is None if it is not among Spark's latest executions, or has not ended there.
    """
    store = session.sharedState().statusStore()
    first = max(0, int(store.executionsCount()) - LATEST)
    latest = store.executionsList(first, LATEST)
    later: list[Java] = []
    for index in reversed(range(latest.size())):
        command = latest.apply(index)
        if text in str(command.physicalPlanDescription()):
            has_ended = option(command.completionTime()) is not None
            return (command if has_ended else None), later
        later.append(command)
    return None, later


def is_around_one_write(execution: Java) -> bool:
    """Whether an execution, if Spark has it, is a statement that runs one command that writes."""
    if not execution.isDefined():
        return False
    title = str(execution.get().physicalPlanDescription()).split("\n", 2)[1]
    return not AROUND_ONE_WRITE.isdisjoint(re.findall(r"\w+", title))


def rows_of_stages(context: Java, stages: set[int]) -> int | None:
    """The rows that the only stage of these that writes has written; 0 if none has written any.

    None if there are several, or if one has tasks that failed, were killed or run on: some of their
    rows may be there, too.
    """
    written = []
    for number in stages:
        stage = context.statusStore().lastStageAttempt(number)
        if stage.attemptId() or stage.numFailedTasks() or stage.numKilledTasks():
            return None
        if stage.numActiveTasks():
            return None
        written.append(int(stage.outputRecords()))
    return sum(written) if len(list(filter(None, written))) <= 1 else None
