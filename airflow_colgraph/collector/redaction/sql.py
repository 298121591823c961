"""SQL texts without the secrets in their literals. Pure."""

from __future__ import annotations

import re

from airflow_colgraph.collector.redaction.messages import MOST_NAME, end_of_value, in_message
from airflow_colgraph.collector.redaction.names import REDACTED, is_named

HASH = re.compile(
    r"(?:^|_)(?:md5|sha[0-9]*|crc32|hmac)(?:$|_)|hash|digest|encrypt|decrypt", re.IGNORECASE
)


def is_hash(name: str) -> bool:
    """Whether a function hashes or encrypts, so that a constant given to it is a salt or a key."""
    return HASH.search(name[:MOST_NAME]) is not None


SQL_TOKEN = re.compile(r"""['"]|[\w.]+|[()]|<=>|<>|!=|==?|,|\s+|.""", re.DOTALL)
COMPARED = {"=", "==", "<>", "!=", "<=>", "like", "in", "(", ",", "by", "is", "not", "identified"}


def in_sql(text: str) -> str:
    """SQL in which literals beside a secret's name, or within a call of a hash, are hidden."""
    shown: list[str] = []
    named = False  # whether the last name was a secret's
    hashed: list[bool] = []  # for each open bracket, whether it is a hash function's or within one
    word = ""
    at = 0
    while at < len(text):
        found = SQL_TOKEN.match(text, at)
        assert found is not None, "the pattern's last part is any character"
        token = found.group(0)
        at = found.end()
        if token in ("'", '"'):
            end = end_of_value(text, found.start(), token)
            content = text[at:end]
            secret = named or (token == "'" and bool(hashed) and hashed[-1])
            shown += [token, REDACTED if secret and content else in_message(content)]
            shown.append(text[end : end + 1])
            at = end + 1
            if token == '"' and not secret:
                named = is_named(content[:MOST_NAME])
            continue
        shown.append(token)
        if token == "(":
            hashed.append(is_hash(word) or (bool(hashed) and hashed[-1]))
        elif token == ")" and hashed:
            hashed.pop()
        lower = token.lower()
        if not token.isspace():
            word = lower.rpartition(".")[2]
            if lower not in COMPARED:
                named = is_named(token[-MOST_NAME:]) if len(token) > 1 else False
    return "".join(shown)
