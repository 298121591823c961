"""sqlglot's trees of one statement, with what it writes otherwise in one form. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import Dialect, exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import ErrorLevel, SqlglotError

from airflow_colgraph.sql.dropped import dropped
from airflow_colgraph.sql.names import dialect_name
from airflow_colgraph.sql.options import without_options
from airflow_colgraph.sql.pseudo_columns import bare_name
from airflow_colgraph.sql.tokens import Text

BLOCK = tuple(getattr(exp, name) for name in ("IfBlock", "WhileBlock") if hasattr(exp, name))
COMMAND = "Unparsed"
CALLS = (exp.Func, exp.Anonymous)
ARROWS = ("mysql", "postgres", "redshift", "sqlite")  # where `a -> b` is no lambda
NAMES = {"alias", "catalog", "db", "table", "using"}  # arguments whose identifiers are no columns
NAMED = (exp.Aliases, exp.Column, exp.ColumnDef, exp.Schema, exp.Table, exp.TableAlias)
# What parsing a text that is no SQL raises: sqlglot's parsers take some parts as there.
FAULTS = (
    SqlglotError,
    RecursionError,
    AttributeError,
    LookupError,
    TypeError,
    UnboundLocalError,
    ValueError,
)
WITHOUT_ROWS = {  # statements that move none
    "LOCK", "PURGE", "WAITFOR", "ANALYZE", "CANCEL", "RESET", "CHECK", "EXISTS", "FSCK", "REORG",
    "WHENEVER", "EXIT", "DELIMITER", "KILL", "GENERATE", "BACKUP", "CHECKPOINT", "DBCC", "DENY",
    "DISABLE", "ENABLE", "RAISERROR", "RETURN", "SAVE", "THROW",
}  # fmt: skip
# The first words of statements that run code which can't be seen.
PROCEDURAL = {"CALL", "DO", "EXEC", "EXECUTE", "BEGIN", "DECLARE", "IF", "WHILE", "LOOP", "FOR"}


def trees_of(text: str, first: str, dialect: Dialect) -> list[exp.Expr]:
    """sqlglot's trees of a statement, or a command where it has none."""
    trees, whole = _read(text, dialect)
    if trees is None:
        return [unparsed(first)]
    if any(isinstance(tree, (exp.Alias, exp.Column)) for tree in trees):  # LISTEN x
        return [exp.Command(this=first)]
    lost = dropped(whole, trees, dialect)
    statements = [
        _named(_with_queries(_with_columns(_with_keys(statement)), dialect), dialect)
        for tree in trees
        for statement in _in_blocks(tree)
    ]
    for statement in statements[:1]:
        statement.meta["dropped"] = lost
    return statements


def unparsed(first: str) -> exp.Command:
    """A statement without a tree, by its first word."""
    of_block = f"{first} block" if first in PROCEDURAL else COMMAND
    return exp.Command(this=first if first in WITHOUT_ROWS else of_block)


def _read(text: str, dialect: Dialect) -> tuple[list[exp.Expr] | None, Text]:
    """sqlglot's trees of a statement, or of a CREATE without the options that it does not parse.

    Behind them stands the text that was parsed.
    """
    tokens = dialect.tokenize(text)
    try:
        parser = dialect.parser(error_level=ErrorLevel.RAISE)
        trees = [tree for tree in parser.parse(tokens, text) if tree]
    except FAULTS:
        trees = None
    if trees is None or any(isinstance(tree, exp.Command) for tree in trees):
        shorter = without_options(text, tokens)
        if shorter not in ("", text):
            return _read(shorter, dialect)
    return trees, Text(text, tokens)


def _with_keys(tree: exp.Expr) -> exp.Expr:
    """With the keys of a pipe's AGGREGATE, which sqlglot only names, as their positions."""
    for group in tree.find_all(exp.Group):
        select = group.parent
        names = [item.alias_or_name for item in select.expressions] if select else []
        for key in group.expressions:
            if isinstance(key, exp.Identifier) and key.name in names:
                key.replace(exp.Literal.number(names.index(key.name) + 1))
    return tree


def column_named(node: exp.Expr) -> exp.Column | None:
    """The column that bare names are: in a chain of calls, sqlglot has no column for them."""
    names: list[exp.Expr] = []
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        names.append(node.expression)
        node = node.this
    if names and (name := bare_name(node)):  # `session_user.a` of a table with that name
        node = exp.to_identifier(name)
    if not isinstance(node, exp.Identifier) or len(names) > 3:
        return None
    parts = zip(("this", "table", "db", "catalog"), (*names, node), strict=False)
    return exp.Column(**{key: name.copy() for key, name in parts})


