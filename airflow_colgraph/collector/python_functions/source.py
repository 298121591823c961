"""A Python function as it is handed to Spark: its code, the names that it uses, its source.

`captured` copies what a function refers to when Spark pickles it: what the program changes later
does not reach the worker. The source is used only if compiling it gives the very code that the
function has. Nothing is called, and nothing is imported.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import dataclasses
import functools
import linecache
import operator
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, Union

from airflow_colgraph.collector.python_functions.values import Callee

LIBRARIES = frozenset(
    {
        *("pandas", "numpy", "pyarrow", "math", "hashlib", "datetime", "re", "json", "decimal"),
        *("typing", "collections", "functools", "itertools", "operator", "string", "statistics"),
        *("base64", "binascii", "logging", "random", "time", "unicodedata", "uuid", "zlib"),
    }
)
MISSING = type(dataclasses.MISSING)
LITERALS = (type(None), bool, int, float, str, bytes)
CONTAINERS = (list, tuple, set, frozenset, dict)
MOST_ITEMS = 200
MOST_FUNCTIONS = 50
MOST_COPIES = 2000
MOST_TREES = 16  # whose functions and names are kept
MOST_SOURCE = 1_000_000  # characters of a file
FUTURES = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
Definition = Union[ast.FunctionDef, ast.Lambda]


class Kept(NamedTuple):
    """A copy of a list, tuple, set or dict that a function refers to, and which one it is."""

    kind: str
    number: int
    items: tuple[tuple[Any, Any], ...]


class Captured(NamedTuple):
    """A function: its code, its module, and what its names stood for, defaults among them."""

    code: CodeType
    module: str
    names: dict[str, Any]
    positional_defaults: tuple[Any, ...] = ()
    keyword_defaults: dict[str, Any] = {}  # noqa: RUF012 - never changed


def captured(function: Any) -> Any:
    """What a function refers to, now: a `Captured`, or a `Callee` for all that is not followed."""
    return _Capture().of(function)


class _Capture:
    """One capture; an object that has several names is copied once."""

    def __init__(self) -> None:
        """Nothing is copied yet."""
        self._copies: dict[int, Any] = {}
        self._alive: list[Any] = []  # so that no id is used twice
        self._functions = 0

    def of(self, entry: Any) -> Any:
        """A literal as it is, a container or a function as its copy, anything else as a Callee."""
        if type(entry) in LITERALS:
            return entry
        if id(entry) not in self._copies:
            self._alive.append(entry)
            self._copies[id(entry)] = Callee("object", type(entry).__name__)  # in a circle
            self._copies[id(entry)] = self._copy(entry)
        return self._copies[id(entry)]

    def _copy(self, entry: Any) -> Any:
        kind = type(entry)
        if len(self._copies) > MOST_COPIES:
            return Callee("object", kind.__name__)
        if kind in CONTAINERS and len(entry) <= MOST_ITEMS:
            pairs = entry.items() if kind is dict else enumerate(entry)
            copies = tuple((self.of(key), self.of(value)) for key, value in pairs)
            return Kept(kind.__name__, len(self._copies), copies)
        if kind is FunctionType and not is_of_library(entry.__module__):
            return self._function(entry)
        if kind is functools.partial:
            options = Kept("dict", -1, tuple((k, self.of(v)) for k, v in entry.keywords.items()))
            arguments = tuple(map(self.of, entry.args))
            return Callee("partial", "", (self.of(entry.func), arguments, options))
        if kind in GETTERS:
            return Callee("getter", kind.__name__, entry.__reduce__()[1])
        if kind is MethodType:
            return Callee("bound", "", (self.of(entry.__func__), self.of(entry.__self__)))
        if kind is type and issubclass(entry, tuple) and entry.__mro__[1] is tuple:
            fields = getattr(entry, "_fields", None)
            return Callee("record type", entry.__name__, fields) if fields else named(entry)
        if kind is type and is_plain_class(entry):
            return self._class(entry)
        if is_plain_object(entry):
            parts = {**methods_of(kind), **vars(entry)}
            if len(parts) <= MOST_ITEMS:
                copies = tuple((name, self._member(entry, name, parts[name])) for name in parts)
                return Kept("instance", len(self._copies), copies)
        return named(entry)

    def _class(self, entry: type) -> Callee:
        """A class: what its objects have of it, and the fields of a dataclass in order."""
        start = vars(entry).get("__init__")
        fields = vars(entry).get("__dataclass_fields__")
        members = [(n, self._member(entry, n, v)) for n, v in methods_of(entry).items()]
        kept = None
        if fields is not None:
            every = [*fields.values()]
            code = getattr(start, "__code__", None)
            is_generated = code is not None and code.co_filename == "<string>"
            if not is_generated or not all(map(is_plain_field, every)):
                return named(entry)
            pairs = [(e.name, ... if type(e.default) is MISSING else e.default) for e in every]
            kept = Kept("dict", -1, tuple(pairs))
        elif isinstance(start, FunctionType):
            members.append(("__init__", self._member(entry, "__init__", start)))
        elif entry.__init__ is not object.__init__:  # type: ignore[misc]
            return named(entry)
        return Callee("class", entry.__name__, (Kept("dict", -1, tuple(members)), kept))

    def _member(self, owner: Any, name: str, value: Any) -> Any:
        """An attribute of an object; a method of its class gets the object when it is called."""
        copy = self.of(value)
        is_method = isinstance(value, FunctionType)
        is_method = is_method and (isinstance(owner, type) or name not in vars(owner))
        return Callee("method of", name, (copy,)) if is_method else copy

    def _module(self, module: ModuleType, names: set[str]) -> Callee:
        """A module of the program's, with those of its functions that have one of the names."""
        own = {name: vars(module).get(name) for name in sorted(names)}
        functions = tuple(
            (name, self.of(value))
            for name, value in own.items()
            if isinstance(value, FunctionType) and value.__module__ == module.__name__
        )
        return Callee("module", module.__name__, functions)

    def _function(self, function: FunctionType) -> Any:
        self._functions += 1
        if self._functions > MOST_FUNCTIONS:
            return Callee("object", "function")
        names: dict[str, Any] = {}
        own = Captured(function.__code__, function.__module__ or "", names)
        self._copies[id(function)] = own  # it may call itself
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                names[name] = self.of(cell.cell_contents)
            except ValueError:  # empty as yet
                names[name] = Callee("object", "cell")
        asked = global_names(function.__code__)
        for name in sorted(asked):
            if name not in names and name in function.__globals__:
                value = function.__globals__[name]
                is_own = isinstance(value, ModuleType) and not is_of_library(value.__name__)
                names[name] = self._module(value, asked) if is_own else self.of(value)
        options = function.__kwdefaults__ or {}
        return own._replace(
            positional_defaults=tuple(map(self.of, function.__defaults__ or ())),
            keyword_defaults={name: self.of(value) for name, value in options.items()},
        )


