"""What each statement of a function does to the state: the table STATEMENTS."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from airflow_colgraph.collector.lineage.transformations import NONE, Inputs, union
from airflow_colgraph.collector.python_functions.assignment import assign, delete
from airflow_colgraph.collector.python_functions.callee import library_name
from airflow_colgraph.collector.python_functions.expressions import evaluate
from airflow_colgraph.collector.python_functions.iteration import repeat
from airflow_colgraph.collector.python_functions.nodes import Node
from airflow_colgraph.collector.python_functions.run import MOST_ROUNDS, Run
from airflow_colgraph.collector.python_functions.source import is_of_library
from airflow_colgraph.collector.python_functions.values import (
    Callee,
    GiveUp,
    State,
    Value,
    decided,
    joined_value,
)

StatementRule = Callable[[Run, "ast.AST"], None]
STATEMENTS: dict[type, Callable[[Run, ast.AST], None]] = {}
FAILURES = frozenset(  # exceptions that end the job: nothing is written then
    {
        *("ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError"),
        *("KeyError", "NotImplementedError", "OSError", "RuntimeError", "TypeError", "ValueError"),
        *("ZeroDivisionError", "LookupError", "OverflowError"),
    }
)


def rule(*kinds: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """File a function as the rule of some kinds of statements."""
    return lambda act: STATEMENTS.update(dict.fromkeys(kinds, act)) or act


def execute(run: Run, body: Sequence[ast.stmt]) -> None:
    """Run statements, one after the other."""
    for statement in body:
        if run.state.is_over:
            return
        run.step(statement)
        act = STATEMENTS.get(type(statement))
        if act is None:
            raise GiveUp(type(statement).__name__.lower())
        act(run, statement)


def leave(run: Run) -> None:
    """End the path that runs: what comes after depends on what decided that it ended."""
    run.call.exits += 1
    run.call.exit_decisions = union((run.call.exit_decisions, run.state.decisions))


def over() -> State:
    """A state that nothing reaches."""
    state = State()
    state.is_over = True
    return state


@rule(ast.Expr)
def _expression(run: Run, node: ast.Expr) -> None:
    evaluate(run, node.value)


@rule(ast.Pass)
def _pass(run: Run, node: ast.Pass) -> None:
    return


@rule(ast.Assert)
def _assert(run: Run, node: ast.Assert) -> None:
    evaluate(run, node.test)  # a job that fails writes nothing


@rule(ast.Assign)
def _assign(run: Run, node: ast.Assign) -> None:
    value = evaluate(run, node.value)
    may_fail = not all(isinstance(target, ast.Name) for target in node.targets)
    for attempt in run.attempts if may_fail else ():
        attempt.note(run, node, value)
    for target in node.targets:
        assign(run, target, value)


@rule(ast.AnnAssign)
def _annotated(run: Run, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(run, node.target, evaluate(run, node.value))


@rule(ast.AugAssign)
def _augmented(run: Run, node: ast.AugAssign) -> None:
    """A list, an array or a column may be changed in place: all its names see that."""
    if any(isinstance(inner, (ast.Call, ast.NamedExpr)) for inner in ast.walk(node.target)):
        raise GiveUp("an augmented assignment to what a call gives")
    fields = {name: getattr(node.target, name) for name in node.target._fields}
    fields["ctx"] = ast.Load()
    read = ast.copy_location(type(node.target)(**fields), node.target)
    old = evaluate(run, read)
    value = evaluate(run, ast.copy_location(ast.BinOp(read, node.op, node.value), node))
    if old.refs and (run.items(old) is None or run.items(old).kind not in ("tuple", "row")):  # type: ignore[union-attr]
        raise GiveUp("an augmented assignment to an object")
    if old.shape is not None:
        run.change_data(old, run.content(value))
    elif not (old.has_literal or value.has_literal):
        for buffer in old.buffers:
            run.change(buffer, run.content(value))
    assign(run, node.target, value)


@rule(ast.Delete)
def _delete(run: Run, node: ast.Delete) -> None:
    for target in node.targets:
        delete(run, target)


@rule(ast.Return)
def _return(run: Run, node: ast.Return) -> None:
    value = evaluate(run, node.value) if node.value is not None else Value(literal=None)
    finish(run, value)


def finish(run: Run, value: Value) -> None:
    """Return a value from the call that runs."""
    call = run.call
    if len(run.calls) == 2 and not (value.has_literal and value.literal is None):
        run.returned(value)
    value = value._replace(inputs=union((value.inputs, decided(run.state.decisions))))
    call.value = value if call.value is None else joined_value(call.value, value)
    leave(run)
    call.returned.append(run.state.copy())
    run.state.is_over = True


@rule(ast.Raise)
def _raise(run: Run, node: ast.Raise) -> None:
    result = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = library_name(run, result) if result is not None else ""
    if result is not None and name.partition(".")[2] not in FAILURES:
        raise GiveUp("raise of an exception that may be caught")
    if isinstance(node.exc, ast.Call):
        for argument in node.exc.args:
            evaluate(run, argument)
    for attempt in run.attempts:
        attempt.note(run, node, Value())
    run.state.is_over = True


@rule(ast.Break)
def _break(run: Run, node: ast.Break) -> None:
    leave(run)
    run.call.breaks[-1].append(run.state.copy())
    run.state.is_over = True


@rule(ast.Continue)
def _continue(run: Run, node: ast.Continue) -> None:
    leave(run)
    run.call.continues[-1].append(run.state.copy())
    run.state.is_over = True


@rule(ast.If)
def _if(run: Run, node: ast.If) -> None:
    test = evaluate(run, node.test)
    if test.has_literal:
        execute(run, node.body if test.literal else node.orelse)
        return
    branches(run, run.content(test), [node.body, node.orelse])


def branches(run: Run, by: Inputs, bodies: list[list[ast.stmt]]) -> None:
    """Run one of several blocks, as something decides."""
    before, exits = run.state.decisions, run.call.exits
    run.state.decisions = union((before, decided(by)))
    ends = []
    start = run.state.copy()
    for body in bodies:
        run.state.take(start)
        execute(run, body)
        ends.append(run.state.copy())
    go_on_from(run, ends, before, exits)


def go_on_from(run: Run, ends: Iterable[State], before: Inputs, exits: int) -> None:
    """Go on from any of several states; what affected them is over if none has left."""
    state = over()
    for end in ends:
        state = state.joined(end)
    state.is_over = all(end.is_over for end in ends)
    run.state.take(state)
    if run.call.exits == exits:
        run.state.decisions = before


@rule(ast.For)
def _for(run: Run, node: ast.For) -> None:
    if node.orelse:
        raise GiveUp("for .. else")
    before, exits = run.state.decisions, run.call.exits
    value = evaluate(run, node.iter)
    run.call.breaks.append([])

    def once(value: Value) -> None:
        assign(run, node.target, value)
        run.call.continues.append([])
        execute(run, node.body)
        _continued(run)

    repeat(run, value, node.iter, once)
    _after(run, before, exits)


def _continued(run: Run) -> None:
    for state in run.call.continues.pop():
        run.state.take(run.state.joined(state))
    if run.call.exits:
        run.state.decisions = union((run.state.decisions, decided(run.call.exit_decisions)))


def _after(run: Run, before: Inputs, exits: int) -> None:
    for state in run.call.breaks.pop():
        run.state.take(run.state.joined(state))
    if run.call.exits == exits:
        run.state.decisions = before


@rule(ast.While)
def _while(run: Run, node: ast.While) -> None:
    if node.orelse:
        raise GiveUp("while .. else")
    before, exits = run.state.decisions, run.call.exits
    run.call.breaks.append([])
    head = run.state.copy()
    by: Inputs = NONE
    for _ in range(MOST_ROUNDS):
        run.state.take(head)
        by = union((by, decided(run.content(evaluate(run, node.test)))))
        run.state.decisions = union((run.state.decisions, by))
        run.call.continues.append([])
        execute(run, node.body)
        _continued(run)
        after = head.joined(run.state)
        if after.is_as(head):
            break
        head = after
    else:
        raise GiveUp("a loop that does not settle")
    run.state.take(head)
    _after(run, before, exits)


@rule(ast.FunctionDef)
def _function(run: Run, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        raise GiveUp("a decorator inside the function")
    defaults = tuple(evaluate(run, each) for each in node.args.defaults)
    options = tuple(evaluate(run, e) if e is not None else None for e in node.args.kw_defaults)
    callee = Callee("closure", node.name, (Node(node), run.call.scope, defaults, options))
    assign(run, ast.copy_location(ast.Name(node.name, ast.Store()), node), Value(callee=callee))


@rule(ast.Import)
def _import(run: Run, node: ast.Import) -> None:
    for alias in node.names:
        if not is_of_library(alias.name):
            raise GiveUp(f"import {alias.name}")
        name = alias.asname or alias.name.partition(".")[0]
        module = alias.name if alias.asname else name
        _bind(run, node, name, Value(callee=Callee("module", module)))


@rule(ast.ImportFrom)
def _import_from(run: Run, node: ast.ImportFrom) -> None:
    if node.level or not is_of_library(node.module):
        raise GiveUp(f"from {node.module} import")
    for alias in node.names:
        name = f"{str(node.module).partition('.')[0]}.{alias.name}"
        _bind(run, node, alias.asname or alias.name, Value(callee=Callee("library", name)))


def _bind(run: Run, node: ast.AST, name: str, value: Value) -> None:
    assign(run, ast.copy_location(ast.Name(name, ast.Store()), node), value)
