"""SQL text to sqlglot's trees, a statement at a time. Pure."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

from sqlglot import Dialect, exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from airflow_colgraph.openlineage.redaction import shown_name
from airflow_colgraph.sql.apart import (
    TYPES,
    branch,
    explained,
    loop_of,
    mutation,
    set_in_routine,
    settings,
    taken_apart,
)
from airflow_colgraph.sql.batches import batched, split, tokenized
from airflow_colgraph.sql.commands import is_exchange
from airflow_colgraph.sql.cursors import STATE, Fetch, declared_cursor, fetched
from airflow_colgraph.sql.executed import Executed, executed
from airflow_colgraph.sql.mysql import with_run_comments
from airflow_colgraph.sql.names import dialect_name, normalized, show_names
from airflow_colgraph.sql.output_into import INTO, returned_into, selected_into, with_one_name
from airflow_colgraph.sql.rewrites import rewritten
from airflow_colgraph.sql.targets import Target, targets_at
from airflow_colgraph.sql.tokens import Text, is_balanced, words_of
from airflow_colgraph.sql.trees import COMMAND, FAULTS, decided, trees_of, unparsed

EXCHANGE = "Exchange of tables"  # no word that a statement begins with
LOOP = re.compile(
    r"\b(?:WHILE|LOOP|REPEAT(?!\s*\()|FOR\s+[\w@]+\s+(?:IN|AS)\b.*\bDO)\b", re.I | re.S
)

ATOMIC = re.compile(r"(?:NOT\s+)?ATOMIC\s+", re.I)  # BEGIN NOT ATOMIC
RETRIES = 20  # a quote that does not end may begin before some semicolons
ASSIGNED = re.compile(r"[\w.\"$#]+\s*(?:=|\[|.*:=)", re.S)  # v = x, v[1] = x, v(i).a := x
NO_CODE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.S)
# With which statements begin that may not be run.
BRANCHES = {"IF", "ELSE", "ELSEIF", "ELSIF", "CASE", "EXCEPTION", "CATCH"}


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
        text = with_run_comments(text) if dialect == "mysql" else text
        tokens, end = _tokens(text, chosen)
        nodes = list(_read(text, tokens, chosen))
        if end < len(text):
            blank = len(text[end:]) - len(text[end:].lstrip())
            line = text.count("\n", 0, end + blank) + 1
            nodes.append(_at(exp.Command(this=COMMAND), line))
    quoted = (token.text for token in tokens if token.token_type == TokenType.IDENTIFIER)
    if any(shown_name(name) != name for name in quoted):
        for node in nodes:
            show_names(node)
    return nodes


def _tokens(text: str, dialect: Dialect) -> tuple[list[Token], int]:
    """The tokens of a text, and where the statement begins in which a quote does not end."""
    end = len(text)
    for _ in range(RETRIES):
        try:
            return tokenized(text[:end], dialect), end
        except SqlglotError:
            end = text.rfind(";", 0, end - 1) + 1
    return [], 0


def _parts(tokens: list[Token], dialect: Dialect) -> Iterator[list[Token]]:
    """The tokens of each statement."""
    for part in _split(tokens):
        yield from split(part) if isinstance(dialect, TSQL) else [part]


def _read(text: str, tokens: list[Token], dialect: Dialect) -> Iterator[exp.Expr]:
    """The trees of all statements; the first in a loop and in a branch is marked."""
    is_loop = is_branch = False
    for part in _parts(tokens, dialect):
        statement = text[part[0].start : part[-1].end + 1]
        is_loop = is_loop or LOOP.search(NO_CODE.sub(" ", statement)) is not None
        is_branch = is_branch or is_loop or _is_branch(words_of(part[:6]))
        try:
            trees = _parsed(statement, part, dialect)
        except FAULTS:  # of a text in it
            trees = [unparsed(words_of(part[:1])[0])]
        for tree in trees:
            node = tree if isinstance(tree, exp.Command) else normalized(tree, dialect)
            node.meta["loop"] = is_loop or node.meta.get("loop", False)  # of a text in it
            node.meta["branch"] = is_branch or node.meta.get("branch", False)
            is_loop = is_branch = False
            yield _at(node, part[0].line)


def _is_branch(words: list[str]) -> bool:
    """Whether a statement with these first words may be left out."""
    first = [word for word in words if word not in ("BEGIN", "NOT", "ATOMIC")]
    return not BRANCHES.isdisjoint(first[:2])


def _at(statement: exp.Expr, line: int) -> exp.Expr:
    """The statement, with the line on which it begins."""
    statement.meta["line"] = line
    return statement


def table_name(text: str, dialect: str) -> tuple[str, ...]:
    """The parts of a table's name that is written as in a statement."""
    chosen = Dialect.get_or_raise(dialect)
    table = exp.to_table(text, dialect=chosen)
    normalized(table, chosen)
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


