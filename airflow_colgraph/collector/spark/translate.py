"""What a query read, what it wrote, and its plan, by the tables READS and WRITES.

This is where Java objects end. Spark's analyzed plan comes as one JSON text; the JVM is asked only
for what the JSON lacks: the data behind a leaf, the place that a command writes to, the projections
of an `Expand`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from airflow_colgraph.collector.lineage.insert_casts import (
    without_casts,
)
from airflow_colgraph.collector.lineage.rules.variables import (
    MADE_BY,
    has_variables,
)
from airflow_colgraph.collector.model import (
    CHECKPOINTS,
    FOREACH_BATCH,
    LOCAL_ITERATOR,
    TO_PANDAS,
    USED_AS_RDD,
    Dataset,
    Ids,
    PlanNotes,
    Query,
)
from airflow_colgraph.collector.model import Read as Read
from airflow_colgraph.collector.model import Write as Write
from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.spark import connectors as connectors
from airflow_colgraph.collector.spark import rdds as rdds
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.ignored_writes import wrote_nothing
from airflow_colgraph.collector.spark.inline_tables import is_with_arguments
from airflow_colgraph.collector.spark.jvm import Java, option, scala_object, seq, short_class_name
from airflow_colgraph.collector.spark.output_rows import with_output_rows
from airflow_colgraph.collector.spark.partial_overwrites import with_partitions_that_ran
from airflow_colgraph.collector.spark.plan_sources import (
    PlanSources,
    has_inline_tables,
    has_subqueries,
    leaves,
    made_by_the_driver,
)
from airflow_colgraph.collector.spark.rdds import parent_of_checkpoint, ran_between, rdd_of
from airflow_colgraph.collector.spark.reads import DELTA_LOG, ICEBERG_OWN
from airflow_colgraph.collector.spark.schemas import schema_columns
from airflow_colgraph.collector.spark.statistics import (
    with_read_statistics,
    with_statistics,
)
from airflow_colgraph.collector.spark.streaming import Stream
from airflow_colgraph.collector.spark.table_versions import with_versions
from airflow_colgraph.collector.spark.user_casts import (
    CHANGES,
    fitted_columns,
    user_casts,
)
from airflow_colgraph.collector.spark.variables import names_of, session_of
from airflow_colgraph.collector.spark.writes import WRITES, Target
from airflow_colgraph.openlineage.redaction import exception_text

LOOKS = {"head", "rdd"}  # by which Spark itself reads lines
ACTIONS = {"collect", "collectAsArrowToPython", "collectAsList", "collectToPython", LOCAL_ITERATOR}


class FinishedQuery(NamedTuple):
    """One finished query, as Spark's listener was handed it, with its duration where it was."""

    function: str
    execution: Java
    catalog: Catalog
    nanoseconds: int = 0
    rdd: int | None = None  # what later queries start from, instead of an RDD: TO_PANDAS, MEMORY


def translate(
    finished: FinishedQuery,
    datasets_since: Callable[[int], Collection[Dataset | None]],
    variables: Collection[str],
    with_text: bool = False,
    with_filters: bool = False,
) -> Iterator[Query]:
    """The queries behind one of Spark's; several for an INSERT with several targets.

    They are plain data; one whose plan cannot be read has what was known by then, and its
    `failure`. `variables` are the names of SQL variables that come from data.
    """
    function, execution, catalog, nanoseconds, rdd = finished
    streams = isinstance(execution, Stream)
    target = execution.target(catalog) if streams else None
    number = 0 if streams else int(execution.id())
    written = datasets_since(number)
    is_kept = function in CHECKPOINTS
    parent = parent_of_checkpoint(execution) if is_kept else None
    ran = ran_between(execution, nanoseconds) if is_kept else None
    rdd = rdd_of(execution) if function in USED_AS_RDD else rdd
    for plan in plans_of(function, execution):
        catalog.tables.clear()
        query = read(function, plan, catalog, written, target, variables, parent)
        if query is None:
            continue
        if function == FOREACH_BATCH:
            query = query._replace(session=execution.session())
        elif query.session is not None and not streams:
            query = query._replace(session=session_of(execution))
        if not streams:
            query = with_facts(query, finished, with_filters)
            if wrote_nothing(query, execution, nanoseconds, catalog.session):
                continue
            query = query._replace(text=statement(execution) if with_text else "")
        yield query._replace(number=number, rdd=rdd, ran=ran)


def with_facts(query: Query, finished: FinishedQuery, with_filters: bool = False) -> Query:
    """The query with versions of its tables and what it wrote; its event reports a failure."""
    _, execution, catalog, nanoseconds, _ = finished
    try:
        query = with_partitions_that_ran(query, execution)
        query = with_statistics(query, execution)
        query = with_versions(query, execution, nanoseconds, catalog.session, catalog.tables)
        query = with_output_rows(query, execution)
        return with_read_statistics(query, execution, catalog.session, with_filters)
    except Exception as error:  # noqa: BLE001 - its event reports it, with what is known
        return query._replace(failure=query.failure or exception_text(error))


