"""What a function of the program's reaches beside Spark: files, services, databases.

`effects_of` reads the function's source, and that of the program's functions which it refers to.
Nothing is called, and nothing is imported. What a library's object does is known by its method's
name only.
"""

from __future__ import annotations

import ast
import builtins
import functools
import os
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from airflow_colgraph.collector.python_functions.source import definition

CHANGES = {  # functions that change something outside of the process, each with what it has done
    "os.link": "linked",
    "os.mkdir": "created",
    "os.remove": "removed",
    "os.rename": "renamed",
    "os.rmdir": "removed",
    "os.symlink": "linked",
    "os.truncate": "truncated",
    "os.system": "ran",
    "socket.connect": "connected to",
    "subprocess.Popen": "ran",
}
"""Python's audit events of these names are raised by what else does the same."""

REACHING = frozenset(  # packages, modules and functions: all that is called of them counts
    {
        *("os.makedirs", "os.open", "os.popen", "os.removedirs", "os.renames", "os.replace"),
        *("os.unlink", "shutil", "socket.create_connection", "socket.socket", "subprocess"),
        *("ftplib", "http.client", "smtplib", "telnetlib", "urllib.request", "xmlrpc.client"),
        *("aiohttp", "grpc", "httpx", "paramiko", "requests", "urllib3", "websocket"),
        *("MySQLdb", "asyncpg", "cx_Oracle", "duckdb", "mysql", "oracledb", "psycopg", "psycopg2"),
        *("pg8000", "pymssql", "pymysql", "pyodbc", "snowflake", "sqlalchemy", "sqlite3", "trino"),
        *("cassandra", "clickhouse_connect", "clickhouse_driver", "elasticsearch", "happybase"),
        *("influxdb", "influxdb_client", "neo4j", "opensearchpy", "pymongo", "redis"),
        *("confluent_kafka", "kafka", "pika", "pulsar", "azure", "boto3", "botocore", "google"),
        *("adlfs", "fsspec", "gcsfs", "hdfs", "s3fs", "smart_open", "deltalake", "pyiceberg"),
        *("joblib.dump", "numpy.save", "numpy.savetxt", "numpy.savez", "pyarrow.parquet"),
    }
)
OPENERS = frozenset(  # what takes a mode second
    {"open", "bz2.open", "codecs.open", "gzip.open", "io.open", "lzma.open"}
    | {"tarfile.open", "zipfile.ZipFile"}
)
METHODS = frozenset(  # of whatever object: they are called with what they write, or where
    {
        *("callproc", "copy_expert", "copy_from", "execute", "executemany", "executescript"),
        *("insert_many", "insert_one", "put_object", "upload_file", "upload_fileobj"),
        *("write_bytes", "write_text", "to_csv", "to_excel", "to_feather", "to_gbq", "to_hdf"),
        *("to_json", "to_orc", "to_parquet", "to_pickle", "to_sql"),
    }
)
WHERE = {"buf", "con", "excel_writer", "fname", "name", "path", "path_or_buf"}
MODULES = {"_io": "io", "nt": "os", "posix": "os"}  # as Python's own functions call theirs
OWN = {"pyspark", "py4j", "airflow_colgraph"}
INSTALLED = ("/site-packages/", "/dist-packages/")
STANDARD = os.path.dirname(os.__file__)  # where Python's own modules are
MOST_FUNCTIONS = 50
MOST_EFFECTS = 10
NOTHING = object()


def effects_of(function: Any) -> tuple[str, ...]:
    """The calls that reach something beside Spark, e.g. `open at etl.py:31`, in order."""
    effects: dict[str, None] = {}
    seen: set[CodeType] = set()
    stack = [function]
    while stack and len(seen) < MOST_FUNCTIONS:
        for each in functions_of(stack.pop(0)):
            if each.__code__ not in seen and not is_of_library(each):
                seen.add(each.__code__)
                stack += _read(each, effects)
    return tuple(effects)[:MOST_EFFECTS]


def named_with(name: str, effects: tuple[str, ...]) -> str:
    """A name with the effects behind it, if there are any.

    >>> named_with("foreach", ("open at etl.py:31",)), named_with("foreach", ())
    ('foreach (open at etl.py:31)', 'foreach')
    """
    return f"{name} ({', '.join(effects)})" if effects else name


def functions_of(value: Any) -> Iterator[FunctionType]:
    """The functions that may run once an object is called, or one of its methods is."""
    while isinstance(value, functools.partial):
        value = value.func
    if isinstance(value, FunctionType):
        yield value
        return
    if isinstance(value, MethodType):
        value = value.__self__
    kind = value if isinstance(value, type) else type(value)
    for member in (each for base in kind.__mro__ for each in vars(base).values()):
        inner = getattr(member, "__func__", member)
        if isinstance(inner, FunctionType):
            yield inner


