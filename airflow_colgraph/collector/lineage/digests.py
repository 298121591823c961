"""Digests of a query's expressions, and of its joins, conditions and other steps. Pure.

Two versions of a job whose columns have the same inputs differ here if they compute them otherwise:
by another constant, function, condition or type of join. Secrets, days, times and the names of
intermediate columns do not count. A digest has 16 bits: enough to see a change, and too few to find
a constant by trying, as many others have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from airflow_colgraph.collector.lineage.frame import Frame
from airflow_colgraph.collector.lineage.sql_names import INFIX, function_name
from airflow_colgraph.collector.lineage.sql_text import (
    MOST_ROWS,
    arguments,
    hides_constants,
    node_text,
    without_constants,
    without_texts,
)
from airflow_colgraph.collector.lineage.unknown import inner_rows, is_plan
from airflow_colgraph.collector.plan import (
    OUTER,
    Node,
    Row,
    Rows,
    as_rows,
    conjuncts,
    expr_id,
    flatten,
    join_type,
    kind,
    parse,
    referenced,
)
from airflow_colgraph.openlineage.digests import (
    DATED,
    digest,
    shown,
    shown_steps,
    without_dates,
)
from airflow_colgraph.openlineage.redaction import is_named

RANDOM = {"Rand", "Randn", "Shuffle", "Uuid"}  # their seeds are others in each run
TIMES = {"date", "timestamp", "timestamp_ntz"}  # a job is often given its day
SEEN_THROUGH = {"Alias", "CommonExpressionDef", "KnownNotNull"}
COLUMNS = {"AttributeReference", "NamedLambdaVariable", *OUTER}
OWN = {  # what an expression is beside its name and its children
    "AggregateExpression": ("isDistinct",),
    "AnsiCast": ("dataType",),
    "AtLeastNNonNulls": ("n",),
    "Cast": ("dataType",),
    "GetArrayStructFields": ("field",),
    "GetStructField": ("name", "ordinal"),
    "HyperLogLogPlusPlus": ("relativeSD",),
    "Mode": ("reverseOpt",),
    "SortOrder": ("direction", "nullOrdering"),
    "SpecifiedWindowFrame": ("frameType",),
    "TryCast": ("dataType",),
    **dict.fromkeys(("AnyValue", "First", "Lag", "Last", "Lead", "NthValue"), ("ignoreNulls",)),
    **dict.fromkeys(("CollectList", "CollectSet"), ("ignoreNulls",)),
    **dict.fromkeys(("DropField", "WithField"), ("name",)),
    **dict.fromkeys(("ParseJson", "VariantGet"), ("failOnError",)),
    **dict.fromkeys(("PercentileCont", "PercentileDisc"), ("reverse",)),
    **dict.fromkeys(("TimestampAdd", "TimestampDiff"), ("unit",)),
}
JOINS = {
    "Cross": "INNER JOIN",
    "FullOuter": "FULL JOIN",
    "Inner": "INNER JOIN",
    "LeftAnti": "ANTI JOIN",
    "LeftOuter": "LEFT JOIN",
    "LeftSemi": "SEMI JOIN",
    "RightOuter": "RIGHT JOIN",
}


class Digests:
    """Records the named expressions and nodes of one query, children first.

    Their digests are computed by `of`, once the query is known to write.
    """

    def __init__(self) -> None:
        """Empty; the resolution fills it."""
        self._recorded: list[Callable[[_Fold], None]] = []

    def define(self, rows: Rows) -> None:
        """Keep what a named expression stands for."""
        if kind(rows[0]) == "Alias":
            self._recorded.append(lambda fold: fold.define(rows))

    def rename(self, new: int, old: int) -> None:
        """Keep that the attribute `new` is what `old` is: a CTE is read by ids of its own."""
        self._recorded.append(lambda fold: fold.combine([new], [[old]]))

    def combine(self, output: Sequence[int], several: Sequence[Sequence[int]]) -> None:
        """Keep that each attribute is that of any of several frames, by position."""
        self._recorded.append(lambda fold: fold.combine(output, several))

    def choose(self, output: Sequence[int], projections: Collection[Sequence[Rows]]) -> None:
        """Keep that each attribute is one of several expressions."""
        self._recorded.append(lambda fold: fold.choose(output, projections))

    def observe(
        self, node: Node, frames: Sequence[Frame], names_of: Callable[[Frame], Iterable[str]]
    ) -> None:
        """Keep a node that is a step; `names_of` are the names of a frame's datasets."""
        if node.kind in STEPS:
            self._recorded.append(
                lambda fold: fold.observe(node, frames if is_sided(node) else (), names_of)
            )

    def of(self, output: Iterable[int]) -> tuple[list[str], list[tuple[str, str]]]:
        """The digests of columns, empty for one taken as it is, and those of steps by name."""
        fold = _Fold({}, {})
        for act in self._recorded:
            act(fold)
        columns = [shown(fold.attributes.get(number, "")) for number in output]
        return columns, shown_steps(fold.steps)


