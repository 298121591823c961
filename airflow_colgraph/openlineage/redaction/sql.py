"""SQL texts without the secrets in their literals. Pure.

A literal is a secret beside the name of one (`password = 'x'`, `('api.key' = 'x')`,
`identified by 'x'`), in a column of such a name (`'x' AS token`, `INSERT INTO t (token) ...`), and
in a call that hashes or encrypts, where it is a salt or a key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from airflow_colgraph.openlineage.redaction.columns import shown_name
from airflow_colgraph.openlineage.redaction.messages import end_of_value, in_message
from airflow_colgraph.openlineage.redaction.names import (
    MOST_NAME,
    REDACTED,
    is_hash,
    is_named,
    is_option,
)

SQL_TOKEN = re.compile(
    r"--[^\n]*|/\*|\$\w{0,32}\$"  # comments, PostgreSQL's quotes
    r"""|[nerbxuf]?'|["`]|\[[\w .$-]{1,128}\]"""  # literals, names in quotes
    r"|[\w.]+|=>|:=|<=>|<>|!=|==?|\s+|.",
    re.DOTALL | re.IGNORECASE,
)
SETTING = re.compile(r"""\s+([\w-]+(?:\.[\w-]+)+)\s*=\s*[^\s;'"][^;\n'"]*""")  # SET x.secret=...
QUOTED = re.compile(r"""['"`]|\$\w{0,32}\$|--|/\*|\bset\b""", re.IGNORECASE)
COMPARISONS = {"=", "==", "<>", "!=", "<=>", "like", "ilike", "rlike", "regexp", "from"}
# What may stand between the name of a secret and its literal.
BETWEEN = COMPARISONS | {"=>", ":=", "(", ")", ",", "as", "similar", "to", "in", "by", "is", "not"}
BETWEEN |= {"distinct", "between", "and", "all", "any", "some", "binary"}


class Bracket(NamedTuple):
    """An open bracket: a hash function's or within one, a call's, and the literals before it."""

    hashes: bool
    calls: bool
    literals: int


def in_sql(text: str) -> str:
    """SQL in which literals are hidden that are secrets by the names around them."""
    if not QUOTED.search(text):
        return text
    scan = _Scan(text)
    while scan.at < len(text):
        scan.step()
    return "".join(scan.shown)


class _Scan:
    """One pass over a SQL text; each character is looked at a bounded number of times."""

    def __init__(self, text: str) -> None:
        """Nothing is read."""
        self.text = text
        self.at = 0
        self.shown: list[str] = []
        self.brackets = [Bracket(False, False, 0)]
        self.literals: list[int] = []  # places in `shown`, of the column that is being read
        self.last_literal = -1  # in `shown`, if no name stands behind it
        self.word = ""  # the last token but white space, in lower case
        self.is_named = False  # whether the name before is a secret's
        self.inserts = ""  # "", "into" until the columns, "columns", "secret" if one of them is

    def step(self) -> None:
        """Read one token, and the rest of the literal or comment that it begins."""
        match = SQL_TOKEN.match(self.text, self.at)
        assert match is not None, "the pattern's last part is any character"
        token = match.group(0)
        self.at = match.end()
        if token.isspace():
            self.shown.append(token)
        elif token.startswith("--"):
            self.shown.append(in_message(token))
        elif token == "/*":
            self._comment()
        elif token[-1] == "'" or (token[0] == "$" and token[-1] == "$" and len(token) > 1):
            self._literal(token)
        elif token in ('"', "`"):
            self._quoted(token)
        else:
            self.shown.append(token)
            self._plain(token)

    def _comment(self) -> None:
        end = self.text.find("*/", self.at)
        end = len(self.text) if end < 0 else end
        self.shown.append("/*" + in_message(self.text[self.at : end]))
        self.at = end

    def _content(self, opening: str, mark: str) -> str:
        """What is in quotes; the opening one is shown, and the closing one is left to be."""
        if mark[0] == "$":
            end = self.text.find(mark, self.at)
            end = len(self.text) if end < 0 else end
        else:
            end = end_of_value(self.text, self.at - 1, mark)
        content = self.text[self.at : end]
        self.at = end + len(mark)
        self.shown.append(opening)
        return content

    def _literal(self, opening: str) -> None:
        mark = opening if opening[0] == "$" else "'"
        content = self._content(opening, mark)
        is_secret = self.is_named or self.brackets[-1].hashes or self.inserts == "secret"
        self.last_literal = len(self.shown)
        self.literals.append(self.last_literal)
        self.shown.append(REDACTED if is_secret and content else in_message(content))
        self.shown.append(self.text[self.at - len(mark) : self.at])
        if not is_secret:
            self.is_named = is_option(content)
        self.word = "'"

    def _quoted(self, mark: str) -> None:
        """A name in quotes; in Spark and MySQL a literal, if the name before is a secret's."""
        was_named = self.is_named
        content = self._content(mark, mark)
        is_secret = was_named and mark == '"' and bool(content)
        self.shown.append(REDACTED if is_secret else in_message(shown_name(content)))
        self.shown.append(self.text[self.at - 1 : self.at])
        if not is_secret:
            self._name(content)

    def _plain(self, token: str) -> None:
        lower = token.lower()
        if token == "(":
            self._open()
        elif token == ")":
            if len(self.brackets) > 1:
                self.brackets.pop()
            if self.inserts == "columns":
                self.inserts = ""
        elif token == ",":
            self._comma()
        elif token == ";":
            self.literals.clear()
            self.inserts, self.is_named = "", False
            return
        elif lower == "set":
            self._setting()
        elif lower == "insert":
            self.inserts = "into"
        elif lower == "select":
            del self.literals[self.brackets[-1].literals :]
        if lower not in BETWEEN:
            self._name(token.strip("[]"))
        self.word = lower

    def _comma(self) -> None:
        if self.word != "'" and self.word not in BETWEEN:
            self.is_named = False  # the next column, and not the next of `IN ('x', 'y')`
        if not self.brackets[-1].calls:
            del self.literals[self.brackets[-1].literals :]

    def _open(self) -> None:
        name = self.word.rpartition(".")[2]
        calls = name.replace("_", "").isalnum() and name not in BETWEEN
        hashes = self.brackets[-1].hashes or is_hash(name)
        self.brackets.append(Bracket(hashes, calls, len(self.literals)))
        if self.inserts == "into":
            self.inserts = "columns"

    def _setting(self) -> None:
        match = SETTING.match(self.text, self.at)
        if match and is_option(match[1]):
            before, _, _ = match.group(0).partition("=")
            self.shown += [before, "=", REDACTED]
            self.at = match.end()

    def _name(self, name: str) -> None:
        """A name that is no part of BETWEEN: it affects the literals beside it."""
        if self.text.startswith("(", self.at) and not is_named(name[-MOST_NAME:]):
            return  # a function: `password = lower('x')`
        is_secret = len(name) > 1 and (is_named(name[-MOST_NAME:]) or is_option(name))
        if is_secret or name.lower() == "identified":
            self.is_named = True
            if self.inserts == "columns":
                self.inserts = "secret"
            if self.word == "as":  # the column's name, after all of its expression
                first = self.brackets[-1].literals
                for place in self.literals[first:]:
                    self.shown[place] = REDACTED
                del self.literals[first:]
            elif self.word in COMPARISONS and self.last_literal >= 0:
                self.shown[self.last_literal] = REDACTED
        else:
            self.is_named = False
        self.last_literal = -1
        self.word = name.lower()
