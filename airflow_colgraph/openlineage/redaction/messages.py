"""Messages without the secrets that they quote. Pure.

All scans look at each character a bounded number of times, whatever the text: they hold the
interpreter's lock in the driver.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from airflow_colgraph.openlineage.redaction.names import (
    LAST_WORD,
    MOST_NAME,
    REDACTED,
    is_named,
    is_option,
    is_secret,
)
from airflow_colgraph.openlineage.redaction.salts import SOURCE_LINE

SHAPES = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_\w{36,}|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}"  # GitHub, GitLab, Slack
    r"|\bhooks\.slack\.com/services/[\w/-]{10,}|/api/webhooks/[\w/-]{10,}"
    r"|\bdapi[0-9a-f]{32}\b|\bAIza[\w-]{35}|\bya29\.[\w.-]{20,}"  # Databricks, Google
    r"|\b[srp]k_(?:live|test)_\w{16,}|\bnpm_\w{36}|\bpypi-\w{16,}|\bhf_\w{30,}"
    r"|(?<![\w.-])eyJ[\w-]+\s?\.\s?[\w-]+\s?\.\s?[\w-]*"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
    re.DOTALL,
)
# How each of them begins. Most texts have none, and this is quick to see.
STARTS = re.compile(
    r"AKIA|ASIA|gh[pousr]_|glpat-|xox[abprs]-|hooks\.slack|/api/webhooks/|dapi|AIza|ya29\."
    r"|[srp]k_|npm_|pypi-|hf_|eyJ|-----BEGIN "
)
MOST_GAP = 16  # spaces between a sign and its value
WORDS = (
    r"bearer|basic|token|password|passwd|pwd|passphrase|secret|credentials?"
    r"|(?:api|access|account|private|secret|shared)[ _-]?key|identified by"
)
SIGN = re.compile(
    rf"""=|%3d|:|,|\(|>|(?<!\w)--?(?=[A-Za-z])|\b(?:{WORDS})(?=\s)""",
    re.IGNORECASE,
)
NAME = re.compile(r"[\w.-]*")
GAP = re.compile(rf"[=>\s]{{0,{MOST_GAP}}}")
SPACES = re.compile(rf"\s{{0,{MOST_GAP}}}")
AFTER_WORD = re.compile(rf"\s{{1,{MOST_GAP}}}(?:(?:is|was|of|->)\s{{1,{MOST_GAP}}})?[(\[]?")
SCHEME = re.compile(r"(?:bearer|basic|negotiate|token)\s+", re.IGNORECASE)
OPENING = re.compile(r"""\\{0,3}["'`]""")
WORD_END = re.compile(r"""[\s,;&()<>"']|\\["']""")
WRAPPED = re.compile(r"\r?\n[\w+/=.-]+(?=\r?\n|$)")
OPTION = re.compile(r"--?([A-Za-z][\w.-]{0,127})(\s+)(?=[^\s=:-])")
LOGIN = re.compile(r"(?:-u|--user)\s{1,16}[\w.@-]{1,128}:(?=[^\s:/])")
XML_VALUE = re.compile(r"\s{0,16}<value>\s{0,16}")
LOOKS_SECRET = re.compile(r"(?=.*(?:[0-9]|[a-z][A-Z]|[+/=!$%^~*#]))\S{8,}", re.DOTALL)
# What each rule below needs to be somewhere in a text: most have nothing of it.
HINT = re.compile(
    "pass|pwd|pw|secret|token|credential|key|signature|jaas|pem|auth|sas|sig"
    "|bearer|basic|cookie|identified|-u",
    re.IGNORECASE,
)
Part = tuple[int, int]  # where it begins and ends in the text


def without_tokens(text: str) -> str:
    """A text without what is a token or key by its form."""
    return SHAPES.sub(REDACTED, text) if STARTS.search(text) else text


def in_message(text: str) -> str:
    """A message in which what follows the name of a secret is hidden."""
    if not HINT.search(text):
        return text
    shown: list[str] = []
    done = at = 0
    while (sign := SIGN.search(text, at)) is not None:
        secret = _secret_after(text, sign)
        if secret is None:
            at = sign.end()
            continue
        start, end = secret
        shown += [text[done:start], REDACTED]
        done = at = end
    return "".join([*shown, text[done:]])


def _secret_after(text: str, sign: re.Match[str]) -> Part | None:
    """The secret that a sign is followed by, if it is, without its quotes."""
    mark = sign.group(0).lower()
    if mark.startswith("-"):
        return _of_option(text, sign)
    rule = OF_SIGN.get(mark, _of_word)
    return rule(text, sign.start(), sign.end())


def _value(text: str, start: int) -> Part | None:
    """A value, to its closing quote or the end of its word; None where there is none."""
    if start >= len(text):
        return None
    opening = OPENING.match(text, start)
    quote = opening.group(0) if opening else ""
    return start + len(quote), end_of_value(text, start, quote)


def _of_option(text: str, sign: re.Match[str]) -> Part | None:
    """`--password x`, and `-u ann:x` as curl has it."""
    login = LOGIN.match(text, sign.start())
    if login:
        return _value(text, login.end())
    option = OPTION.match(text, sign.start())
    return _value(text, option.end()) if option and LAST_WORD.search(option[1]) else None


def _of_equals(text: str, start: int, end: int) -> Part | None:
    """`password=x`, `password => x`, `&sig=x`, `conf.account.key.y = x`."""
    name, before = _name_before(text, start)
    is_parameter = before in ("?", "&") or "." in name
    if not (is_named(name) or (is_parameter and is_secret(name))):
        return None
    gap = GAP.match(text, end)
    return _after_sign(text, gap.end() if gap else end)


def _of_colon(text: str, start: int, end: int) -> Part | None:
    """`password: x`, `"token": "x"`, `Authorization: Bearer x`, `API key: x`, `Cookie: x`."""
    name, before = _name_before(text, start)
    if name.lower().endswith("cookie"):
        line = text.find("\n", end)
        return end, len(text) if line < 0 else line
    if before == " " and name.lower() in ("key", "keys"):
        name = f"{_name_before(text, start - len(name) - 1)[0]}_{name}"
    gap = SPACES.match(text, end)
    value = gap.end() if gap else end
    quoted = OPENING.match(text, value) is not None
    named = is_named(name) if quoted else LAST_WORD.search(name)
    return _after_sign(text, value) if named or name.lower().endswith("authorization") else None


def _after_sign(text: str, start: int) -> Part | None:
    if start >= len(text) or text[start] in ",;&)" or text.startswith(("//", ":"), start):
        return None
    scheme = SCHEME.match(text, start)
    return _value(text, scheme.end() if scheme else start)


def _of_comma(text: str, start: int, end: int) -> Part | None:
    """A pair in brackets: `(spark.ssl.keyPassword,x)`, `["api.key", "x"]`."""
    name, before = _name_before(text, start)
    gap = SPACES.match(text, end)
    is_pair = before in ("(", "[") and is_option(name)
    return _value(text, gap.end() if gap else end) if is_pair else None


def _of_tag(text: str, start: int, end: int) -> Part | None:
    """XML: `<password>x</password>`, `<name>api.key</name><value>x</value>`."""
    name, before = _name_before(text, start)
    match = SPACES.match(text, end)
    if before == "/" and name == "name":
        name, _ = _name_before(text, start - len("</name"))
        match = XML_VALUE.match(text, end)
    elif before != "<":
        return None
    if match is None or not is_option(name) or text.startswith("<", match.end()):
        return None
    return _value(text, match.end())


def _of_call(text: str, start: int, end: int) -> Part | None:
    """`setPassword(x)`, if `x` is in quotes or looks like a secret."""
    name, _ = _name_before(text, start)
    value = _value(text, end) if name and LAST_WORD.search(name) else None
    if value is None or SOURCE_LINE.match(text, end, end + 2 * MOST_NAME):
        return None
    is_quoted = value[0] > end
    return value if is_quoted or LOOKS_SECRET.match(text[slice(*value)][:MOST_NAME]) else None


def _of_word(text: str, start: int, end: int) -> Part | None:
    """`the token x has expired`, `Bearer x`, `wrong password (x)`, if `x` looks like a secret."""
    gap = AFTER_WORD.match(text, end)
    value = _value(text, gap.end()) if gap else None
    word = text[slice(*value)][:MOST_NAME] if value else ""
    is_certain = text[start:end].lower() in ("bearer", "basic", "identified by")
    return value if word and (is_certain or LOOKS_SECRET.match(word)) else None


OF_SIGN: dict[str, Callable[[str, int, int], Part | None]] = {
    "=": _of_equals,
    "%3d": _of_equals,
    ":": _of_colon,
    ",": _of_comma,
    ">": _of_tag,
    "(": _of_call,
}


def _name_before(text: str, end: int) -> tuple[str, str]:
    """The name that ends at a place (`password`, `"password"`, `\\"password\\" `).

    And the character before it and its quote, or "".
    """
    text = text[max(0, end - MOST_NAME) : end].rstrip()
    is_quoted = text.endswith(("'", '"', "`"))
    if is_quoted:
        text = text[:-1].rstrip("\\")
    match = NAME.match(text[::-1])
    name = match.group(0)[::-1] if match else ""
    before = text[: len(text) - len(name)]
    if is_quoted:
        before = before.rstrip("'\"`").rstrip("\\")
    return name, before[-1:]


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
    match = WORD_END.search(text, start)
    end = match.start() if match else len(text)
    if end - start >= 16 or text[start:end] == REDACTED:  # its first line may be hidden already
        while (more := WRAPPED.match(text, end)) is not None:
            end = more.end()
    return end