class _Fold(NamedTuple):
    """The digests so far: of attributes by their ids, and of steps by their names."""

    attributes: dict[int, str]
    steps: dict[str, list[str]]

    def define(self, rows: Rows) -> None:
        number, name = expr_id(rows[0]), str(rows[0].get("name", ""))
        if len(rows) == 2 and kind(rows[1]) == "AttributeReference":  # another name only
            self.combine([number], [[expr_id(rows[1])]])
        else:
            self.attributes[number] = self._of(rows[1:], name)

    def combine(self, output: Sequence[int], several: Sequence[Sequence[int]]) -> None:
        for number, *others in zip(output, *several):
            parts = [self.attributes.get(other, "") for other in others]
            if any(parts):
                self.attributes[number] = digest(*parts) if len(parts) > 1 else parts[0]

    def choose(self, output: Sequence[int], projections: Iterable[Sequence[Rows]]) -> None:
        columns = zip(*([self._of(as_rows(rows)) for rows in each] for each in projections))
        self.attributes.update(zip(output, (digest(*column) for column in columns)))

    def observe(
        self, node: Node, sides: Sequence[Frame], names_of: Callable[[Frame], Iterable[str]]
    ) -> None:
        step = STEPS[node.kind]
        right = frozenset(sides[1].output) if sides else frozenset()
        texts = sorted(self._of(rows, right=right) for rows in step.expressions(node))
        names = (name for side in sides for name in (*sorted(names_of(side)), ""))
        kept = self.steps.setdefault(step.name(node), [])
        kept += texts if node.kind == "Filter" else [digest(*texts, *names)]

    def _of(self, rows: Rows, column: str = "", right: frozenset[int] = frozenset()) -> str:
        """The digest of an expression, whichever steps and names of columns it is written in."""
        rows = without_texts(rows) if is_named(column) else rows
        if len(rows) <= MOST_ROWS:
            return self._tree(parse(rows), right)
        names = (
            self._attribute(row, right) or str(row.get("value")) for row in without_texts(rows)
        )
        return digest(*(f"{kind(row)} {name}" for row, name in zip(rows, names)))

    def _tree(self, node: Node, right: frozenset[int]) -> str:
        if node.kind in SEEN_THROUGH:
            return self._tree(node.children[0], right)
        if own := self._attribute(node.row, right):
            return own
        if node.kind == "LambdaFunction":
            self._bind(node)
        node = without_constants(node) if hides_constants(node) else node
        parts = [str(node.row.get(name)) for name in OWN.get(node.kind, ())]
        parts += [digest(*sorted(self._named_in(p))) for p in inner_rows(node.row) if is_plan(p)]
        if node.kind == "Literal":
            is_time = str(node.row.get("dataType")) in TIMES
            return digest(DATED if is_time else without_dates(node_text(node)))
        children = () if node.kind in RANDOM else arguments(node)
        name = INFIX.get(node.kind) or function_name(node)
        return digest(name, *parts, *(self._tree(child, right) for child in children))

    def _bind(self, function: Node) -> None:
        """Tell the variables of a lambda function by their places, as their names do not count."""
        depth = sum(kind(row) == function.kind for row in flatten(function))
        for place, variable in enumerate(function.children[1:]):
            self.attributes[expr_id(variable.row)] = digest(function.kind, str(depth), str(place))

    def _attribute(self, row: Row, right: frozenset[int]) -> str:
        """The digest of a column; empty for any other expression."""
        if kind(row) not in COLUMNS:
            return ""
        number = expr_id(row)
        own = self.attributes.get(number) or digest(str(referenced(row).get("name")))
        return digest(own, "right") if number in right else own

    def _named_in(self, plan: Rows) -> Iterator[str]:
        """The digests of the columns that a subquery computes."""
        for rows in (rows for row in plan for rows in inner_rows(row) if not is_plan(rows)):
            if kind(rows[0]) == "Alias":
                yield self.attributes.get(expr_id(rows[0]), "")


