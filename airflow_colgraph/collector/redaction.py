"""Options and URLs as they can be shown: without secrets. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

REDACTED = "***"

# Parts of an option's name that alone make it a secret, wherever they stand.
SECRET_PARTS = (
    "password|passwd|passphrase|secret|token|credential|apikey|api_key|api-key|accesskey"
    "|access_key|accountkey|privatekey|private_key|sharedkey|signature|jaas|keytab|pem_"
)
SECRET_PART = re.compile(SECRET_PARTS, re.IGNORECASE)
# Words of an option's name that make it a secret: `pwd`, but not `pwdless`.
SECRET_WORDS = {"auth", "authorization", "key", "pass", "pem", "pw", "pwd", "sas", "sig"}
PLAIN_KEYS = {"cluster", "clustering", "distribution", "foreign", "merge", "partition", "primary"}
PLAIN_KEYS |= {"record", "row", "shard", "sort", "unique"}  # partitionKey, sort.key, ...
WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

MOST_LOGIN = 512  # characters of a URL that are searched for a login
URL_END = re.compile(r"""[\s"'<>]""")
AUTHORITY = re.compile(r"""[^/?#\s"'<>]{0,512}""")
ORACLE_LOGIN = re.compile(r"(jdbc:oracle:\w{1,32}:)[^@(\s]{0,512}@", re.IGNORECASE)
HOST = re.compile(r"(?:\[.*\]|[^:]*)(?::[0-9]*)?")
QUERY = re.compile("[?;#]")
PARAMETER = re.compile(r"([?&;,(]\s*)([\w.%-]+)=([^&;,()\s]*)")

SHAPES = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_\w{36,}|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}"  # GitHub, GitLab, Slack
    r"|(?<![\w.-])eyJ[\w-]+\s?\.\s?[\w-]+\s?\.\s?[\w-]*"  # JSON Web Tokens
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*?-----END [A-Z ]*PRIVATE KEY-----|.*)",
    re.DOTALL,
)


def in_text(text: str, *, quoted_only: bool = False) -> str:
    """A message, or with `quoted_only` a SQL text, without the secrets that can be recognised.

    In SQL a name beside an unquoted value is a column: only what is in quotes is a secret, and so
    is each string within a call of HASHES.
    """
    if quoted_only:
        return SHAPES.sub(REDACTED, _in_sql(without_credentials(text)))
    return SHAPES.sub(REDACTED, _in_message(without_credentials(text)))


# All scans below look at each character a bounded number of times, whatever the text: it holds the
# interpreter's lock in the driver.

MOST_NAME = 128  # characters of a name before a sign
SIGN = re.compile(
    r"""=|:|--?(?=[A-Za-z])|\b(?:bearer|basic|token|password|passwd|pwd|secret)(?=\s)""", re.I
)
NAME = re.compile(r"[\w.-]*")
LAST_WORD = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret|token|pwd|(?<![a-z])pass|(?<![a-z])pw"
    r"|(?:api|access|account|private|secret|shared)[_.-]?key)s?$",
    re.IGNORECASE,
)
GAP = re.compile(r"[=>\s]{0,16}")
SCHEME = re.compile(r"(?:bearer|basic|negotiate|token)\s+", re.IGNORECASE)
OPENING = re.compile(r"""\\{0,3}["'`]""")
WORD_END = re.compile(r"""[\s,;&()<>"']|\\["']""")
WRAPPED = re.compile(r"\r?\n[\w+/=.-]+(?=\r?\n|$)")
OPTION = re.compile(r"--?([A-Za-z][\w.-]{0,127})(\s+)(?=[^\s-])")
LOOKS_SECRET = re.compile(r"(?=.*(?:[0-9]|[a-z][A-Z]|[+/=!$%^~*#]))\S{8,}", re.DOTALL)


