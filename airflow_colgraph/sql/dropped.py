"""Names of columns and tables in a statement's text that sqlglot's tree of it lacks. Pure.

sqlglot leaves out arguments that the function of its own with that name does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sqlglot import Dialect, exp
from sqlglot.tokens import TokenType  # type: ignore[attr-defined]

from airflow_colgraph.sql.names import dialect_name
from airflow_colgraph.sql.pseudo_columns import FUNCTIONS
from airflow_colgraph.sql.tokens import Text
from airflow_colgraph.sql.word_columns import BEFORE, BEHIND

NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
CLAUSES = {  # words of a clause that tokens do not tell from names
    *(("WHEN", "MATCHED"), ("NOT", "MATCHED")),
    *(("BY", "SOURCE"), ("BY", "TARGET"), ("BY", "NAME"), ("INTO", "NAME"), ("USING", "SAMPLE")),
}
TABLES = {"FROM", "JOIN", "INTO", "USING"}  # behind which a table's name stands


def dropped(whole: Text, trees: Sequence[exp.Expr], dialect: Dialect) -> list[str]:
    """The names that a text has more often than the trees of it: `b` of `array_agg(a, b)`."""
    if any(isinstance(tree, exp.Command) for tree in trees):  # its text is not read
        return []
    kept = Counter(name for tree in trees for name in _kept(tree))
    functions = FUNCTIONS.get(dialect_name(dialect), ())
    said = Counter(name for name in _names(whole) if name not in functions)
    return sorted((said - kept).elements())


def _names(whole: Text) -> Iterator[str]:
    """The names that stand for values and tables, each without what is before it."""
    words = whole.words
    for at, token in enumerate(whole.tokens):
        if token.token_type not in NAMES or "." in token.text:
            continue
        first = at
        while words[first - 1 : first] == ["."]:
            first -= 2
        before, behind = words[first - 1].split(" ")[-1], [*words[at + 1 : at + 2], ""][0]
        is_value = before in BEFORE and behind.split(" ")[0] in BEHIND
        is_table = before in TABLES and behind not in (".", "(")
        if (is_value or is_table) and not _is_other(whole, first):
            yield token.text.casefold()


def _is_other(whole: Text, at: int) -> bool:
    """Whether a name is none: a word of a clause, an option, `%s`, a part of `@stage/path/`."""
    before, word = whole.words[at - 1 : at + 1]
    is_path = before == "/" and whole.tokens[at - 1].end + 1 == whole.tokens[at].start
    is_mark = before == "%" and whole.words[at - 2] in BEFORE
    is_option = before == "(" and whole.words[at - 2] == "WITH"
    return (before, word) in CLAUSES or is_path or is_mark or is_option


def _kept(tree: exp.Expr) -> Iterator[str]:
    """All texts in a tree, in lower case."""
    for node in tree.walk():
        for value in node.args.values():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, str):
                    yield part.casefold()
