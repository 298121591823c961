"""A Spark expression as a person would write it: the user's names, no `#12`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from airflow_colgraph.collector.lineage.array_order import is_default_order
from airflow_colgraph.collector.lineage.sql_names import INFIX, function_name
from airflow_colgraph.collector.plan import OUTER, Node, Row, Rows, as_rows, flatten, kind, parse
from airflow_colgraph.collector.registry import ANY, Registry, register
from airflow_colgraph.openlineage.redaction import (
    REDACTED,
    in_text,
    is_hash,
    is_named,
    is_option,
    shown_name,
)

MOST_ROWS = 300  # an expression of more nodes is cut
MOST_CHARACTERS = 1000
CUT = "..."

TextRule = Callable[[Node], str]
TEXTS: Registry[TextRule] = Registry()  # how a class of expressions is written


def expression_text(rows: Rows, column: str = "") -> str:
    """The text of an expression, cut where it is too long to be read.

    Constants in a column that is named as a secret are hidden.
    """
    if len(rows) > MOST_ROWS:
        return CUT
    text = node_text(parse(without_texts(rows) if is_named(column) else rows))
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + CUT


def node_text(node: Node) -> str:
    """The text of a node and all below it."""
    node = without_constants(node) if hides_constants(node) else node
    return TEXTS.rule(node.kind)(node)


@register(TEXTS, ANY)
def _infix_or_call(node: Node) -> str:
    if node.kind in INFIX and len(node.children) == 2:
        left, right = node.children
        return f"{in_brackets(left)} {INFIX[node.kind]} {in_brackets(right)}"
    return f"{function_name(node)}({', '.join(map(node_text, arguments(node)))})"


COMPARED = {"EqualTo", "EqualNullSafe", "GreaterThan", "GreaterThanOrEqual", "LessThan"}
COMPARED |= {"LessThanOrEqual", "Like", "LikeAll", "LikeAny", "RLike", "In", "InSet", "Between"}
COMPARED |= {"StartsWith", "EndsWith", "Contains"}
OF_PAIRS = {"CreateNamedStruct", "CreateMap"}  # a key, its value, the next key


def hides_constants(node: Node) -> bool:
    """Whether constants below a node are secrets: salts and keys, or what a password is."""
    if node.kind in COMPARED:
        return any(is_named(str(row.get("name", ""))) for row in flatten(node))
    if node.kind in OF_PAIRS:
        keys = (child.row.get("value") for child in node.children[::2])
        return any(isinstance(key, str) and is_option(key) for key in keys)
    if "Hash" in node.kind or node.kind in TEXTS:
        named = node.row.get("nameParts") if node.kind == "UnresolvedFunction" else node.kind
        return is_hash(str(named))
    return is_hash(function_name(node))


def without_constants(node: Node) -> Node:
    """The node with `***` for each text below it, but for the keys of a map or struct."""
    if node.kind in OF_PAIRS:
        children = (
            child if number % 2 == 0 else without_constants(child)
            for number, child in enumerate(node.children)
        )
        return node._replace(children=tuple(children))
    return parse(without_texts(flatten(node)))


def without_texts(rows: Iterable[Row]) -> Rows:
    """An expression with `***` for each constant text; iterative, as expressions run deep."""
    hidden = {"value": REDACTED, "dataType": "string"}
    return [
        {**row, **hidden}
        if kind(row) == "Literal" and row.get("dataType") in ("string", "binary")
        else row
        for row in rows
    ]


def in_brackets(node: Node) -> str:
    """As `node_text`, in brackets where it is an infix expression."""
    return f"({node_text(node)})" if node.kind in INFIX else node_text(node)


def arguments(node: Node) -> list[Node]:
    """What the user gave to a function: Spark replaces some functions by others."""
    if "replacement" not in node.row:
        return list(node.children)
    fields = (value for name, value in node.row.items() if name != "replacement")
    lists = [value for value in fields if isinstance(value, list) and value]
    every = [rows for value in lists for rows in (value if isinstance(value[0], list) else [value])]
    return [parse(as_rows(rows)) for rows in every if isinstance(rows[0], dict)]


@register(TEXTS, "Between")
def _between(node: Node) -> str:
    value, low, high = arguments(node)[:3]
    return f"{in_brackets(value)} BETWEEN {in_brackets(low)} AND {in_brackets(high)}"


@register(TEXTS, "AttributeReference", "NamedLambdaVariable")
def _attribute(node: Node) -> str:
    return str(node.row["name"])


@register(TEXTS, "VariableReference")
def _variable(node: Node) -> str:
    return of_parts(node.row["originalNameParts"])


@register(TEXTS, "UnresolvedAttribute")
def _unresolved(node: Node) -> str:
    return of_parts(node.row["nameParts"])


@register(TEXTS, "UnresolvedFunction")
def _function(node: Node) -> str:
    return f"{of_parts(node.row['nameParts'])}({', '.join(map(node_text, node.children))})"


@register(TEXTS, "UnresolvedInlineTable")
def _unknown(node: Node) -> str:
    return "VALUES (...)"


def of_parts(parts: str) -> str:
    """A name of several parts: `[session, x]` as `session.x`."""
    return shown_name(".".join(str(parts).strip("[]").split(", ")))


@register(TEXTS, *OUTER)
def _outer(node: Node) -> str:
    if "e" in node.row:
        return expression_text(as_rows(node.row["e"]))
    return node_text(node.children[0])


@register(TEXTS, "Alias", "KnownNotNull", "CommonExpressionDef")
def _child(node: Node) -> str:
    return node_text(node.children[0])


@register(TEXTS, "Literal")
def _literal(node: Node) -> str:
    value = node.row.get("value")
    if value is None:
        return "NULL"
    if node.row.get("dataType") in ("string", "date", "timestamp"):
        return f"'{in_text(str(value))}'"
    return str(value)


@register(TEXTS, "AesDecrypt", "AesEncrypt", "TryAesDecrypt")
def _encrypted(node: Node) -> str:
    """Without the key, which people write as a constant."""
    value, *others = arguments(node)
    shown = [node_text(value), *([REDACTED] if others else [])]
    return f"{function_name(node)}({', '.join(shown)})"


@register(TEXTS, "Cast", "AnsiCast", "TryCast")
def _cast(node: Node) -> str:
    kind = node.row.get("dataType")
    shown = kind if isinstance(kind, str) else (kind or {}).get("type", "?")
    return f"CAST({node_text(node.children[0])} AS {shown})"


@register(TEXTS, "Not")
def _not(node: Node) -> str:
    return f"NOT {in_brackets(node.children[0])}"


@register(TEXTS, "IsNull")
def _is_null(node: Node) -> str:
    return f"{in_brackets(node.children[0])} IS NULL"


@register(TEXTS, "IsNotNull")
def _is_not_null(node: Node) -> str:
    return f"{in_brackets(node.children[0])} IS NOT NULL"


@register(TEXTS, "In")
def _in(node: Node) -> str:
    value, *items = node.children
    return f"{in_brackets(value)} IN ({', '.join(map(node_text, items))})"


@register(TEXTS, "CaseWhen")
def _case(node: Node) -> str:
    pairs = len(node.children) // 2 * 2
    parts = [
        f"WHEN {node_text(node.children[index])} THEN {node_text(node.children[index + 1])}"
        for index in range(0, pairs, 2)
    ]
    parts += [f"ELSE {node_text(other)}" for other in node.children[pairs:]]
    return f"CASE {' '.join(parts)} END"


@register(TEXTS, "AggregateExpression")
def _aggregate(node: Node) -> str:
    function, *filters = node.children
    text = node_text(function)
    if node.row.get("isDistinct"):
        text = text.replace("(", "(DISTINCT ", 1)
    return text + "".join(f" FILTER (WHERE {node_text(only)})" for only in filters)


@register(TEXTS, "WindowExpression")
def _window(node: Node) -> str:
    function, specification = node.children
    shown = "" if function.kind in RANKS else node_text(function)
    return f"{shown or function_name(function) + '()'} OVER ({node_text(specification)})"


RANKS = {"Rank", "DenseRank", "PercentRank", "RowNumber", "CumeDist"}


@register(TEXTS, "WindowSpecDefinition")
def _specification(node: Node) -> str:
    order = [child for child in node.children if child.kind == "SortOrder"]
    rest = [c for c in node.children if c.kind not in ("SortOrder", "SpecifiedWindowFrame")]
    parts = [("PARTITION BY", rest), ("ORDER BY", order)]
    return " ".join(f"{name} {', '.join(map(node_text, items))}" for name, items in parts if items)


@register(TEXTS, "SortOrder")
def _sort_order(node: Node) -> str:
    descending = "Desc" in str(node.row.get("direction"))
    return node_text(node.children[0]) + (" DESC" if descending else "")


@register(TEXTS, "ScalarSubquery", "LateralSubquery", "ListQuery")
def _subquery(node: Node) -> str:
    return "(SELECT ...)"


@register(TEXTS, "Exists")
def _exists(node: Node) -> str:
    return "EXISTS (SELECT ...)"


@register(TEXTS, "InSubquery")
def _in_subquery(node: Node) -> str:
    *values, query = node.children
    return f"{', '.join(map(in_brackets, values))} IN {node_text(query)}"


@register(TEXTS, "GetStructField")
def _member(node: Node) -> str:
    name = shown_name(str(node.row.get("name") or node.row.get("ordinal")))
    return f"{in_brackets(node.children[0])}.{name}"


@register(TEXTS, "GetArrayStructFields")
def _members(node: Node) -> str:
    return f"{in_brackets(node.children[0])}.{shown_name(node.row['field']['name'])}"


@register(TEXTS, "GetArrayItem", "GetMapValue")
def _item(node: Node) -> str:
    value, index = node.children
    return f"{in_brackets(value)}[{node_text(index)}]"


@register(TEXTS, "ArraySort")
def _sorted(node: Node) -> str:
    array, order = node.children
    shown = [node_text(array), *([] if is_default_order(order) else [node_text(order)])]
    return f"array_sort({', '.join(shown)})"


@register(TEXTS, "LambdaFunction")
def _lambda(node: Node) -> str:
    body, *variables = node.children
    return f"({', '.join(map(node_text, variables))}) -> {node_text(body)}"