GETTERS = (operator.itemgetter, operator.attrgetter)
INERT = {"Pattern": "re.Pattern", "Logger": "logging.Logger", "RootLogger": "logging.Logger"}
"""Objects whose calls do not depend on what earlier calls gave them."""
PLAIN_DUNDERS = frozenset(  # that a class of the program's has without changing what Python does
    {
        *("__annotations__", "__call__", "__dict__", "__doc__", "__firstlineno__", "__init__"),
        *("__module__", "__qualname__", "__static_attributes__", "__weakref__"),
        *("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__repr__", "__eq__"),
        *("__hash__", "__annotations_cache__", "__annotate_func__", "__replace__"),
    }
)


def is_plain_field(field: Any) -> bool:
    """Whether a dataclass's field is an argument in its order, with a literal as its default."""
    is_plain = type(field.default) in (*LITERALS, MISSING)
    is_made = type(field.default_factory) is not MISSING
    return field.init and is_plain and not is_made and not getattr(field, "kw_only", False)


def methods_of(kind: type) -> dict[str, Any]:
    """What the objects of a class have of it."""
    return {
        name: value
        for base in reversed(kind.__mro__[:-1])
        for name, value in vars(base).items()
        if name == "__call__" or not name.startswith("__")
    }


def is_plain_object(entry: Any) -> bool:
    """Whether an object's attributes are those of its `__dict__`, then those of its classes."""
    has_names = isinstance(getattr(entry, "__dict__", None), dict)
    return has_names and is_plain_class(type(entry))


def is_plain_class(kind: type) -> bool:
    """Whether the attributes of a class's objects are looked up as those of most classes."""
    if type(kind) is not type or kind.__mro__[:-1] == ():
        return False
    for base in kind.__mro__[:-1]:
        if is_of_library(base.__module__) or base.__module__ == "builtins":
            return False
        for name, value in vars(base).items():
            if name.startswith("__") and name.endswith("__"):
                if name not in PLAIN_DUNDERS:
                    return False
            elif type(value) not in (*LITERALS, *CONTAINERS, FunctionType):
                return False
    return True


def global_names(code: CodeType) -> set[str]:
    """The names that a function, or one inside of it, may look up outside of it."""
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            names |= global_names(const)
    return names


def is_of_library(module: str | None) -> bool:
    """Whether a module is one of those whose functions the vocabulary is about."""
    return (module or "").partition(".")[0] in LIBRARIES


def named(entry: Any) -> Callee:
    """A module, class or function of a library by its name; anything else by its type."""
    if isinstance(entry, ModuleType):
        return Callee("module", entry.__name__)
    if isinstance(entry, (BuiltinFunctionType, type)):
        own = str(entry.__name__)
        if entry is vars(builtins).get(own):
            return Callee("library", f"builtins.{own}")
    module, name = getattr(entry, "__module__", None), getattr(entry, "__qualname__", None)
    if module == "pyspark.sql.types" and name == "Row":
        return Callee("library", "pyspark.Row")
    if type(entry).__module__ in ("re", "logging") and not isinstance(entry, type):
        return Callee("library", INERT.get(type(entry).__name__, "builtins.object"))
    if module in ("_operator", "_functools", "_collections"):
        module = str(module)[1:]
    if type(entry).__name__ == "ufunc":
        module, name = "numpy", getattr(entry, "__name__", None)
    is_named = isinstance(module, str) and isinstance(name, str) and is_of_library(module)
    if (is_named and isinstance(entry, (type, FunctionType, BuiltinFunctionType))) or (
        type(entry).__name__ == "ufunc"
    ):
        return Callee("library", f"{str(module).partition('.')[0]}.{name}")
    return Callee("object", type(entry).__name__)


