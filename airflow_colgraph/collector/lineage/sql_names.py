"""SQL's names of functions and operators, by Spark's class. Pure."""

from __future__ import annotations

import re

from airflow_colgraph.collector.plan import Node

INFIX = {
    "Add": "+",
    "Subtract": "-",
    "Multiply": "*",
    "Divide": "/",
    "IntegralDivide": "DIV",
    "Remainder": "%",
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "And": "AND",
    "Or": "OR",
    "Like": "LIKE",
}

NAMES = {  # where SQL's name is not that of Spark's class
    "ApproximatePercentile": "approx_percentile",
    "ArrayAggregate": "aggregate",
    "ArrayExists": "exists",
    "ArrayFilter": "filter",
    "ArrayForAll": "forall",
    "ArrayTransform": "transform",
    "Average": "avg",
    "CreateArray": "array",
    "CreateMap": "map",
    "CreateNamedStruct": "named_struct",
    "DayOfMonth": "day",
    "HyperLogLogPlusPlus": "approx_count_distinct",
    "JsonToStructs": "from_json",
    "Murmur3Hash": "hash",
    "NaNvl": "nanvl",
    "NullIf": "nullif",
    "NullIfZero": "nullifzero",
    "ParseToDate": "to_date",
    "ParseToTimestamp": "to_timestamp",
    "PosExplode": "posexplode",
    "Pow": "power",
    "RegExpExtract": "regexp_extract",
    "RegExpReplace": "regexp_replace",
    "RLike": "regexp_like",
    "StringLPad": "lpad",
    "StringRPad": "rpad",
    "StringSplit": "split",
    "StringTrim": "trim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "StructsToJson": "to_json",
    "TruncDate": "trunc",
    "TruncTimestamp": "date_trunc",
    "ZeroIfNull": "zeroifnull",
}


def function_name(node: Node) -> str:
    """The function's name: the user's own, SQL's, or Spark's class in small letters."""
    own = node.row.get("name") or node.row.get("udfName")
    if node.kind.endswith(("UDF", "UDTF", "UDAF")) and own:
        return str(own)
    if node.kind in NAMES:
        return NAMES[node.kind]
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", node.kind).lower()
    return name.removesuffix("_class")
