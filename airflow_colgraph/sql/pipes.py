"""The operators of pipe syntax, `FROM t |> SET a = 1`, in those that sqlglot reads right. Pure."""

from __future__ import annotations

from airflow_colgraph.sql.tokens import Text, items_of

PIPED = {"SET": "REPLACE", "DROP": "EXCEPT", "RENAME": "RENAME"}


def pipe_operator(whole: Text, at: int) -> None:
    """`|> SET`, `|> DROP` and `|> RENAME` as a star with its clauses, and the operators below.

    sqlglot has the rows before `PIVOT`, and behind `DISTINCT`, in one query with it; it forgets
    that a `SELECT` is `DISTINCT`.
    """
    words = whole.words
    if words[at - 1] != "|>":
        return
    if words[at] in PIPED:
        _star(whole, at)
    elif words[at] in ("PIVOT", "UNPIVOT"):
        whole.replace(at, at, f"SELECT * |> {words[at]}")
    elif words[at] == "DISTINCT":
        whole.replace(at, at, "DISTINCT |> SELECT *")
    elif words[at : at + 3] == ["SELECT", "DISTINCT", "*"]:
        whole.replace(at, at + 1, "DISTINCT |> SELECT")
    elif words[at : at + 2] == ["SELECT", "DISTINCT"]:
        whole.replace(at, at + 1, "AGGREGATE GROUP BY")


def _star(whole: Text, at: int) -> None:
    words = whole.words
    items = list(items_of(words, at + 1))
    said = [whole.said(first, last) for first, last in items]
    if words[at] == "SET":
        said = [
            f"{whole.said(first + 2, last)} AS {whole.said(first, first)}" for first, last in items
        ]
    clause = ", ".join(said)
    whole.replace(at, items[-1][1], f"SELECT * {PIPED[words[at]]} ({clause})")


def bracketed_input(whole: Text, at: int) -> None:
    """`SELECT a + 1 AS a FROM t |> ..` in brackets: sqlglot has the operators in that query."""
    words = whole.words
    if words[at] == "SELECT" and "|>" in words[at:]:
        is_first = not {"SELECT", "FROM", "|>"} & set(_beside(words[:at][::-1], ")", "("))
        if is_first and "|>" in _beside(words[at:], "(", ")"):
            whole.replace(at, at, "FROM (SELECT")
    elif words[at] == "|>":
        before = _beside(words[:at][::-1], ")", "(")
        if "|>" not in before and "SELECT" in before:
            whole.replace(at, at, ") |>")


def _beside(words: list[str], deeper: str, end: str) -> list[str]:
    """The words in the same brackets, up to the bracket that ends them."""
    depth, beside = 0, []
    for word in words:
        if word == end and not depth:
            break
        depth += (word == deeper) - (word == end)
        beside += [] if depth else [word]
    return beside
