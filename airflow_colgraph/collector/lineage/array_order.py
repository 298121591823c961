"""The comparator of `array_sort` that Spark adds where the user wrote none. Pure."""

from airflow_colgraph.collector.plan import Node, flatten, kind

BOTH_NULL = ("If", "And", *("IsNull", "NamedLambdaVariable") * 2, "Literal")
ONE_NULL = ("If", "IsNull", "NamedLambdaVariable", "Literal")
COMPARED = ("NamedLambdaVariable", "NamedLambdaVariable", "Literal")
DEFAULT_ORDER = (
    *(*BOTH_NULL, *ONE_NULL, *ONE_NULL),
    *("If", "LessThan", *COMPARED, "If", "GreaterThan", *COMPARED, "Literal"),
)


def is_default_order(function: Node) -> bool:
    """Whether a lambda is the comparator that Spark gives to `array_sort` where the user has none.

    It compares elements as `sort_array` does; its conditions are not the query's.
    """
    return tuple(kind(row) for row in flatten(function.children[0])) == DEFAULT_ORDER