def _in_message(text: str) -> str:
    shown: list[str] = []
    done = at = 0
    while (sign := SIGN.search(text, at)) is not None:
        start = _value_after(text, sign)
        if start is None:
            at = sign.end()
            continue
        opening = OPENING.match(text, start)
        quote = opening.group(0) if opening else ""
        end = _end_of_value(text, start, quote)
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
        named = _is_named(name) if mark == "=" or quoted else LAST_WORD.search(name)
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
    word = text[inner : _end_of_value(text, inner, "")][:MOST_NAME]
    is_scheme = mark.lower() in ("bearer", "basic")
    return start if word and (is_scheme or LOOKS_SECRET.match(word)) else None


def _name_before(text: str) -> str:
    """The name that a text ends with: `password`, `"password"`, `\\"password\\" `."""
    text = text.rstrip()
    if text.endswith(("'", '"', "`")):
        text = text[:-1].rstrip("\\")
    found = NAME.match(text[::-1])
    return found.group(0)[::-1] if found else ""


def _is_named(name: str) -> bool:
    return bool(SECRET_PART.search(name) or LAST_WORD.search(name))


def _end_of_value(text: str, start: int, quote: str) -> int:
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


HASHES = {
    *("md5", "sha", "sha1", "sha2", "hash", "xxhash64", "crc32", "hmac", "digest", "encrypt"),
    *("aes_encrypt", "aes_decrypt", "try_aes_decrypt", "decrypt", "hashbytes", "hmac_sha256"),
}
SQL_TOKEN = re.compile(r"""['"]|[\w.]+|[()]|<=>|<>|!=|==?|,|\s+|.""", re.DOTALL)
COMPARED = {"=", "==", "<>", "!=", "<=>", "like", "in", "(", ",", "by", "is", "not", "identified"}


def _in_sql(text: str) -> str:
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
            end = _end_of_value(text, found.start(), token)
            content = text[at:end]
            secret = named or (token == "'" and bool(hashed) and hashed[-1])
            shown += [token, REDACTED if secret and content else _in_message(content)]
            shown.append(text[end : end + 1])
            at = end + 1
            if token == '"' and not secret:
                named = _is_named(content[:MOST_NAME])
            continue
        shown.append(token)
        if token == "(":
            hashed.append(word in HASHES or (bool(hashed) and hashed[-1]))
        elif token == ")" and hashed:
            hashed.pop()
        lower = token.lower()
        if not token.isspace():
            word = lower.rpartition(".")[2]
            if lower not in COMPARED:
                named = _is_named(token[-MOST_NAME:]) if len(token) > 1 else False
    return "".join(shown)


STRING_END = re.compile(r'\\.|"', re.DOTALL)
SEALED = re.compile(r"aes_(?:en|de)crypt\(")


def without_keys(text: str) -> str:
    """A JSON text in which no name holds the key of `aes_encrypt(x, 'key')`.

    Spark names a column without an alias after its whole expression, so the key would be part of
    the name wherever the column is read or written.
    """
    if not SEALED.search(text):
        return text
    shown: list[str] = []
    done = 0
    while (start := text.find('"', done)) >= 0:
        end = start + 1
        while (found := STRING_END.search(text, end)) is not None:
            end = found.end()
            if found.group(0) == '"':
                break
        if found is None:
            break
        literal = text[start:end]
        if SEALED.search(literal):
            literal = json.dumps(_unkeyed(json.loads(literal)))
        shown += [text[done:start], literal]
        done = end
    return "".join([*shown, text[done:]])


def _unkeyed(name: str) -> str:
    """`f(aes_encrypt(x, key, GCM))` as `f(aes_encrypt(x, ***))`: a key may hold any character."""
    found = SEALED.search(name)
    if found is None:
        return name
    depth = open_before = name[: found.end()].count("(") - name[: found.end()].count(")")
    for place in range(found.end(), len(name)):
        depth += {"(": 1, ")": -1}.get(name[place], 0)
        if depth == open_before and name[place] == ",":
            return f"{name[:place]}, {REDACTED}{')' * depth}"
        if depth < open_before:
            break
    return f"{name[: found.end()]}{REDACTED}{')' * open_before}"


