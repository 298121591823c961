"""The program's own text between `toPandas()` and `createDataFrame(..)`, as a function. Pure.

It is a function if both calls are statements of one block, in a straight line: what `toPandas`
gives are its arguments, and what `createDataFrame` gets is its answer. Its body has the statements
between the two that name what the answer is computed from; all others leave these objects alone.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Container, Iterator, Sequence
from types import CodeType
from typing import Any, NamedTuple, Union

from airflow_colgraph.collector.python_functions.source import (
    definition,
    imports,
    is_same,
    tree_of,
)

READ, MAKE = "toPandas", "createDataFrame"
Body = Union[ast.Module, ast.FunctionDef]
Block = list[ast.stmt]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
REPEATED = (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)
SEES_NAMES = {"eval", "exec", "globals", "locals", "vars"}
SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)


class Text(NamedTuple):
    """A stretch of text as a function: of what the calls on these statements have read."""

    function: ast.FunctionDef
    names: tuple[str, ...]  # that it does not set itself
    reads: tuple[int, ...]  # places in the block, in the order of the parameters


_bodies: dict[CodeType, Body | None] = {}
MOST_BODIES = 100


def body_of(code: CodeType) -> Body | None:
    """The syntax tree of a function or module that runs, if its source is what it was made of."""
    if code not in _bodies:
        if len(_bodies) >= MOST_BODIES:
            _bodies.clear()
        _bodies[code] = _body(code)
    return _bodies[code]


def _body(code: CodeType) -> Body | None:
    if code.co_name != "<module>":
        tree = definition(code)
        return tree if isinstance(tree, ast.FunctionDef) else None
    module = tree_of(code.co_filename)
    try:
        same = module and is_same(
            compile(module, code.co_filename, "exec", dont_inherit=True), code
        )
    except (SyntaxError, ValueError, RecursionError):
        return None
    return module if same else None


def place_of(body: Body, line: int) -> tuple[Block, int] | None:
    """The innermost block with a statement over a line, and where in it that is."""
    block: Block = body.body
    while True:
        over = [n for n, s in enumerate(block) if s.lineno <= line <= (s.end_lineno or 0)]
        if len(over) != 1:
            return None
        (at,) = over
        inner = [each for each in blocks_of(block[at]) if each[0].lineno <= line]
        inner = [each for each in inner if line <= (each[-1].end_lineno or 0)]
        if not inner:
            return (block, at) if isinstance(block[at], SIMPLE) else None
        block = inner[0]


def blocks_of(statement: ast.stmt) -> Iterator[Block]:
    """The blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        if getattr(statement, name, None):
            yield getattr(statement, name)
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def calls_of(node: ast.AST, method: str) -> list[ast.Call]:
    """The calls of a method in a text."""
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == method
    ]


def only_read(statement: ast.stmt) -> ast.Call | None:
    """The call of `toPandas` in a statement, if it is the only one and runs once."""
    calls = calls_of(statement, READ)
    repeated = (each for each in ast.walk(statement) if isinstance(each, REPEATED))
    is_once = isinstance(statement, SIMPLE) and not any(calls_of(each, READ) for each in repeated)
    return calls[0] if len(calls) == 1 and is_once else None


def made_of(statement: ast.stmt) -> ast.expr | None:
    """What `createDataFrame` gets in a statement, if nothing in it runs before its argument."""
    calls = calls_of(statement, MAKE) if isinstance(statement, SIMPLE) else []
    if len(calls) != 1:
        return None
    (call,) = calls
    around = [each for each in ast.walk(statement) if call in ast.walk(each)]
    inside = set(map(id, (*around, *ast.walk(call))))
    before = (
        each
        for each in ast.walk(statement)
        if isinstance(each, (ast.Call, ast.NamedExpr)) and id(each) not in inside
    )
    is_first = all((each.lineno, each.col_offset) > start_of(call) for each in before)
    if not is_first or any(isinstance(each, (*REPEATED, ast.IfExp, ast.BoolOp)) for each in around):
        return None
    named = [each.value for each in call.keywords if each.arg == "data"]
    return next(iter([*call.args[:1], *named]), None)


def start_of(node: ast.expr) -> tuple[int, int]:
    """Where an expression begins in the text."""
    return node.lineno, node.col_offset


def text_between(
    module: ast.Module | None, body: Body, block: Block, first: int, last: int
) -> Text | None:
    """The text from a statement with `toPandas` to one with `createDataFrame`; None if it is no
    straight line."""
    data = made_of(block[last])
    span = block[first:last]
    if data is None or any(names_of(each) & SEES_NAMES for each in block[first : last + 1]):
        return None
    shared = shared_names(module, body)
    chosen = {block[first + at]: part for at, part in related(span, data, shared).items()}
    leaving = (each for part in chosen.values() for each in own_nodes(part))
    own: set[str] = set().union(*map(stored_names, chosen.values()))
    if any(isinstance(each, LEAVING) for each in leaving) or is_seen_by_others(body, chosen, own):
        return None
    parameters = Parameters(block)
    statements = [parameters.replaced(each, part) for each, part in chosen.items()]
    answer = ast.Return(parameters.replaced(block[last], data))
    if parameters.is_unclear or not parameters.reads:
        return None
    arguments = ast.arguments(
        [], [ast.arg(parameter(n)) for n in parameters.reads], None, [], [], None, []
    )
    function = ast.FunctionDef("between", arguments, [*statements, answer], [])
    if hasattr(ast, "TypeAlias"):
        function.type_params = []  # type: ignore[attr-defined]
    ast.copy_location(function, block[first])
    ast.copy_location(answer, block[last])
    free = names_of(function) - own - {function.name} - {parameter(n) for n in parameters.reads}
    return Text(ast.fix_missing_locations(function), tuple(sorted(free)), tuple(parameters.reads))