ROUTINE_VARIABLES = ("oracle", "postgres", "redshift", "snowflake")  # sqlglot reads no DECLARE
KINDS = {  # of what CREATE makes: the first one counts, as others may be names
    *("TABLE", "VIEW", "TRIGGER", "RULE", "INDEX", "TASK", "PROCEDURE", "PROC", "FUNCTION"),
    *("POLICY", "STATISTICS", "SEQUENCE", "TYPE", "SCHEMA", "DATABASE", "EVENT", "ROLE", "USER"),
    *("STREAM", "PACKAGE"),
}
TRIGGERS = {"TRIGGER": "ON", "RULE": "TO"}  # with the word before the table
EVENTS = {"INSERT", "UPDATE", "DELETE", "OR", ","}
ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "TASK", "EVENT", "PACKAGE"}
LOOPS = {"LOOP", "WHILE", "FOR", "FOREACH", "REPEAT"}
BLOCKS = {"IF", *LOOPS}  # END IF ends no BEGIN


# With which a statement inside BEGIN .. END starts.
INSIDE = {
    "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "SELECT", "WITH", "TRUNCATE", "DROP", "ALTER",
    "REPLACE", "COPY", "SET", "DECLARE", "CALL", "EXECUTE", "IF", "FOR", "FOREACH", "WHILE", "LOOP",
    "LET", "OPEN", "FETCH", "CLOSE",
}  # fmt: skip


def _routine(part: list[Token]) -> str:
    """The kind of routine that a statement defines, or ""."""
    words = words_of(part[:12])
    kind = _kind(words) if words[:1] in (["CREATE"], ["ALTER"]) else ""
    return kind if kind in ROUTINES else ""


def _is_inside_body(part: list[Token]) -> bool:
    """Whether the text of a routine goes on: its statements are defined here, and not run."""
    if not _routine(part):
        return False
    depth = 0
    words = words_of(part)
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
        return [_marked("closes")] if {*words[1:]} & LOOPS else []
    if words[:2] == ["SET", "TRANSACTION"]:
        return []
    if _is_trigger(words):
        return [_trigger(text, tokens, dialect)]
    has_body = "BEGIN" in words or isinstance(dialect, TSQL)
    if _routine(tokens) and has_body and not explained(text, dialect_name(dialect)):
        return [exp.Command(this=words[0], expression=_routine(tokens))]
    if inside := executed(text, words[0], dialect):
        return _executed(inside, words[0] == "DO", dialect)
    control = None if isinstance(dialect, TSQL) else branch(text, words[0], dialect)
    if control is not None:
        rest = dialect.tokenize(control[1])
        before = _looped if words[0] in ("FOR", "FOREACH") else _deciding
        word = "IF" if words[0] in ("ELSEIF", "ELSIF") else words[0]
        start = [_marked("opens")] if words[0] in LOOPS else []
        return [*start, *before(control[0], word, dialect), *_parsed(control[1], rest, dialect)]
    if words[0] != "BEGIN" and (cursor := declared_cursor(text)):
        return _with_meta("cursor", cursor[0], trees_of(cursor[1], words[0], dialect), dialect)
    if state := STATE.match(text):
        return [exp.Command(this=state[1], expression=state[2])]
    if fetch := fetched(text, dialect):
        return [_fetch(words[0], fetch)]
    if dialect_name(dialect) in ROUTINE_VARIABLES and _may_set(words, tokens):
        assignment = set_in_routine(text, words[0], dialect)
        if assignment is not None:
            return _set(*assignment, dialect)
    if not is_balanced(words):
        return [unparsed(words[0])]
    inner = _inner(text, tokens, dialect)
    if inner:
        return [node for part in inner for node in _parsed(part, dialect.tokenize(part), dialect)]
    return _annotated(text, tokens, dialect)


def _executed(inside: Executed, is_routine: bool, dialect: Dialect) -> list[exp.Expr]:
    """The statements of a text that is run, behind those that set the values it gets."""
    values = [node for name, value in inside.values for node in _set(Target(name), value, dialect)]
    nodes = [*_read(inside.text, tokenized(inside.text, dialect), dialect)]
    for node in nodes:
        node.meta["routine"] = is_routine  # where INTO names variables
        if inside.into:
            node.meta["variables"] = inside.into
    return [*values, *nodes]


def _is_trigger(words: list[str]) -> bool:
    """Whether it defines a trigger, or PostgreSQL's rule."""
    kind = _kind(words)
    return words[0] == "CREATE" and {"ON", TRIGGERS.get(kind)} <= set(words[:-1])


def _kind(words: list[str]) -> str:
    """What a statement creates; empty if it is none of KINDS."""
    return next((word for word in words[1:12] if word in KINDS), "")


def _trigger(text: str, tokens: list[Token], dialect: Dialect) -> exp.Command:
    """A trigger, whose statements are run where its table is written: what it is named is kept."""
    whole = Text(text, tokens)
    first = last = whole.words.index(TRIGGERS[_kind(whole.words)]) + 1
    while whole.words[last + 1 : last + 2] == ["."]:
        last += 2
    node = exp.Command(this="CREATE", expression="TRIGGER")
    node.meta["trigger"] = table_name(whole.said(first, last), dialect_name(dialect))
    node.meta["instead"] = _is_instead_of_insert(whole.words)
    return node


