"""The flows of a declarative pipeline that was resolved and not run: `spark-pipelines dry-run`.

Spark resolves each flow's query without making a table. Where a flow reads another's table, its
plan has an empty relation with the table's name above it: that is taken for the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from airflow_colgraph.collector.lineage.frame import attribute_ids
from airflow_colgraph.collector.model import VIEW, Dataset, Ids, NamedDataset, Query, Read, Write
from airflow_colgraph.collector.naming.options import lowered
from airflow_colgraph.collector.plan import as_rows, parse, ways
from airflow_colgraph.collector.spark.catalog import Catalog
from airflow_colgraph.collector.spark.jvm import (
    Java,
    descend,
    option,
    private,
    scala_map,
    scala_object,
    seq,
)
from airflow_colgraph.collector.spark.plan_sources import leaf_nodes
from airflow_colgraph.collector.spark.reads import attributes_of
from airflow_colgraph.collector.spark.schemas import schema_columns, tree_json
from airflow_colgraph.collector.spark.translate import read
from airflow_colgraph.collector.spark.writes import SINKS, Target

SESSION = "org.apache.spark.sql.classic.SparkSession"
SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService"
FUNCTION = "dry-run"

Name = tuple[str, ...]
"""A table's catalog, database and name."""


def graph_of(session: Java, number: str) -> tuple[Java, Java]:
    """The session of the client that has defined a graph, and the graph; or LookupError."""
    manager = scala_object(session, SERVICE).sessionManager()
    for holder in private(manager, "sessionStore").values():
        registered = option(holder.dataflowGraphRegistry().getDataflowGraph(number))
        if registered is not None:
            return holder.session(), registered.toDataflowGraph()
    raise LookupError(f"no session of Spark Connect has the dataflow graph {number}")


def resolved_graph(session: Java, graph: Java) -> Java:
    """The graph with the query of each flow analyzed; the thread's active session is its own."""
    from py4j.protocol import (  # type: ignore[import-untyped,unused-ignore]
        Py4JError,
        Py4JJavaError,
    )

    scala_object(session, SESSION).setActiveSession(session)
    try:
        return graph.resolve(session.sessionState().conf().caseSensitiveAnalysis())
    except Py4JJavaError:  # what Spark says of the graph
        raise
    except Py4JError:  # before Spark 4.3 it takes no argument
        return graph.resolve()


def planned(resolved: Java, catalog: Catalog) -> Iterator[Query]:
    """The queries of a resolved graph's flows, in the order in which they would run.

    Flows into temporary views are parts of the queries that read these.
    """
    tables = {
        name_of(table.identifier()): catalog.planned_table(table.identifier())
        for table in seq(resolved.tables())
    }
    views = {name_of(view.identifier()) for view in seq(resolved.persistedViews())}
    sinks = {name_of(sink.identifier()): sink for sink in seq(resolved.sinks())}
    for flow in seq(resolved.resolvedFlows()):
        target = flow.destinationIdentifier()
        name = name_of(target)
        if name in tables:
            write: Write | None = Write(tables[name])
        elif name in views:
            write = Write(catalog.planned_table(target), None, "", VIEW)
        elif name in sinks:
            write = written_by(sinks[name], catalog)
        else:
            continue
        query = query_of(flow.df().queryExecution().analyzed(), write, tables, catalog)
        inputs = {name_of(read_by_flow) for read_by_flow in seq(flow.inputs().toSeq())}
        yield without_relations(query, {tables[name] for name in inputs & tables.keys()})


def written_by(sink: Java, catalog: Catalog) -> Write | None:
    """What a sink writes: a topic, files, or what nobody can name."""
    options = lowered(scala_map(sink.options()))
    form = str(sink.format())
    if form == "kafka":
        named = SINKS["KafkaSourceProvider"](options)
    else:
        named = catalog.places([options["path"]])[0] if "path" in options else None
    return Write(named, None, "", form) if named is not None else None


def query_of(
    analyzed: Java, write: Write | None, tables: Mapping[Name, NamedDataset], catalog: Catalog
) -> Query:
    """The query of one flow; where its target has no name, what it reads."""
    columns = schema_columns(analyzed.schema())
    target = write or Write(NamedDataset(Dataset("", "")))  # else a query may have none
    flow = read(FUNCTION, analyzed, catalog, target=Target(target, analyzed))
    assert flow is not None
    write = write._replace(columns=columns) if write is not None else None
    return flow._replace(write=write, reads={**flow.reads, **graph_reads(analyzed, tables)})


def without_relations(query: Query, inputs: Collection[NamedDataset]) -> Query:
    """The query; with a failure where its plan does not show a table that Spark says it reads."""
    shown = {named for read in query.reads.values() for named in read.datasets}
    missing = sorted(named.dataset.name for named in inputs if named not in shown)
    if not missing or query.failure:
        return query
    return query._replace(failure=f"DataflowGraph: no relation of the plan is {missing[0]}")


def graph_reads(analyzed: Java, tables: Mapping[Name, NamedDataset]) -> dict[Ids, Read]:
    """What the empty relations of a plan and of its subqueries stand for."""
    reads = {}
    for plan in (analyzed, *seq(analyzed.subqueriesAll())):
        for path, node in ways(parse(as_rows(tree_json(plan))), ("SubqueryAlias",)):
            alias = descend(plan, path).identifier()  # the JSON has its parts as one text
            name = (*(str(part) for part in seq(alias.qualifier())), str(alias.name()))
            leaf, *more = leaf_nodes(node)
            if name in tables and not more:
                columns = attributes_of(leaf.row)
                reads[attribute_ids(leaf.output())] = Read((tables[name],), columns, {})
    return reads


def name_of(identifier: Java) -> Name:
    """A TableIdentifier's parts."""
    parts = (option(identifier.catalog()), option(identifier.database()), identifier.table())
    return tuple(str(part) for part in parts if part)
