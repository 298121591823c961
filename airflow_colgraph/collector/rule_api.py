"""The one import path for rules of your own: see docs/extensions.md.

from airflow_colgraph.collector.rule_api import EXPRESSIONS, made_of, register

@register(EXPRESSIONS, "Soundex")
def soundex(row, scope, children):
    return made_of(children)
"""

from airflow_colgraph.collector.lineage.evaluation import EXPRESSIONS, evaluate
from airflow_colgraph.collector.lineage.frame import Frame, attribute_ids, side_by_side
from airflow_colgraph.collector.lineage.higher_order import ExpressionRule
from airflow_colgraph.collector.lineage.resolution import (
    NODES,
    NodeRule,
    Resolution,
    Scope,
    scope_of,
)
from airflow_colgraph.collector.lineage.rules.relational import indirect_inputs, named, select
from airflow_colgraph.collector.lineage.sql_text import TEXTS, TextRule, node_text
from airflow_colgraph.collector.lineage.transformations import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    GROUP_BY,
    IDENTITY,
    JOIN,
    MASKING,
    SORT,
    TRANSFORMATION,
    WINDOW,
)
from airflow_colgraph.collector.lineage.values import (
    NOTHING,
    SOURCELESS,
    Value,
    indirect,
    joined,
    made_of,
    stepped,
    struct,
    with_indirect,
)
from airflow_colgraph.collector.model import Dataset, NamedDataset, Read, Symlink, Write
from airflow_colgraph.collector.plan import Node, Row, Rows
from airflow_colgraph.collector.registry import ANY, Registry, register
from airflow_colgraph.collector.spark.catalog import CONNECTED, Catalog, ConnectedTable, Setting
from airflow_colgraph.collector.spark.jvm import (
    Java,
    class_name,
    option,
    scala_map,
    seq,
    short_class_name,
)
from airflow_colgraph.collector.spark.reads import READS, RELATIONS, ReadRule, attributes_of
from airflow_colgraph.collector.spark.writes import SINKS, WRITES, Target, WriteRule

__all__ = [
    "AGGREGATION",
    "ANY",
    "CONDITIONAL",
    "CONNECTED",
    "EXPRESSIONS",
    "FILTER",
    "GROUP_BY",
    "IDENTITY",
    "JOIN",
    "MASKING",
    "NODES",
    "NOTHING",
    "READS",
    "RELATIONS",
    "SINKS",
    "SORT",
    "SOURCELESS",
    "TEXTS",
    "TRANSFORMATION",
    "WINDOW",
    "WRITES",
    "Catalog",
    "ConnectedTable",
    "Dataset",
    "ExpressionRule",
    "Frame",
    "Java",
    "NamedDataset",
    "Node",
    "NodeRule",
    "Read",
    "ReadRule",
    "Registry",
    "Resolution",
    "Row",
    "Rows",
    "Scope",
    "Setting",
    "Symlink",
    "Target",
    "TextRule",
    "Value",
    "Write",
    "WriteRule",
    "attribute_ids",
    "attributes_of",
    "class_name",
    "evaluate",
    "indirect",
    "indirect_inputs",
    "joined",
    "made_of",
    "named",
    "node_text",
    "option",
    "register",
    "scala_map",
    "scope_of",
    "select",
    "seq",
    "short_class_name",
    "side_by_side",
    "stepped",
    "struct",
    "with_indirect",
]
