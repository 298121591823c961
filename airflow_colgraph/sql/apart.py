"""Statements that are read as one or two others, which say the same of what is made of what."""

from __future__ import annotations

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token  # type: ignore[attr-defined]

EXECUTED = ("EXEC", "EXECUTE")


def taken_apart(text: str, tokens: list[Token], dialect: Dialect, name: str) -> list[str]:
    """The statements as which one of a dialect is read; none if it is read as it is."""
    words = _outer_words(tokens)
    if name in ("tsql", "fabric") and words[0] == "INSERT":
        return _executed(text, tokens, words)
    if name == "redshift" and words[0] == "MERGE" and words[-2:] == ["REMOVE", "DUPLICATES"]:
        return _without_duplicates(text, tokens, words)
    if name == "oracle" and words[:2] == ["UPDATE", "("] and "SET" in words:
        return _view_updated(text, tokens, words, dialect)
    return []


def _outer_words(tokens: list[Token]) -> list[str]:
    """The words of a statement in capitals, those inside brackets as "" ."""
    depth, words = 0, []
    for token in tokens:
        depth -= token.text == ")"
        words.append("" if depth else token.text.upper())
        depth += token.text == "("
    return words


def _said(text: str, tokens: list[Token], first: int, last: int) -> str:
    """The text of some tokens."""
    start = tokens[0].start
    return text[tokens[first].start - start : tokens[last].end + 1 - start]


def _executed(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """T-SQL's `INSERT INTO t EXEC p`: the rows of a procedure that is not looked into."""
    at = next((place for place, word in enumerate(words) if word in EXECUTED), 0)
    if at < 2 or {"SELECT", "VALUES", "WITH"} & {*words[:at]}:
        return []
    head = _said(text, tokens, 0, at - 1)
    return [_said(text, tokens, at, len(tokens) - 1), f"{head} DEFAULT VALUES"]


def _without_duplicates(text: str, tokens: list[Token], words: list[str]) -> list[str]:
    """Redshift's MERGE that deletes the rows that match, and inserts all rows of the source."""
    if "USING" not in words or "ON" not in words:
        return []
    using, on = words.index("USING"), words.index("ON")
    target, source = _said(text, tokens, 2, using - 1), _said(text, tokens, using + 1, on - 1)
    condition = _said(text, tokens, on + 1, len(tokens) - 3)
    return [
        f"DELETE FROM {target} USING {source} WHERE {condition}",
        f"INSERT INTO {target} SELECT * FROM {source}",
    ]


def _view_updated(text: str, tokens: list[Token], words: list[str], dialect: Dialect) -> list[str]:
    """Oracle's `UPDATE (SELECT ..) SET ..` as an UPDATE of the table whose columns are set.

    What a subquery in SET means by a name of the view is not looked into.
    """
    end, start = words.index(")"), words.index("SET")
    after = _said(text, tokens, start, len(tokens) - 1)
    try:
        (view,) = dialect.parse(_said(text, tokens, 2, end - 1))
        (update,) = dialect.parse(f"UPDATE v {after}")
    except (SqlglotError, ValueError):
        return []
    if not isinstance(view, exp.Select) or not isinstance(update, exp.Update):
        return []
    clause = view.args.get("from_")
    if clause is None or update.find(exp.Query):
        return []
    values = {item.alias_or_name.casefold(): item.unalias() for item in view.expressions}
    changed = update.transform(lambda node: _replaced(node, values))
    sets = [part.this for part in changed.expressions]
    owners = {column.table for part in sets for column in part.find_all(exp.Column)}
    if len(owners) != 1 or not isinstance(changed, exp.Update):
        return []
    own = next(iter(owners)) or clause.this.alias_or_name
    clause.this.set("joins", view.args.get("joins"))
    changed.set("this", exp.to_table(own, dialect=dialect))
    changed.set("from_", clause)
    if where := view.args.get("where"):
        changed.where(where.this, copy=False)
    return [changed.sql(dialect=dialect)]


def _replaced(node: exp.Expr, values: dict[str, exp.Expr]) -> exp.Expr:
    """A column of the view as what the view selects under its name."""
    is_own = isinstance(node, exp.Column) and node.name.casefold() in values
    return values[node.name.casefold()].copy() if is_own else node