# The steps of plans ----------------------------------------------------------------------------


def _nothing(node: Node) -> Iterable[Rows]:
    return ()


class StepOf(NamedTuple):
    """The name of a node's step, as SQL writes it, and the expressions that it depends on."""

    name: Callable[[Node], str]
    expressions: Callable[[Node], Iterable[Rows]] = _nothing


def _field(name: str) -> Callable[[Node], Iterable[Rows]]:
    return lambda node: node.expressions(name)


def _conjuncts(node: Node) -> Iterable[Rows]:
    return conjuncts(node.expression("condition") or [])


def _inside(node: Node) -> Iterator[Rows]:
    """All expressions of a node."""
    return (rows for rows in inner_rows(node.row) if not is_plan(rows))


def _join_name(node: Node) -> str:
    return JOINS.get(join_type(node), join_type(node))


def is_sided(node: Node) -> bool:
    """Whether it matters which side of a join is which."""
    return node.kind == "Join" and join_type(node) not in ("Cross", "FullOuter", "Inner")


def _set_name(node: Node) -> str:
    return f"{node.kind.upper()}{' ALL' if node.row.get('isAll') else ''}"


def _sample_name(node: Node) -> str:
    repeats = " WITH REPLACEMENT" if node.row.get("withReplacement") else ""
    return f"SAMPLE {node.row.get('lowerBound')} {node.row.get('upperBound')}{repeats}"


def _limited(name: str, field: str) -> StepOf:
    def named(node: Node) -> str:
        rows = node.expression(field)
        return f"{name} {node_text(parse(rows))}" if rows else name

    return StepOf(named)


def _called(name: str, expressions: Callable[[Node], Iterable[Rows]] = _nothing) -> StepOf:
    return StepOf(lambda node: name, expressions)


STEPS = {
    "Aggregate": _called("GROUP BY", _field("groupingExpressions")),
    "AsOfJoin": StepOf(_join_name, _inside),
    "Deduplicate": _called("DISTINCT", _field("keys")),
    "DeduplicateWithinWatermark": _called("DISTINCT", _field("keys")),
    "DeleteCommand": _called("DELETE", _inside),
    "DeleteFromTable": _called("DELETE", _inside),
    "Distinct": _called("DISTINCT"),
    "Except": StepOf(_set_name),
    "Filter": _called("FILTER", _conjuncts),
    "Generate": StepOf(
        lambda node: "LATERAL VIEW OUTER" if node.row.get("outer") else "LATERAL VIEW",
        lambda node: [node.expression("generator") or []],
    ),
    "GlobalLimit": _limited("LIMIT", "limitExpr"),
    "Intersect": StepOf(_set_name),
    "Join": StepOf(_join_name, _conjuncts),
    "LateralJoin": StepOf(_join_name, _conjuncts),
    "MergeIntoCommand": _called("MERGE", _inside),
    "MergeRows": _called("MERGE", _inside),
    "Offset": _limited("OFFSET", "offsetExpr"),
    "Sample": StepOf(_sample_name),
    "Sort": _called("SORT", _field("order")),
    "Tail": _limited("TAIL", "limitExpr"),
    "Union": _called("UNION"),
    "UpdateCommand": _called("UPDATE", _inside),
}
