"""All work on text in the collector and what it shares, found by walking the modules.

A pattern that is added to the collector is found here without being listed, and so is a function
that takes nothing but text.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import string
import sys
import typing
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2] / "airflow_colgraph"
PACKAGES = ("collector", "openlineage")
FUNCTIONS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}
# A user's own pattern: what it is applied to is bounded, see `remove_path_pattern`.
BY_THE_USER = {"settings._removing"}

Work = Callable[[str], Any]


class Module(NamedTuple):
    """A module: its name within its package, its text as a tree, and itself."""

    name: str
    tree: ast.Module
    module: ModuleType


def modules() -> Iterator[Module]:
    """Every module of the collector, and of the package that it shares with others."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT / package).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            if name:
                module = importlib.import_module(f"airflow_colgraph.{package}.{name}")
                yield Module(name, ast.parse(file.read_text()), module)


def patterns() -> dict[str, tuple[re.Pattern[str], Work]]:
    """Every use of a regular expression: `module:line method` -> what it does with a text."""
    found: dict[str, tuple[re.Pattern[str], Work]] = {}
    methods = _methods_of_names()
    for name, tree, module in modules():
        for function, call, names in _calls(tree):
            method = call.func.attr  # type: ignore[attr-defined]
            if f"{name}.{function}" in BY_THE_USER:
                continue
            values = [_value(argument, module) for argument in call.args]
            assert values[0] is not None, f"{name}:{call.lineno}: name the pattern in the module"
            compiled = re.compile(values[0], _flags(call, method, values, module))
            used = methods.get(names, set()) or FUNCTIONS if method == "compile" else {method}
            for each in sorted(used):
                found[f"{name}:{call.lineno} {each}"] = compiled, partial(_apply, compiled, each)
    return found


def _apply(pattern: re.Pattern[str], method: str, text: str) -> Any:
    if method in ("sub", "subn"):
        return pattern.sub("", text)
    if method == "finditer":
        return list(pattern.finditer(text))
    return getattr(pattern, method)(text)


def _calls(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.Call, str]]:
    """The calls of `re`: the function that each is in, itself, and the name that it is given."""
    for node in ast.iter_child_nodes(tree):
        inside = node.name if isinstance(node, ast.FunctionDef) else function
        if isinstance(node, ast.Assign) and _is_of_re(node.value):
            target = node.targets[0]
            yield inside, node.value, target.id if isinstance(target, ast.Name) else ""
        elif _is_of_re(node):
            yield inside, node, ""
        else:
            yield from _calls(node, inside)
            continue
        yield from _calls(node.value if isinstance(node, ast.Assign) else node, inside)


def _is_of_re(node: ast.AST) -> typing.TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in FUNCTIONS | {"compile"}
    )


def _value(node: ast.expr, module: ModuleType) -> Any:
    """What an argument is; text that is only known when it runs is none that matters here."""
    try:
        return eval(compile(ast.Expression(node), "", "eval"), dict(vars(module)))
    except NameError:
        return None


def _flags(call: ast.Call, method: str, values: list[Any], module: ModuleType) -> int:
    named = {each.arg: each.value for each in call.keywords}
    if "flags" in named:
        return int(_value(named["flags"], module))
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
    return int(values[at]) if len(values) > at else 0


def _methods_of_names() -> dict[str, set[str]]:
    """The methods of patterns that are called, by the names of the patterns."""
    found: dict[str, set[str]] = {}
    for _, tree, _ in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in FUNCTIONS:
                continue
            if isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, set()).add(node.attr)
    return found


# Functions --------------------------------------------------------------------------------------

PURE = {"naming", "lineage", "events", "model", "plan", "redaction", "settings", "spark"}


def functions() -> dict[str, Work]:
    """Every function of the rooms without side effects that can be called with text alone."""
    found: dict[str, Work] = {}
    for name, _, module in modules():
        if name.partition(".")[0] not in PURE:
            continue
        for each, function in vars(module).items():
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            if (made := arguments(function, "")) is not None and made:
                found[f"{name}.{each}"] = partial(_call, function)
    return found


def _call(function: Callable[..., Any], text: str) -> Any:
    with suppress(ValueError, KeyError):  # a text that is refused
        result = function(*arguments(function, text) or ())
        return list(result) if isinstance(result, Iterator) else result


TEXTS = {"str", "str | None", "str | Sequence[str]"}
PROPERTIES = {"Mapping[str, str]", "dict[str, str]", "Properties"}


def arguments(function: Callable[..., Any], text: str) -> list[Any] | None:
    """What a function is given so that all it sees is the text; None if it needs anything else."""
    given: list[Any] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.annotation in TEXTS:
            given.append(text)
        elif parameter.annotation in PROPERTIES:
            given.append(Everything(text))
        elif parameter.annotation in ("list[str]", "Sequence[str]", "Collection[str]"):
            given.append([text])
        elif parameter.default is parameter.empty or parameter.kind is parameter.VAR_POSITIONAL:
            return None
    return given


class Everything(dict[str, str]):
    """Options of which each has the same text."""

    def __init__(self, text: str) -> None:
        super().__init__({"option": text, "path": text, "url": text, "topic": text})
        self.text = text

    def __missing__(self, name: str) -> str:
        return self.text

    def get(self, name: str, default: Any = None) -> str:
        return self.text

    def __contains__(self, name: object) -> bool:
        return True


# Texts that are made for a pattern ----------------------------------------------------------------


_OF_RE = (
    ("re._parser", "re._compiler") if sys.version_info >= (3, 11) else ("sre_parse", "sre_compile")
)
parser, compiler = (importlib.import_module(name) for name in _OF_RE)

LONG = 8  # repetitions from which on a loop counts
LETTERS = string.printable[::-1]


def texts_for(pattern: re.Pattern[str]) -> set[tuple[str, str]]:
    """For each repetition in a pattern: a text that leads into it, and one that it takes."""
    found: set[tuple[str, str]] = set()
    _sample(parser.parse(pattern.pattern, pattern.flags), "", found)
    return found


def _sample(items: Any, before: str, found: set[tuple[str, str]]) -> str:
    """A text that the items match; what they repeat is put into `found`."""
    text = ""
    for kind, value in items:
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            text += _letters(kind, value)[-1]
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            inner = value[-1] if name == "SUBPATTERN" else value
            text += _sample(inner, before + text, found)
        elif name == "BRANCH":
            first, *_ = [_sample(each, before + text, found) for each in value[1]]
            text += first
        elif name.endswith("_REPEAT"):
            least, most, body = value
            pieces = [_sample(body, before + text, found)]
            if len(body) == 1 and str(body[0][0]) in ("NOT_LITERAL", "ANY", "IN"):
                letters = _letters(*body[0])
                pieces += [letters[0], letters[-1]]
            if int(most) > LONG:
                found |= {(before + text, piece) for piece in pieces}
            text += pieces[0] * max(int(least), 1)
    return text


def _letters(kind: Any, value: Any) -> str:
    """Some letters that one item of a pattern matches."""
    if str(kind) == "LITERAL":
        return chr(value)
    state = parser.State()
    state.str = ""
    alone = compiler.compile(parser.SubPattern(state, [(kind, value)]), 0)
    return "".join(letter for letter in LETTERS if alone.fullmatch(letter))
