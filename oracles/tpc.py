"""The TPC-DS and TPC-H queries and schemas, from the jar of Spark's own tests; none is kept here.

`org.apache.spark:spark-sql_2.13:4.1.0:jar:tests` has the texts as files and the schemas as strings
in class files. Maven fetches it once, into .work/tpc.
"""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from pathlib import Path
from typing import NamedTuple

import sqlglot
from sqlglot import exp

VERSION = "4.1.0"
ARTIFACT = f"org.apache.spark:spark-sql_2.13:{VERSION}:jar:tests"
WORK = Path(__file__).parents[1] / ".work" / "tpc"
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:copy"
Schema = dict[str, dict[str, str]]  # table -> column -> PostgreSQL's type


class Suite(NamedTuple):
    """One benchmark: its tables and its queries, by name, in PostgreSQL's dialect."""

    name: str
    schema: Schema
    queries: dict[str, str]


def jar() -> Path:
    """The jar, fetched if it is not here yet."""
    file = WORK / f"spark-sql_2.13-{VERSION}-tests.jar"
    if not file.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        command = ["mvn", "-q", "-B", GOAL, f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={WORK}"]
        subprocess.run(command, check=True, timeout=600)
    return file


def suites() -> list[Suite]:
    """TPC-DS and TPC-H."""
    tables = spark_tables(jar())
    with zipfile.ZipFile(jar()) as archive:
        return [
            Suite(name, {t: _columns(body) for t, body in tables[folder].items()}, queries)
            for name, folder in (("TPC-DS", "tpcds"), ("TPC-H", "tpch"))
            for queries in [_queries(archive, f"{folder}/")]
        ]


def spark_tables(path: Path) -> dict[str, dict[str, str]]:
    """The columns of the tables of `tpcds` and `tpch` as Spark's SQL, from a jar of its tests."""
    with zipfile.ZipFile(path) as archive:
        strings = _strings(archive.read("org/apache/spark/sql/TPCDSSchema.class"))
        made = "\n".join(_strings(archive.read("org/apache/spark/sql/TPCHBase.class")))
    # between a name and its columns stand the names of Scala's classes
    named = [s for s in strings if re.fullmatch(r"[a-z_]+", s) or s.lstrip().startswith("|`")]
    ds: dict[str, str] = {}
    last = ""
    for text in named:
        if text.lstrip().startswith("|`"):
            ds[last] = text.replace("|", "")
        else:
            last = text
    tables = re.findall(r"CREATE TABLE `(\w+)` \((.*?)\)\s*\|?USING", made, re.S)
    return {"tpcds": ds, "tpch": {name: body.replace("|", "") for name, body in tables}}


def _strings(code: bytes) -> list[str]:
    """The strings of a class file, in their order."""
    count, at, index = struct.unpack(">H", code[8:10])[0], 10, 1
    sizes = {3: 5, 4: 5, 9: 5, 10: 5, 11: 5, 12: 5, 17: 5, 18: 5, 5: 9, 6: 9, 15: 4}
    found = []
    while index < count:
        tag = code[at]
        if tag == 1:
            length = struct.unpack(">H", code[at + 1 : at + 3])[0]
            found.append(code[at + 3 : at + 3 + length].decode("utf-8", "replace"))
            at += 3 + length
        else:
            at += sizes.get(tag, 3)
            index += tag in (5, 6)
        index += 1
    return found


TYPES = {"INT": "numeric", "BIGINT": "numeric", "DATE": "date", "DECIMAL": "numeric"}


def _columns(body: str) -> dict[str, str]:
    found = re.findall(r"`(\w+)`\s+(\w+)", body)
    return {name: TYPES.get(kind, "text") for name, kind in found}


def _queries(archive: zipfile.ZipFile, folder: str) -> dict[str, str]:
    names = [n for n in archive.namelist() if n.startswith(folder) and n.endswith(".sql")]
    order = sorted(names, key=lambda name: (int(re.findall(r"\d+", name)[-1]), name))
    return {Path(name).stem: translated(archive.read(name).decode()) for name in order}


def translated(text: str) -> str:
    """A query of Spark's in PostgreSQL's dialect, each of its columns with a name of its own."""
    tree = sqlglot.parse_one(text, dialect="spark")
    for node in list(tree.find_all(exp.Cast)):
        if node.to.is_type("char", "varchar"):
            node.set("to", exp.DataType.build("text", dialect="postgres"))
        elif node.to.is_type("double", "float"):
            node.set("to", exp.DataType.build("numeric", dialect="postgres"))
    query = tree
    while not isinstance(query, exp.Select):
        query = query.this
    _order_by_expressions(query)
    names: list[str] = []
    items = []
    for position, item in enumerate(query.expressions):
        if item.is_star:
            items.append(item)
            continue
        name = re.sub(r"\W+", "_", (item.alias_or_name or f"c{position + 1}").lower())
        names.append(f"{name}_{position + 1}" if name in names else name)
        inner = item.this if isinstance(item, exp.Alias) else item
        same = item.alias_or_name.lower() == names[-1]
        items.append(item if same else exp.alias_(inner, names[-1]))
    query.set("expressions", items)
    return tree.sql(dialect="postgres").replace("DOUBLE PRECISION", "DECIMAL")


def _order_by_expressions(query: exp.Select) -> None:
    """In PostgreSQL an alias in ORDER BY stands alone: elsewhere its expression is put there."""
    made = {item.alias: item.this for item in query.expressions if isinstance(item, exp.Alias)}
    order = query.args.get("order")
    for key in order.expressions if order else ():
        for column in list(key.find_all(exp.Column)):
            if column is not key.this and column.name in made and not column.table:
                column.replace(exp.paren(made[column.name].copy()))