def _is_instead_of_insert(words: list[str]) -> bool:
    """Whether it is run INSTEAD OF INSERT, or `ON INSERT TO t DO INSTEAD`."""
    if "INSTEAD" not in words:
        return False
    if _kind(words) == "RULE":
        return "INSERT" in words[words.index("ON") : words.index("TO")]
    _, *after = words[words.index("INSTEAD") :]
    return after[:1] == ["OF"] and "INSERT" in takewhile(EVENTS.__contains__, after[1:])


def _deciding(condition: str, word: str, dialect: Dialect) -> list[exp.Expr]:
    """The query that affects a branch, which is reported as opaque."""
    tokens = dialect.tokenize(condition)
    if "SELECT" not in words_of(tokens):
        return [decided(word, (token.text for token in tokens))] if tokens else []
    trees = trees_of(f"SELECT {condition}", word, dialect)
    return [*(normalized(tree, dialect) for tree in trees), exp.Command(this=word)]


def _looped(condition: str, word: str, dialect: Dialect) -> list[exp.Expr]:
    """The query whose rows a loop takes, or its cursor, with the name of its row."""
    loop = loop_of(condition, dialect)
    if loop.cursor:
        return [_fetch(word, Fetch(loop.cursor, loop.targets, is_row=True))]
    if not loop.query:
        return _set(loop.targets[0], loop.array or "NULL", dialect)
    return _with_meta("row", loop.targets, trees_of(loop.query, word, dialect), dialect)


def _fetch(word: str, fetch: Fetch) -> exp.Expr:
    node = exp.Command(this=word)
    node.meta["fetch"] = fetch
    return node


def _may_set(words: list[str], tokens: list[Token]) -> bool:
    """Whether a statement may set a variable: none of others begins so."""
    if words[0] in ("DECLARE", "LET"):
        return True
    if words[0] == "BEGIN" or words[0] in INSIDE:
        return False
    _, end = targets_at(tokens)
    is_assigned = ":=" in words or words[end : end + 1] == ["="]
    return is_assigned or not TYPES.isdisjoint(words[1:2])


def _set(target: Target, value: str, dialect: Dialect) -> list[exp.Expr]:
    """A query whose value a variable gets."""
    return _with_meta("variables", [target], trees_of(f"SELECT {value}", "SET", dialect), dialect)


def _with_meta(key: str, value: object, trees: list[exp.Expr], dialect: Dialect) -> list[exp.Expr]:
    """The trees of a query, each with what its rows are for."""
    nodes = [normalized(tree, dialect) for tree in trees]
    for node in nodes:
        node.meta[key] = value
    return nodes


def _marked(key: str) -> exp.Expr:
    """Where a loop's body starts or ends."""
    node = exp.Command(this="END")
    node.meta[key] = True
    return node


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
    variables: list[Target] = []
    if not {*INTO}.isdisjoint(words) and first in ("SELECT", "WITH"):
        text, variables = selected_into(text, tokens, dialect_name(dialect))
        tokens = dialect.tokenize(text)
    if dialect_name(dialect) in ("tsql", "fabric") and {"OUTPUT", "INTO"} <= {*words}:
        text = with_one_name(text, tokens)
        tokens = dialect.tokenize(text)
    returned: list[Target] = []
    if "RETURNING" in words and first in ("INSERT", "UPDATE", "DELETE", "MERGE", "WITH"):
        text, returned = returned_into(text, tokens)
        tokens = dialect.tokenize(text)
    nodes = trees_of(rewritten(text, tokens, dialect_name(dialect)), first, dialect)
    is_replaced = words[:2] == ["INSERT", "OVERWRITE"]
    evolves = "WITH SCHEMA EVOLUTION" in " ".join(words)
    has_no_data = "WITH NO DATA" in " ".join(words) and "MATERIALIZED" not in words[:6]
    for node in nodes:
        if has_no_data and isinstance(node, exp.Create):
            node.meta["no_data"] = True
        if is_replaced and isinstance(node, exp.MultitableInserts):
            node.meta["overwrite"] = True
        if evolves and isinstance(node, exp.Merge):
            node.meta["schema_evolution"] = True
        if variables:
            node.meta["variables"] = variables
        if returned:
            node.meta["returned"] = returned
    return nodes


def _inner(text: str, tokens: list[Token], dialect: Dialect) -> list[str]:
    """The statements that one is read as: what EXPLAIN ANALYZE or BEGIN runs, several SETs."""
    first = tokens[0].text.upper()
    apart = taken_apart(text, tokens, dialect_name(dialect))
    if apart:
        return apart
    inside = explained(text, dialect_name(dialect)) or mutation(text, dialect_name(dialect))
    if not inside and first == "BEGIN":
        after = ATOMIC.sub("", text[len(first) :].lstrip())
        is_set = ASSIGNED.match(after) and dialect_name(dialect) in ROUTINE_VARIABLES
        inside = after if is_set or after.partition(" ")[0].upper() in INSIDE else ""
    parts = [inside] if inside else []
    if first == "SET" and "SELECT" in words_of(tokens):
        several = settings(text, tokens)
        parts = several if len(several) > 1 else []
    return parts
