"""A Spark expression as a person would write it: the user's names, no `#12`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from airflow_colgraph.collector.lineage.array_order import is_default_order
from airflow_colgraph.collector.lineage.sql_names import INFIX, function_name
from airflow_colgraph.collector.plan import OUTER, Node, Row, Rows, as_rows, flatten, kind, parse
from airflow_colgraph.collector.redaction import REDACTED, in_text, is_hash, is_named, is_option

MOST_ROWS = 300  # an expression of more nodes is cut
MOST_CHARACTERS = 1000
CUT = "..."

Words = Callable[[Node], str]
WORDS: dict[str, Words] = {}


def wording(*kinds: str) -> Callable[[Words], Words]:
    """File how a class of expressions is written."""

    def add(words: Words) -> Words:
        WORDS.update(dict.fromkeys(kinds, words))
        return words

    return add


def words(rows: Rows, column: str = "") -> str:
    """The text of an expression, cut where it is too long to be read.

    Constants in a column that is named as a secret are hidden.
    """
    if len(rows) > MOST_ROWS:
        return CUT
    text = say(parse(without_texts(rows) if is_named(column) else rows))
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + CUT


def say(node: Node) -> str:
    """The text of a node and all below it."""
    node = without_constants(node) if hides_constants(node) else node
    rule = WORDS.get(node.kind)
    if rule is not None:
        return rule(node)
    if node.kind in INFIX and len(node.children) == 2:
        left, right = node.children
        return f"{within(left)} {INFIX[node.kind]} {within(right)}"
    return f"{function_name(node)}({', '.join(map(say, arguments(node)))})"


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
    if "Hash" in node.kind or node.kind in WORDS:
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


def within(node: Node) -> str:
    """As `say`, in brackets where it is an infix expression."""
    return f"({say(node)})" if node.kind in INFIX else say(node)


def arguments(node: Node) -> list[Node]:
    """What the user gave to a function: Spark replaces some functions by others."""
    if "replacement" not in node.row:
        return list(node.children)
    given = (value for name, value in node.row.items() if name != "replacement")
    lists = [value for value in given if isinstance(value, list) and value]
    found = [rows for value in lists for rows in (value if isinstance(value[0], list) else [value])]
    return [parse(as_rows(rows)) for rows in found if isinstance(rows[0], dict)]


@wording("Between")
def _between(node: Node) -> str:
    value, low, high = arguments(node)[:3]
    return f"{within(value)} BETWEEN {within(low)} AND {within(high)}"


@wording("AttributeReference", "NamedLambdaVariable")
def _attribute(node: Node) -> str:
    return str(node.row["name"])


@wording("VariableReference")
def _variable(node: Node) -> str:
    return of_parts(node.row["originalNameParts"])


@wording("UnresolvedAttribute")
def _unresolved(node: Node) -> str:
    return of_parts(node.row["nameParts"])


@wording("UnresolvedFunction")
def _function(node: Node) -> str:
    return f"{of_parts(node.row['nameParts'])}({', '.join(map(say, node.children))})"


@wording("UnresolvedInlineTable")
def _unknown(node: Node) -> str:
    return "VALUES (...)"


def of_parts(parts: str) -> str:
    """A name of several parts: `[session, x]` as `session.x`."""
    return ".".join(str(parts).strip("[]").split(", "))


@wording(*OUTER)
def _outer(node: Node) -> str:
    return words(as_rows(node.row["e"])) if "e" in node.row else say(node.children[0])


@wording("Alias", "KnownNotNull", "CommonExpressionDef")
def _child(node: Node) -> str:
    return say(node.children[0])


@wording("Literal")
def _literal(node: Node) -> str:
    value = node.row.get("value")
    if value is None:
        return "NULL"
    if node.row.get("dataType") in ("string", "date", "timestamp"):
        return f"'{in_text(str(value))}'"
    return str(value)


@wording("AesDecrypt", "AesEncrypt", "TryAesDecrypt")
def _encrypted(node: Node) -> str:
    """Without the key, which people write as a constant."""
    value, *others = arguments(node)
    return f"{function_name(node)}({', '.join([say(value), *([REDACTED] if others else [])])})"


@wording("Cast", "AnsiCast", "TryCast")
def _cast(node: Node) -> str:
    kind = node.row.get("dataType")
    shown = kind if isinstance(kind, str) else (kind or {}).get("type", "?")
    return f"CAST({say(node.children[0])} AS {shown})"


@wording("Not")
def _not(node: Node) -> str:
    return f"NOT {within(node.children[0])}"


@wording("IsNull")
def _is_null(node: Node) -> str:
    return f"{within(node.children[0])} IS NULL"


@wording("IsNotNull")
def _is_not_null(node: Node) -> str:
    return f"{within(node.children[0])} IS NOT NULL"


@wording("In")
def _in(node: Node) -> str:
    value, *items = node.children
    return f"{within(value)} IN ({', '.join(map(say, items))})"


@wording("CaseWhen")
def _case(node: Node) -> str:
    pairs = len(node.children) // 2 * 2
    parts = [
        f"WHEN {say(node.children[index])} THEN {say(node.children[index + 1])}"
        for index in range(0, pairs, 2)
    ]
    parts += [f"ELSE {say(other)}" for other in node.children[pairs:]]
    return f"CASE {' '.join(parts)} END"


@wording("AggregateExpression")
def _aggregate(node: Node) -> str:
    function, *filters = node.children
    text = say(function)
    if node.row.get("isDistinct"):
        text = text.replace("(", "(DISTINCT ", 1)
    return text + "".join(f" FILTER (WHERE {say(only)})" for only in filters)


@wording("WindowExpression")
def _window(node: Node) -> str:
    function, specification = node.children
    shown = "" if function.kind in RANKS else say(function)
    return f"{shown or function_name(function) + '()'} OVER ({say(specification)})"


RANKS = {"Rank", "DenseRank", "PercentRank", "RowNumber", "CumeDist"}


@wording("WindowSpecDefinition")
def _specification(node: Node) -> str:
    order = [child for child in node.children if child.kind == "SortOrder"]
    rest = [c for c in node.children if c.kind not in ("SortOrder", "SpecifiedWindowFrame")]
    parts = [("PARTITION BY", rest), ("ORDER BY", order)]
    return " ".join(f"{name} {', '.join(map(say, found))}" for name, found in parts if found)


@wording("SortOrder")
def _sort_order(node: Node) -> str:
    descending = "Desc" in str(node.row.get("direction"))
    return say(node.children[0]) + (" DESC" if descending else "")


@wording("ScalarSubquery", "LateralSubquery", "ListQuery")
def _subquery(node: Node) -> str:
    return "(SELECT ...)"


@wording("Exists")
def _exists(node: Node) -> str:
    return "EXISTS (SELECT ...)"


@wording("InSubquery")
def _in_subquery(node: Node) -> str:
    *values, query = node.children
    return f"{', '.join(map(within, values))} IN {say(query)}"


@wording("GetStructField")
def _member(node: Node) -> str:
    return f"{within(node.children[0])}.{node.row.get('name') or node.row.get('ordinal')}"


@wording("GetArrayStructFields")
def _members(node: Node) -> str:
    return f"{within(node.children[0])}.{node.row['field']['name']}"


@wording("GetArrayItem", "GetMapValue")
def _item(node: Node) -> str:
    value, index = node.children
    return f"{within(value)}[{say(index)}]"


@wording("ArraySort")
def _sorted(node: Node) -> str:
    array, order = node.children
    return f"array_sort({say(array) if is_default_order(order) else f'{say(array)}, {say(order)}'})"


@wording("LambdaFunction")
def _lambda(node: Node) -> str:
    body, *variables = node.children
    return f"({', '.join(map(say, variables))}) -> {say(body)}"
