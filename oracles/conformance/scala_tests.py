"""Read test suites in Scala as far as they are literals: what a test runs and expects. Pure.

Kyuubi's lineage tests are values and calls of four functions, with strings that are concatenated.
A test that needs more (a class of its own) is not read, and is named by its first unknown value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

TEST = re.compile(r'^  test\("(.*?)"\) \{\n(.*?)^  \}$', re.M | re.S)
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<long>s?""".*?""")|(?P<text>s?"(?:\\.|[^"\\])*")'
    r"|(?P<name>[A-Za-z_][\w.]*)|(?P<sign>==|->|[^\s\w])|(?P<number>\d+)",
    re.S,
)
ESCAPES = {r"\n": "\n", r"\"": '"', r"\\": "\\"}
CONTAINERS = ("List", "Set", "Seq", "Lineage")
EXTRACTED = ("extractLineage", "extractLineageWithoutExecuting")


class Step(NamedTuple):
    """A statement of a test; `expected` is what its lineage has to be, None where it only runs."""

    statement: str
    expected: tuple[Any, ...] | None = None


class UnreadError(Exception):
    """The test has a value that is no literal."""


class Tokens:
    """The tokens of a test's body, one after the other."""

    def __init__(self, text: str) -> None:
        """The tokens of a text."""
        matches = (match for match in TOKEN.finditer(text) if match.lastgroup != "comment")
        self.items = [(str(match.lastgroup), match.group()) for match in matches]
        self.place = 0

    def peek(self) -> tuple[str, str]:
        """Kind and text of the next token; both empty at the end."""
        return self.items[self.place] if self.place < len(self.items) else ("", "")

    def next(self) -> tuple[str, str]:
        """The next token, which is then passed."""
        token = self.peek()
        self.place += 1
        return token

    def skip(self, sign: str) -> bool:
        """Whether the next token is this one, which is then passed."""
        if self.peek()[1] != sign:
            return False
        self.place += 1
        return True


def bodies(text: str) -> Iterator[tuple[str, str]]:
    """Name and body of each test of a suite."""
    for match in TEST.finditer(text):
        yield match.group(1), match.group(2)


def steps(body: str, constants: Mapping[str, str]) -> Iterator[Step]:
    """What a test runs, in its order, each statement with the lineage that is asserted of it."""
    tokens, values, run = Tokens(body), dict[str, Any](constants), dict[str, str]()
    while tokens.peek()[0]:
        _, text = tokens.next()
        if text == "val":
            name = tokens.next()[1]
            tokens.skip("=")
            if tokens.peek()[1] in EXTRACTED:
                tokens.next()
                run[name] = value(tokens, values)
            elif tokens.peek()[0] in ("text", "long") or tokens.peek()[1] in CONTAINERS:
                values[name] = value(tokens, values)
        elif text == "spark.sql" and tokens.items[tokens.place + 1][1] != "_":
            yield Step(value(tokens, values))
        elif text in ("ddls.split", "ddls.foreach"):
            separator = value(tokens, values) if text == "ddls.split" else None
            lines = values["ddls"].split(separator) if separator else values["ddls"]
            yield from (Step(line) for line in lines if line.strip())
        elif text == "assert":
            tokens.skip("(")
            _, name = tokens.next()
            if name not in run:
                raise UnreadError(name)
            tokens.skip("==")
            yield Step(run[name], value(tokens, values))


def value(tokens: Tokens, values: Mapping[str, Any]) -> Any:
    """The value of an expression: texts with + and ->, lists, sets and tuples as tuples."""
    result = term(tokens, values)
    while True:
        if tokens.skip("+"):
            result += term(tokens, values)
        elif tokens.skip("->"):
            result = (result, term(tokens, values))
        elif tokens.peek()[1] == ".":
            tokens.next()
            if tokens.next()[1] == "stripMargin":
                result = re.sub(r"^\s*\|", "", result, flags=re.M)
        else:
            return result


def term(tokens: Tokens, values: Mapping[str, Any]) -> Any:
    """A text, a group of values, or the value of a name."""
    kind, text = tokens.next()
    if kind == "text" or kind == "long":
        return string(text, values)
    if text == "(":
        items = items_of(tokens, values)
        return items[0] if len(items) == 1 else items
    if text in CONTAINERS:
        types(tokens)
        return items_of(tokens, values)
    if text in values:
        return values[text]
    raise UnreadError(text)


def types(tokens: Tokens) -> None:
    """Pass the types in brackets, and the parenthesis that opens the values."""
    depth = 0
    while depth or tokens.peek()[1] != "(":
        depth += {"[": 1, "]": -1}.get(tokens.next()[1], 0)
    tokens.next()


def items_of(tokens: Tokens, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values up to the closing parenthesis."""
    items = []
    while not tokens.skip(")"):
        items.append(value(tokens, values))
        tokens.skip(",")
    return tuple(items)


def string(literal: str, values: Mapping[str, Any]) -> str:
    """A string literal's text, with $name, ${name} and escapes replaced."""
    interpolated = literal.startswith("s")
    text = literal.removeprefix("s")
    if text.startswith('"""'):
        text = text[3:-3]
    else:
        text = re.sub(r"\\.", lambda match: ESCAPES[match.group()], text[1:-1])
    if interpolated:
        text = re.sub(r"\$(\w+)|\$\{([\w.]+)\}", lambda match: inserted(match, values), text)
    return text


def inserted(match: re.Match[str], values: Mapping[str, Any]) -> str:
    """The value of a name in an interpolated text."""
    name = match.group(1) or match.group(2)
    if name not in values:
        raise UnreadError(name)
    return str(values[name])