def statement(execution: Java) -> str:
    """The text of a query that is a SQL statement, not a part of one; else an empty text."""
    origin = execution.analyzed().origin()
    is_of_view = option(origin.objectType()) is not None
    return "" if is_of_view else str(option(origin.sqlText()) or "")


def infers_schema(query: Query) -> bool:
    """Whether Spark itself reads lines of text, to find a CSV's columns: no query of the user's."""
    looks = query.write is None and query.function in LOOKS and not query.failure
    reads = (*query.reads.values(), *query.rdds.values())
    return looks and all(read.format == "text" for read in reads)


def plans_of(function: str, execution: Java) -> list[Java]:
    """The analyzed plan of a query; of an INSERT with several targets that of each."""
    analyzed = execution.analyzed()
    return list(seq(analyzed.children())) if function == "multi-commands" else [analyzed]


def read(
    function: str,
    analyzed: Java,
    catalog: Catalog,
    written: Collection[Dataset | None] = (),
    target: Target | None = None,
    variables: Collection[str] = (),
    parent: int | None = None,
) -> Query | None:
    """The query that Spark has just run, or None where it touches no dataset.

    `written` is what inner queries are known to write: a command that only reports the same write
    again is not asked for its plan. `target` is known beforehand for a stream, `parent` for a
    checkpoint. `variables` are the names of those that come from data.
    """
    if is_own(function):
        return None
    query = Query(function, "", [], {}, {}, rdds={}, parent=parent)
    try:
        query = query._replace(root=short_class_name(analyzed))
        rule = WRITES.get(query.root)
        if rule is not None:
            if function in ACTIONS:  # the rows of a command, which was reported as it ran
                return None
            target = rule(analyzed, query.root, catalog)
        target = target or Target(None, analyzed)
        query = query._replace(write=target.write, sink=target.sink)
        if target.query is None or is_repeated(target.write, written):
            return without_query(query, target)
        query = query._replace(write=with_columns(target.write, target.query))
        printed = printed_plan(query, analyzed, target.query, target.parts, catalog, variables)
        if query.write is None and is_delta_own(function, printed.text):
            return None
        widened: set[int] = set()
        for rows, part in printed.parts:
            more = leaves(rows, part, catalog, has_subqueries(printed.text), variables)
            query = with_leaves(query, more)
            widened |= more.widened
        return with_plan(query, printed, widened, variables)
    except Exception as error:  # noqa: BLE001 - its event reports it, with what is known
        return query._replace(failure=exception_text(error))


def is_repeated(write: Write | None, written: Collection[Dataset | None]) -> bool:
    """Whether a command only reports a write again that a command inside it has reported."""
    return write is not None and write.is_duplicate and write.named.dataset in written


def without_query(query: Query, target: Target) -> Query | None:
    """A command without a query of its own: the write, and what it copied."""
    plan, reads = copied(target.copied) if target.copied else ([], {})
    return query._replace(plan=plan, reads=reads) if target.write or target.sink else None


def with_columns(write: Write | None, query: Java) -> Write | None:
    """A write with its columns: those of its query where the command names none."""
    if write is None or write.columns is not None:
        return write
    return write._replace(columns=schema_columns(query.schema()))


class PrintedPlan(NamedTuple):
    """A plan as JSON text and as rows, with what the JVM adds to it.

    `parts` are the plans in it that have leaves of their own: those of a MERGE, else the whole one.
    """

    java: Java
    text: str
    rows: Rows
    notes: PlanNotes
    parts: list[tuple[Rows, Java]]


def printed_plan(
    query: Query,
    analyzed: Java,
    java: Java,
    parts: tuple[str, ...],
    catalog: Catalog,
    variables: Collection[str],
) -> PrintedPlan:
    """Print the plan of a query; `parts` are the fields of a command that hold plans."""
    write = query.write
    is_fitted = write is not None and write.casts_to_table
    if not is_fitted:
        columns = write.columns if write is not None else None
        java = collapsed(java, len(columns or ()) or java.output().size())
    text, rows = catalog.plans.printed(java)
    is_change = write is not None and query.root in CHANGES
    notes = PlanNotes(
        fitted_columns=frozenset(fitted_columns(rows, java) if is_fitted else ()),
        user_casts=frozenset(user_casts(rows, java) if is_change else ()),
        variable_names=names_of(rows, analyzed) if query.root == "CreateVariable" else (),
        arguments=tuple(sorted(variables)) if variables and is_with_arguments(java) else (),
    )
    pairs = [(rows[0][name], getattr(java, name)()) for name in parts] or [(rows, java)]
    return PrintedPlan(java, text, rows, notes, pairs)


def with_leaves(query: Query, more: PlanSources) -> Query:
    """The query, whose plan's leaves also read this."""
    notes = query.notes._replace(
        constant_rdds=query.notes.constant_rdds | more.constant_rdds,
        metadata_columns=query.notes.metadata_columns | more.metadata_columns,
    )
    return query._replace(
        reads={**query.reads, **more.reads},
        rdds={**query.rdds, **more.rdds},
        expansions={**query.expansions, **more.expansions},
        notes=notes,
    )


