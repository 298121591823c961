"""Which names stand for a secret. Pure."""

from __future__ import annotations

import re

REDACTED = "***"
MOST_NAME = 128  # characters of a name beside a sign
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
LAST_WORD = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret|token|pwd|(?<![a-z])pass|(?<![a-z])pw"
    r"|(?:api|access|account|private|secret|shared)[_.-]?key)s?$",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret, as far as a name can say."""
    if SECRET_PART.search(name):
        return True
    words = [word.lower() for word in WORD.findall(name)]
    return any(
        word in SECRET_WORDS and not (word == "key" and before in PLAIN_KEYS)
        for before, word in zip(["", *words], words)
    )


def is_named(name: str) -> bool:
    """Whether what stands beside this name in a text is a secret, in quotes or after `=`."""
    return bool(SECRET_PART.search(name) or LAST_WORD.search(name))


OPTION = re.compile(r"(?:\$\.)?[\w.-]{2,128}")


def is_option(text: str) -> bool:
    """Whether a text is the name of an option that holds a secret: `api.key`, and not `key`."""
    if not OPTION.fullmatch(text):
        return False
    return is_named(text) or (is_secret(text) and len(WORD.findall(text)) > 1)


HASH = re.compile(
    r"(?:^|_)(?:md5|sha[0-9]*|crc32|hmac)(?:$|_)|hash|digest|crypt", re.IGNORECASE
)  # `crypt` is in encrypt, decrypt and pgcrypto's own


def is_hash(name: str) -> bool:
    """Whether a function hashes or encrypts, so that a constant given to it is a salt or a key."""
    return HASH.search(name[:MOST_NAME]) is not None
