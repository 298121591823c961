"""The program's text between `toPandas()` or `collect()` and `createDataFrame(..)`, as a function.

It is a function if both calls are statements of one block, in a straight line: what the first one
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

READS, MAKE = ("toPandas", "collect"), "createDataFrame"
Body = Union[ast.Module, ast.FunctionDef]
Block = list[ast.stmt]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
REPEATED = (*FUNCTIONS, *COMPREHENSIONS)
LOOPS = (ast.For, ast.While, ast.AsyncFor)
LEAVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)
SEES_NAMES = {"eval", "exec", "globals", "locals", "vars"}
PLAIN = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Load)
SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)


class Text(NamedTuple):
    """A stretch of text as a function: of what the calls on these statements have read."""

    function: ast.FunctionDef
    names: tuple[str, ...]  # that it does not set itself
    reads: tuple[int, ...]  # places in the block, in the order of the parameters


_bodies: dict[CodeType, Body | None] = {}
MOST_BODIES = 100
MOST_NODES = 3000  # of a text: some 50 ms, once


def body_of(code: CodeType) -> Body | None:
    """The syntax tree of a function or module that runs, if its source is what it came from."""
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
            return (block, at) if isinstance(block[at], (*SIMPLE, ast.For)) else None
        block = inner[0]


def blocks_of(statement: ast.stmt) -> Iterator[Block]:
    """The blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        if getattr(statement, name, None):
            yield getattr(statement, name)
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def calls_of(node: ast.AST, *methods: str) -> list[ast.Call]:
    """The calls of some methods in a text."""
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in methods
    ]


def only_read(statement: ast.stmt) -> ast.Call | None:
    """The call that reads rows in a statement, if it is the only one and runs once."""
    calls = calls_of(statement, *READS)
    is_once = isinstance(statement, (*SIMPLE, ast.For)) and len(calls) == 1
    repeated = repeated_parts(statement) if is_once else ()
    return calls[0] if is_once and not any(calls_of(each, *READS) for each in repeated) else None


def repeated_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that may run more than once, or never."""
    if isinstance(statement, ast.For):
        yield from (*statement.body, *statement.orelse)
    for node in ast.walk(statement):
        if isinstance(node, COMPREHENSIONS):
            yield from parts_after(node, node.generators[0].iter)
        elif isinstance(node, FUNCTIONS):
            yield node
        elif isinstance(node, ast.IfExp):
            yield from (node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            yield from node.values[1:]


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


def makers(block: Block) -> list[int]:
    """The places of the statements that make frames."""
    return [at for at, each in enumerate(block) if made_of(each) is not None]


def start_of(node: ast.expr) -> tuple[int, int]:
    """Where an expression begins in the text."""
    return node.lineno, node.col_offset


def text_between(
    module: ast.Module | None, body: Body, block: Block, first: int, last: int
) -> Text | None:
    """The text from a statement that reads rows to one with `createDataFrame`; None if it is no
    straight line."""
    data = made_of(block[last])
    span = block[first:last]
    if sum(1 for each in span for _ in ast.walk(each)) > MOST_NODES:
        return None
    if data is None or any(names_of(each) & SEES_NAMES for each in block[first : last + 1]):
        return None
    shared = shared_names(module, body)
    chosen = {block[first + at]: part for at, part in related(span, data, shared).items()}
    wanted = set().union(names_of(data), *map(names_of, chosen.values())) - shared
    chosen = {**started_empty(block[:first], wanted), **chosen}
    own: set[str] = set().union(*map(stored_names, chosen.values()))
    if any(map(is_left, chosen.values())) or is_seen_by_others(body, chosen, own):
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


def is_left(statement: ast.AST, in_loop: bool = False) -> bool:
    """Whether a statement may end the block that it is in."""
    if isinstance(statement, LEAVING):
        return True
    if isinstance(statement, (ast.Break, ast.Continue)):
        return not in_loop
    if isinstance(statement, FUNCTIONS):
        return False
    looped = statement.body if isinstance(statement, LOOPS) else []
    return any(is_left(each, in_loop or each in looped) for each in ast.iter_child_nodes(statement))


class Parameters:
    """Puts a parameter in the place of each call that reads rows."""

    def __init__(self, block: Block) -> None:
        """None is met yet."""
        self._block = block
        self.reads: list[int] = []
        self.is_unclear = False

    def replaced(self, statement: ast.stmt, part: ast.AST) -> Any:
        """A copy of a part of a statement, without the call."""
        text = copied(part)
        if not calls_of(text, *READS):
            return text
        at = next(n for n, each in enumerate(self._block) if each is statement)
        self.is_unclear |= only_read(statement) is None
        self.reads.append(at)
        return Replaced(at).visit(text)


class Replaced(ast.NodeTransformer):
    """Replaces the call that reads rows by a name that no program has, or leaves it out."""

    def __init__(self, at: int | None) -> None:
        """`at` is where its statement is, if that matters."""
        self._at = at

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace it, or what is in it."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in READS:
            if self._at is None:
                return ast.copy_location(ast.Constant(None), node)
            return ast.copy_location(ast.Name(parameter(self._at), ast.Load()), node)
        return self.generic_visit(node)


def parameter(at: int) -> str:
    """The name of what a statement's call has read."""
    return f"rows {at}"


