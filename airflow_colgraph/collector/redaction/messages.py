"""Messages without the secrets that they quote. Pure.

All scans look at each character a bounded number of times, whatever the text: they hold the
interpreter's lock in the driver.
"""

from __future__ import annotations

import re

from airflow_colgraph.collector.redaction.names import LAST_WORD, REDACTED, is_named

SHAPES = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_\w{36,}|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}"  # GitHub, GitLab, Slack
    r"|(?<![\w.-])eyJ[\w-]+\s?\.\s?[\w-]+\s?\.\s?[\w-]*"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
    re.DOTALL,
)
MOST_NAME = 128  # characters of a name before a sign
SIGN = re.compile(
    r"""=|:|(?<!\w)--?(?=[A-Za-z])|\b(?:bearer|basic|token|password|passwd|pwd|secret)(?=\s)""",
    re.I,
)
NAME = re.compile(r"[\w.-]*")
GAP = re.compile(r"[=>\s]{0,16}")
SCHEME = re.compile(r"(?:bearer|basic|negotiate|token)\s+", re.IGNORECASE)
OPENING = re.compile(r"""\\{0,3}["'`]""")
WORD_END = re.compile(r"""[\s,;&()<>"']|\\["']""")
WRAPPED = re.compile(r"\r?\n[\w+/=.-]+(?=\r?\n|$)")
OPTION = re.compile(r"--?([A-Za-z][\w.-]{0,127})(\s+)(?=[^\s=:-])")
LOOKS_SECRET = re.compile(r"(?=.*(?:[0-9]|[a-z][A-Z]|[+/=!$%^~*#]))\S{8,}", re.DOTALL)


def in_message(text: str) -> str:
    """A message in which what follows the name of a secret is hidden."""
    shown: list[str] = []
    done = at = 0
    while (sign := SIGN.search(text, at)) is not None:
        start = _value_after(text, sign)
        if start is None:
            at = sign.end()
            continue
        opening = OPENING.match(text, start)
        quote = opening.group(0) if opening else ""
        end = end_of_value(text, start, quote)
        shown += [text[done : start + len(quote)], REDACTED]
        done = at = end
    return "".join([*shown, text[done:]])


def _value_after(text: str, sign: re.Match[str]) -> int | None:
    """Where the secret begins that a sign is followed by, if it is."""
    mark = sign.group(0)
    if mark in ("=", ":"):
        name = _name_before(text[max(0, sign.start() - MOST_NAME) : sign.start()])
        gap = GAP.match(text, sign.end())
        start = gap.end() if gap and mark == "=" else sign.end()
        if mark == ":":
            while start < len(text) and start < sign.end() + 16 and text[start].isspace():
                start += 1
        if start >= len(text) or text[start] in ",;&)" or text.startswith(("//", ":"), start):
            return None
        quoted = OPENING.match(text, start) is not None
        named = is_named(name) if mark == "=" or quoted else LAST_WORD.search(name)
        if not named and not (mark == ":" and name.lower().endswith("authorization")):
            return None
        scheme = SCHEME.match(text, start)
        return scheme.end() if scheme else start
    if mark.startswith("-"):
        option = OPTION.match(text, sign.start())
        return option.end() if option and LAST_WORD.search(option[1]) else None
    start = sign.end()
    while start < len(text) and start < sign.end() + 16 and text[start].isspace():
        start += 1
    opening = OPENING.match(text, start)
    inner = opening.end() if opening else start
    word = text[inner : end_of_value(text, inner, "")][:MOST_NAME]
    is_scheme = mark.lower() in ("bearer", "basic")
    return start if word and (is_scheme or LOOKS_SECRET.match(word)) else None


def _name_before(text: str) -> str:
    """The name that a text ends with: `password`, `"password"`, `\\"password\\" `."""
    text = text.rstrip()
    if text.endswith(("'", '"', "`")):
        text = text[:-1].rstrip("\\")
    found = NAME.match(text[::-1])
    return found.group(0)[::-1] if found else ""


def end_of_value(text: str, start: int, quote: str) -> int:
    """Where a value ends: at its quote, else with its word and the lines that it is wrapped to."""
    if quote:
        at = start + len(quote)
        while (at := text.find(quote, at)) >= 0:
            doubled = len(quote) == 1 and text[at - 1] != "\\" and text.startswith(quote, at + 1)
            if not doubled and (len(quote) > 1 or text[at - 1] != "\\"):
                return at
            at += 2 if doubled else 1
        return len(text)
    found = WORD_END.search(text, start)
    end = found.start() if found else len(text)
    if end - start >= 16:
        while (more := WRAPPED.match(text, end)) is not None:
            end = more.end()
    return end