# The source -----------------------------------------------------------------------------------


def definition(code: CodeType) -> Definition | None:
    """The syntax tree of a function's code; None if there is no source, or not its source."""
    tree = tree_of(code.co_filename)
    for node in functions_of(tree).get(code.co_firstlineno, ()) if tree is not None else ():
        own = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        if own == code.co_name and any(
            is_same(result, code) for result in compiled(node, code, imports(tree))
        ):
            return node
    return None


@functools.lru_cache(MOST_TREES)
def functions_of(tree: ast.Module) -> dict[int, list[Definition]]:
    """The functions of a module by their first lines."""
    functions: dict[int, list[Definition]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            functions.setdefault(first_line(node), []).append(node)
    return functions


def first_line(node: Definition) -> int:
    """The line that a function's code says it begins at: that of its first decorator."""
    decorators = getattr(node, "decorator_list", [])
    return min([int(node.lineno), *(int(each.lineno) for each in decorators)])


_trees: dict[str, tuple[int, ast.Module | None]] = {}


def tree_of(file: str) -> ast.Module | None:
    """The syntax tree of a file, or of a notebook's cell; None if there is none."""
    text = "".join(linecache.getlines(file))
    certain = _trees.get(file)
    if certain is not None and certain[0] == hash(text):
        return certain[1]
    try:
        tree = ast.parse(text) if 0 < len(text) <= MOST_SOURCE else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    _trees[file] = (hash(text), tree)
    return tree


@functools.lru_cache(MOST_TREES)
def imports(tree: ast.Module | None) -> list[ast.stmt]:
    """The imports of a module's top level: Python compiles calls of what they give differently."""
    entry: list[ast.stmt] = []
    stack: list[ast.AST] = list(reversed(tree.body if tree is not None else []))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            is_future = getattr(node, "module", "") == "__future__"
            entry += [] if is_future else [node]
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            stack.extend(ast.iter_child_nodes(node))
    return entry


def compiled(node: Definition, code: CodeType, imported: list[ast.stmt]) -> Iterator[CodeType]:
    """The codes in what compiling a function's tree gives, as if its free names were outer ones."""
    if isinstance(node, ast.Lambda):
        inner: ast.stmt = ast.Expr(node)
    else:
        fields: Any = {name: getattr(node, name, None) for name in node._fields}
        fields.update(decorator_list=[], returns=None)
        inner = ast.FunctionDef(**fields)
    none = ast.arguments([], [ast.arg(name) for name in code.co_freevars], None, [], [], None, [])
    outer = ast.FunctionDef("outer", none, [inner], [])
    if hasattr(ast, "TypeAlias"):
        outer.type_params = []  # type: ignore[attr-defined]
    for new in (inner, outer, *none.args):
        ast.copy_location(new, node)
    module = ast.Module([*imported, outer], [])
    flags = code.co_flags & FUTURES
    try:
        stack = [compile(module, code.co_filename, "exec", flags, dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError):
        return
    while stack:
        result = stack.pop()
        yield result
        stack.extend(const for const in result.co_consts if isinstance(const, CodeType))


SAME = (
    *("co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"),
)


def is_same(result: CodeType, code: CodeType) -> bool:
    """Whether two codes do the same."""
    if any(getattr(result, name) != getattr(code, name) for name in SAME):
        return False
    if len(result.co_consts) != len(code.co_consts):
        return False
    return all(
        is_same(first, second)
        if isinstance(first, CodeType) and isinstance(second, CodeType)
        else local_name(first) == local_name(second)
        for first, second in zip(result.co_consts, code.co_consts)
    )


def local_name(const: object) -> str:
    """A constant; of the name of an inner function, which Python 3.9 and 3.10 keep as one, the end:
    the rest is of where it was compiled."""
    if isinstance(const, str) and "<locals>." in const:
        return repr(const.rpartition("<locals>.")[2])
    return repr(const)


def bindings(tree: ast.Module, name: str) -> list[ast.AST]:
    """The statements at a module's top level that bind a name; many if a function may, too."""
    every = bound_names(tree)
    return [*every.get(name, ()), *every.get("*", ())]


@functools.lru_cache(MOST_TREES)
def bound_names(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """By name the statements that bind it."""
    names: dict[str, list[ast.AST]] = {}
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.setdefault(node.name, []).append(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in {(alias.asname or alias.name).partition(".")[0] for alias in node.names}:
                names.setdefault(name, []).append(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.setdefault(node.id, []).append(node)
        else:
            stack.extend(ast.iter_child_nodes(node))
    for node in ast.walk(tree):
        for name in node.names if isinstance(node, ast.Global) else ():
            names.setdefault(name, []).extend([node, node])
    return names