# Which statements belong to it ------------------------------------------------------------------


def related(span: Sequence[ast.stmt], data: ast.expr, shared: set[str]) -> dict[int, ast.stmt]:
    """The statements that name what an answer is computed from, or what they name in turn.

    One that makes a frame for Spark counts with what it makes it of.
    """
    pairs = [parts_of(each) for each in span]
    shared = shared | names_of_loops([*span, data])
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


def started_empty(before: Sequence[ast.stmt], wanted: set[str]) -> dict[ast.stmt, ast.stmt]:
    """The statements that let wanted names begin as constants, lists or dicts of them.

    Nothing between them and the end names these variables.
    """
    starts = {}
    named_since: set[str] = set()
    for statement in reversed(before):
        names = names_of(statement)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            is_plain = all(isinstance(each, PLAIN) for each in ast.walk(value))
            if isinstance(target, ast.Name) and is_plain and names <= wanted - named_since:
                starts[statement] = statement
        named_since |= names
    return dict(reversed(starts.items()))


def names_of_loops(nodes: Sequence[ast.stmt | ast.expr]) -> set[str]:
    """The names that only loops use, which set them themselves: they carry nothing on."""
    own = [
        stored_names(each.target) - names_of(each.iter) if isinstance(each, ast.For) else set()
        for each in nodes
    ]
    others = (names_of(each) - names for each, names in zip(nodes, own))
    return set().union(*own).difference(*others)


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
    """A text without the frames whose rows are read."""
    return Replaced(None).visit(copied(node)) if calls_of(node, *READS) else node


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
    names: set[str] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, FUNCTIONS):
            names |= names_around(node)
        elif isinstance(node, COMPREHENSIONS):
            first = node.generators[0].iter
            targets = set().union(*(stored_names(each.target) for each in node.generators))
            names |= set().union(*map(names_of, parts_after(node, first))) - targets
            stack.append(first)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        else:
            names |= named(node)
            stack += ast.iter_child_nodes(node)
    return names


def names_around(function: Any) -> set[str]:
    """The names of a function that stand for something outside of it, with its own."""
    arguments = function.args
    inside = function.body if isinstance(function.body, list) else [function.body]
    declared = {
        name
        for each in ast.walk(function)
        if isinstance(each, (ast.Global, ast.Nonlocal))
        for name in each.names
    }
    own = {each.arg for each in ast.walk(arguments) if isinstance(each, ast.arg)}
    own |= set().union(*map(stored_names, inside))
    at_once = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    at_once += getattr(function, "decorator_list", [])
    names = set().union(*map(names_of, inside)) - own
    return names.union(declared, named(function), *map(names_of, at_once))


def parts_after(node: ast.AST, first: ast.AST) -> Iterator[ast.AST]:
    """The parts of a comprehension that see its own names: all but what it iterates over first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            yield from (each for each in ast.iter_child_nodes(child) if each is not first)
        else:
            yield child


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
    nodes = [*own_nodes(node)]
    inner = {
        id(name)
        for each in nodes
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
    }
    stored = {
        each.id
        for each in nodes
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
        if id(each) not in inner
    }
    return stored.union(*map(named, nodes))


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
