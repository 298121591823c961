"""SQL text to sqlglot's trees, a statement at a time. Pure."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import Dialect, exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from airflow_colgraph.openlineage.redaction import shown_name
from airflow_colgraph.sql.apart import taken_apart
from airflow_colgraph.sql.batches import batched, split
from airflow_colgraph.sql.branches import branch
from airflow_colgraph.sql.commands import is_exchange
from airflow_colgraph.sql.options import without_options
from airflow_colgraph.sql.rewrites import (
    explained,
    mutation,
    rewritten,
    settings,
    variables_into,
    words_of,
)

BLOCK = tuple(getattr(exp, name) for name in ("IfBlock", "WhileBlock") if hasattr(exp, name))
COMMAND = "Unparsed"
EXCHANGE = "Exchange"


@contextmanager
def quiet() -> Iterator[None]:
    """Without sqlglot's warnings: they quote the text, and so its literals."""
    logger = logging.getLogger("sqlglot")
    was = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = was


def has_dialect(name: str) -> bool:
    """Whether sqlglot knows the dialect."""
    try:
        Dialect.get_or_raise(name)
    except ValueError:
        return False
    return True


def statements(text: str, dialect: str) -> list[exp.Expr]:
    """The statements of a script, with names in the case that the database has them in.

    A statement that can't be parsed is an `exp.Command` whose name is `Unparsed`; the others are
    read all the same.
    """
    with quiet():
        chosen = Dialect.get_or_raise(dialect)
        text = batched(text) if isinstance(chosen, TSQL) else text
        try:
            tokens = chosen.tokenize(text)
        except SqlglotError:
            return [_at(exp.Command(this=COMMAND), 1)]
        nodes = [
            _at(tree if isinstance(tree, exp.Command) else _normalized(tree, chosen), part[0].line)
            for part in _parts(tokens, chosen)
            for tree in _parsed(text[part[0].start : part[-1].end + 1], part, chosen)
        ]
    quoted = (token.text for token in tokens if token.token_type == TokenType.IDENTIFIER)
    if any(shown_name(name) != name for name in quoted):
        for node in nodes:
            _show_names(node)
    return nodes


def _parts(tokens: list[Token], dialect: Dialect) -> Iterator[list[Token]]:
    """The tokens of each statement."""
    for part in _split(tokens):
        yield from split(part) if isinstance(dialect, TSQL) else [part]


def _at(statement: exp.Expr, line: int) -> exp.Expr:
    """The statement, with the line on which it begins."""
    statement.meta["line"] = line
    return statement


# Where a name keeps the case in which it is written, and is found in any case.
KEEP_CASE = ("bigquery", "duckdb", "fabric", "mysql", "sqlite", "teradata", "tsql")
LOWER_TABLES = ("databricks", "spark", "spark2", "hive")  # the same, but for names of tables


def _name(dialect: Dialect) -> str:
    return type(dialect).__name__.lower()