def with_plan(
    query: Query, printed: PrintedPlan, widened: set[int], variables: Collection[str]
) -> Query | None:
    """The query with its plan; None if it writes nothing and no later query needs it.

    `widened` are the columns below set operations that Spark itself has cast.
    """
    notes = printed.notes._replace(
        constant_rdds=query.notes.constant_rdds, metadata_columns=query.notes.metadata_columns
    )
    widened = widened - {cast.item for cast in notes.user_casts if cast.field == "projectList"}
    plan = without_casts(printed.rows, widened) if widened else printed.rows
    query = query._replace(plan=plan, notes=notes)
    if query.write is not None or query.function in CHECKPOINTS:
        query = query._replace(has_local_rows=has_local_rows(query, printed))
    if query.write is None and (not is_wanted(query) or is_delta_state(query, printed.text)):
        return None
    return with_session(query, printed, variables)


def has_local_rows(query: Query, printed: PrintedPlan) -> bool:
    """Whether some of the rows were made by the program in the driver."""
    if query.notes.constant_rdds or any(leaf.is_mixed for leaf in query.rdds.values()):
        return True
    has_tables = has_inline_tables(printed.text)
    return has_tables and any(made_by_the_driver(part) for _, part in printed.parts)


def with_session(query: Query, printed: PrintedPlan, variables: Collection[str]) -> Query:
    """The query, marked with an empty `session` if variables are named or made in it."""
    if query.function == LOCAL_ITERATOR:
        names = tuple(name for name, _ in schema_columns(printed.java.schema()))
        return query._replace(session="", names=names)
    has_names = has_variables(printed.text) or bool(query.notes.arguments)
    has_names = has_names or bool(variables and has_inline_tables(printed.text))
    return query._replace(session="") if query.root in MADE_BY or has_names else query


def is_wanted(query: Query) -> bool:
    """Whether a query that writes nothing read a dataset, or leaves what later ones start from."""
    if query.sink:
        return True
    if query.reads:
        return not is_log(query.reads)
    if any(leaf.origins for leaf in query.rdds.values()):
        return True
    return (
        query.root in MADE_BY
        or query.function in CHECKPOINTS
        or query.function in USED_AS_RDD
        or query.function == TO_PANDAS
        or query.function == LOCAL_ITERATOR
    )


def copied(read: Read) -> tuple[Rows, dict[Ids, Read]]:
    """The plan of what is written as it is, and its only leaf; no plan if it was never analyzed."""
    if not read.columns:
        return [], {(): read}
    leaf = {"class": "org.apache.spark.sql.execution.datasources.LogicalRelation"}
    attribute = {
        "class": "org.apache.spark.sql.catalyst.expressions.AttributeReference",
        "num-children": 0,
    }
    output = [
        [{**attribute, "name": name, "dataType": type_, "exprId": {"id": place}}]
        for place, (name, type_) in enumerate(read.columns)
    ]
    plan = [{**leaf, "num-children": 0, "output": output}]
    return plan, {tuple(range(len(output))): read}


OWN = ("deltaTransactionalWrite", "Cache Delta Table State")  # Delta's own part of the user's
DELTA_CLASSES = '"org.apache.spark.sql.delta.'
ADD_FILE = ('"partitionValues"', '"modificationTime"', '"dataChange"')
DELTA_MARKS = ('"_source_row_present_"', '"_target_row_present_"', '"input_file_name()"')


def is_own(function: str) -> bool:
    """Whether a query of that name is part of a table format's own work."""
    return function.startswith(OWN)


def is_delta_own(function: str, text: str) -> bool:
    """Whether Delta looks for the files that a MERGE, UPDATE or DELETE has to write again."""
    return function in ("collect", "head", "count") and any(mark in text for mark in DELTA_MARKS)


def is_delta_state(query: Query, text: str) -> bool:
    """Whether Delta lists a table's files: by its own classes, or by the fields of an AddFile."""
    if query.reads or any(leaf.origins for leaf in query.rdds.values()):
        return False
    return DELTA_CLASSES in text or all(field in text for field in ADD_FILE)


def is_log(reads: dict[Ids, Read]) -> bool:
    """Whether a table format reads only what it keeps about a table: its schema and its files."""
    return all(read.format in (DELTA_LOG, ICEBERG_OWN) for read in reads.values())


COLLAPSE = "org.apache.spark.sql.catalyst.optimizer.CollapseProject"
WIDE = 200  # columns from which it pays to look for a smaller plan


def collapsed(plan: Java, width: int) -> Java:
    """A wide plan with those projections made one that follow each other; any other as it is.

    Spark's own CollapseProject, which changes no column's meaning, turns the JSON of a hundred
    `withColumn` over 500 columns from 15 MB into 0.4 MB. Where expressions grow, nothing is done.
    """
    if width < WIDE:
        return plan
    smaller = scala_object(plan, COLLAPSE).apply(plan)
    return smaller if len(smaller.toString()) < len(plan.toString()) else plan