def without_secrets(options: Mapping[str, str]) -> dict[str, str]:
    """The options with secrets replaced by `***`, and without credentials in their URLs."""
    return {
        name: REDACTED if is_secret(name) else without_credentials(value)
        for name, value in options.items()
    }


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret, as far as a name can say."""
    if SECRET_PART.search(name):
        return True
    words = [word.lower() for word in WORD.findall(name)]
    return any(
        word in SECRET_WORDS and not (word == "key" and before in PLAIN_KEYS)
        for before, word in zip(["", *words], words)
    )


def without_credentials(value: str) -> str:
    """A value in which URLs have no login and no secret parameter."""
    if ":" not in value or not ("//" in value or value.lower().startswith("jdbc:")):
        return value
    value = ORACLE_LOGIN.sub(r"\1@", value)
    value = _without_url_logins(value)
    return PARAMETER.sub(_parameter, value)


def without_login(url: str) -> str:
    """A URL without `user:password@`, before every one of its hosts."""
    start, slashes, rest = url.partition("//")
    if "@" not in rest:
        return url
    end = QUERY.search(rest)
    hosts, query = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    if "@" not in hosts and not _are_hosts(hosts.partition("/")[0]):
        return start + slashes + rest.rpartition("@")[2]  # a password that has a `?` in it
    return start + slashes + without_logins(hosts) + query


def without_userinfo(url: str) -> str:
    """A URL that can be shown: no user, password, query or fragment. A plain path is kept."""
    return QUERY.split(without_login(url))[0] if "//" in url else url


def without_logins(hosts: str) -> str:
    """`user:password@host,user:password@host/path` without the logins."""
    if "@" not in hosts:
        return hosts
    before = hosts.partition("/")[0]
    if "@" not in before and ":" not in before:
        return hosts  # `host/a@b`
    plain = re.sub("(^|,)[^/,]*@", r"\1", hosts)
    if _are_hosts(plain.partition("/")[0]) and "@" not in plain and "@" in hosts.split(",")[0]:
        return plain
    return hosts.rpartition("@")[2]  # a password that has a comma or a slash in it


def _are_hosts(text: str) -> bool:
    return all(HOST.fullmatch(host) for host in text.split(","))


def _without_url_logins(text: str) -> str:
    shown: list[str] = []
    done = at = 0
    while (at := text.find("//", at)) >= 0:
        at += 2
        found = AUTHORITY.match(text, at)
        hosts = found.group(0) if found else ""
        end = at + len(hosts)
        if "@" in hosts:
            is_azure = text[max(0, at - 8) : at].lower().endswith(AZURE)
            # `container@` of an Azure location is an address, and no login has no colon.
            plain = hosts if is_azure and ":" not in hosts else without_logins(hosts)
        elif not _are_hosts(hosts) and (login := _end_of_login(text, at)) > at:
            plain, end = "", login
        else:
            continue
        shown += [text[done:at], plain]
        done = at = end
    return "".join([*shown, text[done:]])


AZURE = ("abfs://", "abfss://", "wasb://", "wasbs://")


def _end_of_login(text: str, start: int) -> int:
    """The end of a login whose password has a slash, a question mark or a space in it, if any."""
    found = URL_END.search(text, start, start + MOST_LOGIN)
    end = found.start() if found else start + MOST_LOGIN
    at = text.rfind("@", start, end)
    if at < 0:
        line = text.find("\n", start, start + MOST_LOGIN)
        at = text.find("@", end, line if line >= 0 else start + MOST_LOGIN)
    return at + 1


def _parameter(found: re.Match[str]) -> str:
    before, name, value = found.groups()
    if is_secret(name) or name.lower() in ("user", "username", "uid"):
        value = REDACTED
    return f"{before}{name}={value}"


MOST_LETTERS = 300  # of a failure's text


def exception_text(error: BaseException) -> str:
    """An exception's class and message without secrets; of a Java one its first line, too."""
    lines = [line.strip() for line in str(error).splitlines()[:2]]
    text = re.sub(r"\bo[0-9]+\b", "an object", " ".join(lines))  # py4j's names of objects
    return f"{type(error).__name__}: {in_text(text)}"[:MOST_LETTERS].rstrip(": ")