def _with_columns(tree: exp.Expr) -> exp.Expr:
    """With the columns inside what a method is called on, which sqlglot makes bare names.

    Those of `(SELECT a FROM t).value('.')`, for example; `a` in `a.value('.')` stays a name.
    """
    for call in tree.find_all(exp.Dot):
        if isinstance(call.expression, CALLS):
            for node in list(call.this.walk()):
                column = None if _is_name(node) else column_named(node)
                if column is not None:
                    node.replace(column)
    return tree


def _with_queries(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """With the queries of `WITH t AS ((SELECT ..))`; in ClickHouse that of brackets is a value."""
    for cte in tree.find_all(exp.CTE) if dialect_name(dialect) != "clickhouse" else ():
        while isinstance(cte.this, exp.Subquery):
            inner = cte.this
            cte.set("this", inner.this if inner.is_wrapper else exp.select("*").from_(inner))
    return tree


def _is_name(node: exp.Expr) -> bool:
    """Whether an identifier names something where it stands, as an alias does."""
    is_parameter = isinstance(node.parent, exp.Lambda) and node.arg_key == "expressions"
    is_key = isinstance(node.parent, (exp.PropertyEQ, exp.XMLElement)) and node.arg_key == "this"
    return (
        is_parameter
        or is_key
        or node.arg_key in NAMES
        or isinstance(node.parent, (exp.Dot, *NAMED))
    )


def _in_blocks(node: exp.Expr) -> Iterator[exp.Expr]:
    """The statements in the branches of IF and WHILE, and the queries of their conditions.

    Rows that decide whether statements are run are reported as opaque, also through variables.
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
                names = [each.name for each in statement.find_all(exp.Parameter)]
                yield exp.Command(this="IF") if queries else decided("IF", names)
            elif statement is not None and not isinstance(statement, exp.EndStatement):
                yield from _in_blocks(statement)


def decided(word: str, names: Iterable[str]) -> exp.Command:
    """A condition by its first word, which is opaque if one of the names is set from columns."""
    node = exp.Command(this=word)
    node.meta["names"] = [name.casefold() for name in names]
    return node


def _named(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """With `IDENTIFIER('t')`, `TABLE('t')` and T-SQL's `@t` as the tables that they name.

    ClickHouse's `a.1` is a member of `a`; `f(a -> 'x')` is of a member of the JSON text `a`, and no
    lambda.
    """

    def table(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.ColumnDef) and (name := bare_name(node.this)):
            node.set("this", exp.to_identifier(name))
            return node
        if isinstance(node, exp.From) and isinstance(node.this, exp.TableAlias):
            _name_apart(node, node.this.this)
        owner = node.args.get("db") if isinstance(node, exp.Table) else None
        if isinstance(owner, exp.Parameter) and isinstance(node.this, CALLS):
            rows = exp.Dot(this=owner, expression=node.this)  # T-SQL's @x.nodes('/a')
            return exp.Lateral(this=rows, alias=node.args.get("alias"))
        if isinstance(node, exp.Lambda) and _is_arrow(node, dialect):
            return exp.JSONExtract(this=exp.Column(this=node.expressions[0]), expression=node.this)
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


def _name_apart(clause: exp.From, name: exp.Identifier) -> None:
    """Read the rows of `|> AS t`, a common table expression, by a name that no table has.

    A table `t` may be joined further on.
    """
    own = exp.to_identifier(f"{name.name} |>", quoted=True)
    around: exp.Expr | None = clause
    while around is not None:
        ctes = around.args.get("with_") or around.args.get("with") or exp.With()
        for cte in reversed(ctes.expressions):
            if cte.alias == name.name:
                cte.args["alias"].set("this", own)
                clause.set("this", exp.alias_(exp.Table(this=own.copy()), name, table=True))
                return
        around = around.parent


def _is_arrow(node: exp.Lambda, dialect: Dialect) -> bool:
    """Whether what sqlglot reads as a lambda is the operator `->`; DuckDB has both."""
    name = dialect_name(dialect)
    parameters = [parameter.name for parameter in node.expressions]
    used = {part.name for part in node.this.find_all(exp.Identifier)}
    is_arrow = name in ARROWS or (name == "duckdb" and used.isdisjoint(parameters))
    return is_arrow and len(parameters) == 1


def _tuple_element(node: exp.Anonymous) -> exp.Expr:
    """ClickHouse's `tupleElement(t, 'a')`, which names a member, as `t.a`."""
    whole, member = node.expressions[0], node.expressions[-1]
    if not isinstance(member, exp.Literal):
        return node
    name = exp.to_identifier(member.name) if member.is_string else member
    return exp.Dot(this=whole, expression=name)
