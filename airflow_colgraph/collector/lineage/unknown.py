"""What is reported of Spark classes that have no rule, so that nothing is lost in silence. Pure.

A class without a rule is reported, unless it is among those below, which are known to need none. An
expression without children comes from nothing only if it is known to be: everything else that has
no inputs is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airflow_colgraph.collector.plan import Row, Rows, as_rows

PASS_THROUGH = (
    frozenset(  # plan nodes that keep the columns and the rows of their child as they are
        {
            *("CollectMetrics", "DataFrameDropColumns", "EventTimeWatermark", "GlobalLimit"),
            *("LimitAll", "LocalLimit", "Offset", "OrderAwareCoalesce", "PipeOperator"),
            *("RebalancePartitions",),
            *("Repartition", "ResolvedHint", "ReturnAnswer"),
            *("SQLFunctionNode", "SetVariable", "Subquery", "SubqueryAlias", "Tail"),
            *("UpdateEventTimeWatermarkColumn", "View", "WriteFiles"),
        }
    )
)

# The fields without which a rule would leave out what it does not see: one that lacks is counted.
# Those are not among them that Spark does not print where there is nothing, as a join's condition.
NEEDED = {
    "Aggregate": ("aggregateExpressions", "groupingExpressions"),
    "AsOfJoin": ("asOfCondition",),
    "Deduplicate": ("keys",),
    "DeduplicateWithinWatermark": ("keys",),
    "DeleteFromTable": ("condition",),
    "Filter": ("condition",),
    "FlatMapCoGroupsInArrow": ("leftGroupingLen", "rightGroupingLen"),
    "FlatMapCoGroupsInPandas": ("leftGroupingLen", "rightGroupingLen"),
    "FlatMapGroupsInArrow": ("groupingAttributes",),
    "FlatMapGroupsInPandas": ("groupingAttributes",),
    "Generate": ("generator", "generatorOutput"),
    "Join": ("joinType",),
    "MergeIntoCommand": ("condition", "matchedClauses", "notMatchedClauses"),
    "MergeRows": ("matchedInstructions", "notMatchedInstructions"),
    "Project": ("projectList",),
    "SetVariable": ("targetVariables",),
    "Sort": ("order",),
    "UpdateCommand": ("updateExpressions",),
    "Window": ("windowExpressions",),
}

SOURCELESS = frozenset(  # expressions that, without children, come from no column
    {
        # constants of the query, the session or the machine
        *("CurrentBatchTimestamp", "CurrentCatalog", "CurrentDatabase", "CurrentDate"),
        *("CurrentTime", "CurrentTimeZone", "CurrentTimestamp", "CurrentUser", "EulerNumber"),
        *("LocalTimestamp", "Now", "Pi", "ResolvedCollation", "SparkVersion", "UnixTimestamp"),
        *("CurrentRow$", "UnboundedFollowing$", "UnboundedPreceding$", "UnspecifiedFrame$"),
        # generated or counted for each row
        *("DistributedSequenceID", "InputFileBlockLength", "InputFileBlockStart"),
        *("InputFileName", "MonotonicallyIncreasingID", "Rand", "Randn", "SparkPartitionID"),
        *("Collations", "SQLKeywords", "Uuid"),
        # functions, and what builds values, of no arguments
        *("ApplyFunctionExpression", "ArraysZip", "Concat", "CreateArray", "CreateMap"),
        *("CreateNamedStruct", "HiveGenericUDF", "HiveSimpleUDF", "Invoke", "MapConcat"),
        *("NewInstance", "PythonUDAF", "PythonUDF", "PythonUDTF", "ScalaUDF", "StaticInvoke"),
        # stands for an element of what the expression around it has as a child of its own
        "LambdaVariable",
    }
)


def missing_fields(kind: str, row: Row) -> Iterator[str]:
    """The fields that a node must have and has not: this Spark's plans are not as they were."""
    return (f"{kind}.{name}" for name in NEEDED.get(kind, ()) if name not in row)


def inner_rows(row: Row) -> Iterator[Rows]:
    """Expressions and plans in the fields of a row: all that it holds beside its children."""
    for value in row.values():
        for item in value if is_list_of_lists(value) else [value]:
            rows = as_rows(item) if isinstance(item, (dict, list)) and item else []
            if rows and isinstance(rows[0], dict) and "num-children" in rows[0]:
                yield rows


def is_list_of_lists(value: object) -> bool:
    """Whether a field holds several expressions."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def is_plan(rows: Rows) -> bool:
    """Whether rows are a plan, by the package of the first."""
    return ".plans." in rows[0]["class"] or ".execution." in rows[0]["class"]


def all_rows(several: Iterable[Rows]) -> Iterator[Row]:
    """All rows of some expressions, those inside of them too."""
    stack = list(several)
    while stack:
        for row in stack.pop():
            yield row
            stack.extend(inner_rows(row))