def is_of_library(function: FunctionType) -> bool:
    """Whether a function is no part of the program."""
    file, module = function.__code__.co_filename, (function.__module__ or "").partition(".")[0]
    return module in OWN or file.startswith(STANDARD) or any(each in file for each in INSTALLED)


def _read(function: FunctionType, effects: dict[str, None]) -> list[Any]:
    """Add the effects of a function's own text; returns what it refers to."""
    tree = definition(function.__code__)
    if tree is None:
        return []
    names = Names(function, tree)
    file = function.__code__.co_filename.rpartition("/")[2]
    for node in ast.walk(tree):
        name = _effect(node, names) if isinstance(node, ast.Call) else ""
        if name:
            effects[f"{name} at {file}:{node.func.end_lineno}"] = None  # type: ignore[attr-defined]
    parts = (node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute)))
    return [value for _, value in map(names.of, parts) if value is not NOTHING]


def _effect(call: ast.Call, names: Names) -> str:
    """What is called, if it reaches something beside Spark."""
    name, _ = names.of(call.func)
    if name in OPENERS:
        return name if may_write(call, 1) else ""
    if name in CHANGES or any(part in REACHING for part in prefixes(name)):
        return name
    if not isinstance(call.func, ast.Attribute) or name.startswith("pyspark."):
        return ""
    method = call.func.attr
    if method == "open":
        return method if may_write(call, 0) and is_mode(_argument(call, 0)) else ""
    has_target = call.args or any(each.arg in WHERE for each in call.keywords)
    return method if method in METHODS and has_target else ""


def prefixes(name: str) -> Iterator[str]:
    """A dotted name, and those of what it is in.

    >>> list(prefixes("os.path.join"))
    ['os', 'os.path', 'os.path.join']
    """
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _argument(call: ast.Call, place: int) -> ast.expr | None:
    options = {each.arg: each.value for each in call.keywords}
    return call.args[place] if len(call.args) > place else options.get("mode")


def may_write(call: ast.Call, place: int) -> bool:
    """Whether a file may be opened for writing: its mode is at a place, or an option."""
    mode = _argument(call, place)
    if mode is None:
        return any(each.arg is None for each in call.keywords)
    return not isinstance(mode, ast.Constant) or any(each in str(mode.value) for each in "wax+")


def is_mode(node: ast.expr | None) -> bool:
    """Whether an expression is the mode of a file."""
    return isinstance(node, ast.Constant) and set(str(node.value)) <= set("rwaxbt+")


class Names:
    """What the names in a function's text stand for."""

    def __init__(self, function: FunctionType, tree: ast.AST) -> None:
        """Its own imports are looked up among what is imported already."""
        code = function.__code__
        self._values: dict[str, Any] = {**vars(builtins), **function.__globals__}
        self._values.update(dict.fromkeys((*code.co_varnames, *code.co_cellvars), NOTHING))
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            self._values[name] = next(iter(_content(cell)), NOTHING)
        self._imported = dict(imported_names(tree))

    def of(self, node: ast.AST) -> tuple[str, Any]:
        """The dotted name of what an expression stands for, or nothing; and the object."""
        if isinstance(node, ast.Name):
            name = self._imported.get(node.id, "")
            value = _loaded(name) if name else self._values.get(node.id, NOTHING)
            return name or name_of(value), value
        if isinstance(node, ast.Attribute):
            name, value = self.of(node.value)
            return (f"{name}.{node.attr}" if name else ""), _member(value, node.attr)
        return "", NOTHING


def _content(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # empty as yet
        return []


def imported_names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that an import inside a function binds, with the dotted name of what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                yield alias.asname or first, alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _loaded(name: str) -> Any:
    """A module, or something in one, if it is imported by now."""
    module, _, last = name.rpartition(".")
    return sys.modules.get(name) or _member(sys.modules.get(module, NOTHING), last)


def _member(value: Any, name: str) -> Any:
    """Something in a module: nothing else is asked for attributes, as that may run code."""
    return vars(value).get(name, NOTHING) if isinstance(value, ModuleType) else NOTHING


def name_of(value: Any) -> str:
    """The dotted name of a module, a function, a class, or of an object's class.

    >>> name_of(open), name_of(ast), name_of(functools.wraps)
    ('open', 'ast', 'functools.wraps')
    """
    if value is NOTHING:
        return ""
    if isinstance(value, ModuleType):
        return value.__name__
    entry = value if isinstance(value, (type, FunctionType, type(len))) else type(value)
    own = str(entry.__name__)
    if entry is vars(builtins).get(own):
        return own
    module = str(entry.__module__)
    return f"{MODULES.get(module, module.lstrip('_'))}.{entry.__qualname__}"