def _normalized(node: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The statement with its names in the case in which the database has them."""
    name = _name(dialect)
    if name in KEEP_CASE:
        return node
    if name == "clickhouse":
        _follow_aliases(node)
    if name not in LOWER_TABLES:
        return normalize_identifiers(node, dialect=dialect)
    for table in node.find_all(exp.Table):
        for part in table.parts:
            if isinstance(part, exp.Identifier):
                part.set("this", part.name.lower())
    return node


def _follow_aliases(node: exp.Expr) -> None:
    """Name the tables that an alias in the same FROM stands for: it hides a table of its name."""
    for select in node.find_all(exp.Select):
        first = select.args.get("from_")
        clauses = [*([first] if first else ()), *(select.args.get("joins") or ())]
        tables = [clause.this for clause in clauses if isinstance(clause.this, exp.Table)]
        aliased = {table.alias: table for table in tables if table.alias}
        for table in tables:
            other = None if table.args.get("db") else aliased.get(table.name)
            if other is not None and other is not table:
                for part in ("this", "db", "catalog"):
                    table.set(part, other.args.get(part))


def _show_names(node: exp.Expr) -> None:
    """Give columns the names that events have: an engine's own may have a salt in them."""
    for name in node.find_all(exp.Identifier):
        is_table = isinstance(name.parent, (exp.Table, exp.TableAlias)) and name.arg_key == "this"
        if not is_table and name.arg_key not in ("table", "db", "catalog"):
            name.set("this", shown_name(name.name))


def table_name(text: str, dialect: str) -> tuple[str, ...]:
    """The parts of a table's name that is written as in a statement."""
    chosen = Dialect.get_or_raise(dialect)
    table = exp.to_table(text, dialect=chosen)
    _normalized(table, chosen)
    return tuple(part.name for part in table.parts)


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    part: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON and not _is_inside_body(part):
            if part:
                yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


ROUTINES = {"PROCEDURE", "FUNCTION", "TRIGGER", "TASK", "EVENT", "PACKAGE"}
BLOCKS = {"IF", "LOOP", "WHILE", "FOR", "REPEAT"}  # END IF ends no BEGIN


# With which a statement inside BEGIN .. END starts.
INSIDE = {
    "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "SELECT", "WITH", "TRUNCATE", "DROP", "ALTER",
    "REPLACE", "COPY", "SET", "DECLARE", "CALL", "EXECUTE", "IF", "FOR", "WHILE", "LOOP", "LET",
}  # fmt: skip


def _routine(part: list[Token]) -> str:
    """The kind of routine that a statement defines, or ""."""
    words = [token.text.upper() for token in part[:6]]
    is_defined = words[:1] in (["CREATE"], ["ALTER"])
    return next((word for word in words if is_defined and word in ROUTINES), "")


def _is_inside_body(part: list[Token]) -> bool:
    """Whether the text of a routine goes on: its statements are defined here, and not run."""
    if not _routine(part):
        return False
    depth = 0
    words = [token.text.upper() for token in part]
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word == "BEGIN" or (word == "CASE" and before != "END"):
            depth += 1
        elif word == "END" and after not in BLOCKS:
            depth -= 1
    return depth > 0


def _parsed(text: str, tokens: list[Token], dialect: Dialect) -> list[exp.Expr]:
    """The trees of one statement, or of the statements that it is read as."""
    words = words_of(tokens)
    if is_exchange(text):
        return [exp.Command(this=EXCHANGE, expression=text)]
    if _is_mark(words):
        return []
    if _routine(tokens) and "BEGIN" in words and not explained(text, _name(dialect)):
        return [exp.Command(this=words[0], expression=_routine(tokens))]
    control = None if isinstance(dialect, TSQL) else branch(text, words[0], dialect)
    if control is not None:
        rest = dialect.tokenize(control[1])
        return [*_deciding(control[0], words[0], dialect), *_parsed(control[1], rest, dialect)]
    inner = _inner(text, tokens, dialect)
    if inner:
        return [node for part in inner for node in _parsed(part, dialect.tokenize(part), dialect)]
    return _annotated(text, tokens, dialect)


def _deciding(condition: str, word: str, dialect: Dialect) -> list[exp.Expr]:
    """The query that decides on a branch, which is reported as opaque."""
    if "SELECT" not in words_of(dialect.tokenize(condition)):
        return []
    trees = _trees(f"SELECT {condition}", word, dialect)
    return [*(_normalized(tree, dialect) for tree in trees), exp.Command(this=word)]


def _is_mark(words: list[str]) -> bool:
    """Whether it is the start or the end of a block, whose statements are read by themselves."""
    is_mark = words[0] in ("END", "ELSE") or words[1:] in (["TRY"], ["CATCH"])
    return is_mark and len(words) < 3


def _annotated(text: str, tokens: list[Token], dialect: Dialect) -> list[exp.Expr]:
    """The trees of a statement, with what sqlglot's trees have no place for."""
    first, words = tokens[0].text.upper(), words_of(tokens)
    if first == "REPLACE" and len(tokens) > 1:  # MySQL's and SQLite's INSERT OR REPLACE
        verb = "CREATE OR REPLACE" if words[1] == "VIEW" else "INSERT"  # Teradata's REPLACE VIEW
        text = f"{verb}{text[len('REPLACE') :]}"
        tokens = dialect.tokenize(text)
    variables: list[str] = []
    if _name(dialect) == "mysql" and "INTO" in words and first in ("SELECT", "WITH"):
        text, variables = variables_into(text, tokens)
        tokens = dialect.tokenize(text)
    nodes = _trees(rewritten(text, tokens, _name(dialect)), first, dialect)
    evolves = "WITH SCHEMA EVOLUTION" in " ".join(words)
    for node in nodes:
        if evolves and isinstance(node, exp.Merge):
            node.meta["schema_evolution"] = True
        if variables:
            node.meta["variables"] = variables
    return nodes


def _inner(text: str, tokens: list[Token], dialect: Dialect) -> list[str]:
    """The statements that one is read as: what EXPLAIN ANALYZE or BEGIN runs, several SETs."""
    first = tokens[0].text.upper()
    apart = taken_apart(text, tokens, _name(dialect))
    if apart:
        return apart
    inside = explained(text, _name(dialect)) or mutation(text, _name(dialect))
    if not inside and first == "BEGIN":
        after = text[len(first) :].lstrip()
        inside = after if after.partition(" ")[0].upper() in INSIDE else ""
    parts = [inside] if inside else []
    if first == "SET" and "SELECT" in words_of(tokens):
        several = settings(text, tokens)
        parts = several if len(several) > 1 else []
    return parts


def _trees(text: str, first: str, dialect: Dialect) -> list[exp.Expr]:
    """sqlglot's trees of a statement, or a command where it has none."""
    trees = _read(text, dialect)
    if trees is None:
        of_block = f"{first} block" if first in PROCEDURAL else COMMAND
        return [exp.Command(this=first if first in WITHOUT_ROWS else of_block)]
    if any(isinstance(tree, (exp.Alias, exp.Column)) for tree in trees):  # LISTEN x
        return [exp.Command(this=first)]
    return [
        _named(_with_keys(statement), dialect)
        for tree in map(_unlocked, trees)
        if tree is not None
        for statement in _in_blocks(tree)
    ]


def _read(text: str, dialect: Dialect) -> list[exp.Expr | None] | None:
    """sqlglot's trees of a statement, or of a CREATE without the options that it does not parse."""
    try:
        trees = dialect.parse(text, error_level=ErrorLevel.RAISE)
    except (SqlglotError, RecursionError):
        trees = None
    if trees is None or any(isinstance(tree, exp.Command) for tree in trees):
        shorter = without_options(text, dialect.tokenize(text))
        return _read(shorter, dialect) if shorter not in ("", text) else trees
    return trees


def _unlocked(tree: exp.Expr | None) -> exp.Expr | None:
    """The query behind Teradata's `LOCKING ROW FOR ACCESS`."""
    return tree.expression if isinstance(tree, exp.LockingStatement) else tree


def _with_keys(tree: exp.Expr) -> exp.Expr:
    """With the keys of a pipe's AGGREGATE, of which sqlglot has names only, as their positions."""
    for group in tree.find_all(exp.Group):
        select = group.parent
        names = [item.alias_or_name for item in select.expressions] if select else []
        for key in group.expressions:
            if isinstance(key, exp.Identifier) and key.name in names:
                key.replace(exp.Literal.number(names.index(key.name) + 1))
    return tree


def _in_blocks(node: exp.Expr) -> Iterator[exp.Expr]:
    """The statements in the branches of IF and WHILE, and the queries of their conditions.

    Rows that decide whether statements are run are reported as opaque.
    """
    if not isinstance(node, BLOCK):
        yield node
        return
    for part in node.iter_expressions():
        inner = part.expressions if isinstance(part, exp.Block) else [part]
        for statement in inner:
            if isinstance(statement, exp.Condition):
                queries = list(statement.find_all(exp.Select))
                yield from queries
                yield from [exp.Command(this="IF")] if queries else []
            elif statement is not None and not isinstance(statement, exp.EndStatement):
                yield from _in_blocks(statement)


def _named(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """With `IDENTIFIER('t')`, `TABLE('t')` and T-SQL's `@t` as the tables that they name.

    ClickHouse's `a.1` is a member of `a`; `|> AS t` is read from as a table.
    """

    def table(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.TableAlias) and isinstance(node.parent, exp.From):
            return exp.Table(this=node.this)
        if isinstance(node, exp.Anonymous) and node.name.upper() == "TUPLEELEMENT":
            return _tuple_element(node)
        is_variable = isinstance(node, exp.Table) and isinstance(node.this, exp.Parameter)
        if is_variable and isinstance(dialect, TSQL):
            node.set("this", exp.to_identifier(f"@{node.this.name}"))
            return node
        inner = node.this if isinstance(node, exp.Table) else node
        text = inner.this if isinstance(inner, (exp.DynamicIdentifier, exp.TableFromRows)) else None
        if isinstance(inner, exp.Anonymous) and str(inner.this).upper() == "IDENTIFIER":
            text = inner.expressions[0] if len(inner.expressions) == 1 else None
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Literal):
            parts = zip(("this", "table", "db", "catalog"), node.parts[-2::-1], strict=False)
            whole = exp.Column(**dict(parts))
            return exp.Dot.build([whole, *map(exp.Literal.number, node.name.split("."))])
        is_table = isinstance(node, (exp.Table, exp.TableFromRows))
        if not is_table or not isinstance(text, exp.Literal):
            return node
        named = exp.to_table(text.name, dialect=dialect)
        if node.args.get("alias"):
            named.set("alias", node.args["alias"])
        return named

    return tree.transform(table, copy=False)


WITHOUT_ROWS = {"LOCK", "PURGE", "WAITFOR", "ANALYZE", "CANCEL"}  # statements that move none


def _tuple_element(node: exp.Anonymous) -> exp.Expr:
    """ClickHouse's `tupleElement(t, 'a')` as `t.a`, of which the member's name is known."""
    whole, member = node.expressions[0], node.expressions[-1]
    if not isinstance(member, exp.Literal):
        return node
    name = exp.to_identifier(member.name) if member.is_string else member
    return exp.Dot(this=whole, expression=name)


# The first words of statements that run code which can't be seen.
PROCEDURAL = {"CALL", "DO", "EXEC", "EXECUTE", "BEGIN", "DECLARE", "IF", "WHILE", "LOOP", "FOR"}