class Parameters:
    """Puts a parameter in the place of each call of `toPandas`."""

    def __init__(self, block: Block) -> None:
        """None is met yet."""
        self._block = block
        self.reads: list[int] = []
        self.is_unclear = False

    def replaced(self, statement: ast.stmt, part: ast.AST) -> Any:
        """A copy of a part of a statement, without the call."""
        text = copied(part)
        if not calls_of(text, READ):
            return text
        at = next(n for n, each in enumerate(self._block) if each is statement)
        self.is_unclear |= only_read(statement) is None
        self.reads.append(at)
        return Replaced(at).visit(text)


class Replaced(ast.NodeTransformer):
    """Replaces the call of `toPandas` by a name that no program has, or leaves it out."""

    def __init__(self, at: int | None) -> None:
        """`at` is where its statement is, if that matters."""
        self._at = at

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace it, or what is in it."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == READ:
            if self._at is None:
                return ast.copy_location(ast.Constant(None), node)
            return ast.copy_location(ast.Name(parameter(self._at), ast.Load()), node)
        return self.generic_visit(node)


def parameter(at: int) -> str:
    """The name of what a statement's call has read."""
    return f"{READ} {at}"


# Which statements belong to it ------------------------------------------------------------------


def related(span: Sequence[ast.stmt], data: ast.expr, shared: set[str]) -> dict[int, ast.stmt]:
    """The statements that name what an answer is computed from, or what they name in turn.

    One that makes a frame for Spark counts with what it makes it of.
    """
    pairs = [parts_of(each) for each in span]
    names = [tuple(names_of(without_reads(each)) - shared for each in pair) for pair in pairs]
    wanted: set[str] = set()
    more = names_of(without_reads(data)) - shared
    while more != wanted:
        wanted, more = more, set(more)
        for part, rest in names:
            more |= part if part & wanted else set()
            more |= part | rest if rest & wanted else set()
    return {
        at: span[at] if rest & wanted else pairs[at][0]
        for at, (part, rest) in enumerate(names)
        if (part | rest) & wanted
    }


def parts_of(statement: ast.stmt) -> tuple[ast.stmt, ast.AST]:
    """A statement, and nothing; or what `createDataFrame` gets in it, and all else."""
    data = made_of(statement)
    if data is None:
        return statement, ast.Pass()
    rest = Without(data).visit(copied(statement))
    return ast.copy_location(ast.Expr(data), data), rest


def copied(node: Any) -> Any:
    """A copy of a tree, each of whose parts has its own place."""
    return copy.deepcopy(node)


class Without(ast.NodeTransformer):
    """Leaves an expression out of a copy of what it is in."""

    def __init__(self, left_out: ast.expr) -> None:
        """By its place and kind."""
        self._place = (type(left_out), start_of(left_out), left_out.end_col_offset)

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace it, or what is in it."""
        place = isinstance(node, ast.expr) and (type(node), start_of(node), node.end_col_offset)
        if place == self._place:
            return ast.copy_location(ast.Constant(None), node)
        return self.generic_visit(node)


def without_reads(node: ast.AST) -> ast.AST:
    """A text without what `toPandas` is called of."""
    return Replaced(None).visit(copied(node)) if calls_of(node, READ) else node


def shared_names(module: ast.Module | None, body: Body) -> set[str]:
    """The names of modules and builtins, by which no statement changes what another one has."""
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in imports(module)
        for alias in node.names  # type: ignore[attr-defined]
    }
    others = [each for each in body.body if not isinstance(each, (ast.Import, ast.ImportFrom))]
    return (imported | set(vars(builtins))) - set().union(*map(stored_names, others))


def names_of(node: ast.AST) -> set[str]:
    """The names in a text that it sets, or that stand for something outside of it."""
    if isinstance(node, FUNCTIONS):
        arguments = node.args
        inside = node.body if isinstance(node.body, list) else [node.body]
        declared = {
            name
            for each in ast.walk(node)
            if isinstance(each, (ast.Global, ast.Nonlocal))
            for name in each.names
        }
        own = {each.arg for each in ast.walk(arguments) if isinstance(each, ast.arg)}
        own |= set().union(*map(stored_names, inside))
        at_once = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
        at_once += getattr(node, "decorator_list", [])
        names = set().union(*map(names_of, inside)) - own
        return names.union(declared, named(node), *map(names_of, at_once))
    own = {node.id} if isinstance(node, ast.Name) else named(node)
    return own.union(*map(names_of, ast.iter_child_nodes(node)))


def named(node: ast.AST) -> set[str]:
    """The names that a statement itself sets, apart from those in its expressions."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.ExceptHandler):
        return {node.name} if node.name else set()
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return set()


def stored_names(node: ast.AST) -> set[str]:
    """The names that a text sets where it runs."""
    stored = {
        each.id
        for each in own_nodes(node)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    return stored.union(*map(named, own_nodes(node)))


def own_nodes(statement: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run with it: not those of functions that it makes."""
    yield statement
    for child in ast.iter_child_nodes(statement) if not isinstance(statement, FUNCTIONS) else ():
        yield from own_nodes(child)


def is_seen_by_others(body: Body, chosen: Container[ast.stmt], names: set[str]) -> bool:
    """Whether a function that is no part of some statements uses a variable that they set."""
    stack: list[ast.AST] = list(ast.iter_child_nodes(body))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)) and names.intersection(node.names):
            return True
        if node in chosen:
            continue
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            own = {getattr(node, "name", "")}
            if (names_of(node) - own) & names:
                return True
        else:
            stack += ast.iter_child_nodes(node)
    return False
