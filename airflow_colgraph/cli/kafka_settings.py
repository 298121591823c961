"""The properties of Kafka clients: those of a command, and those that its user names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.openlineage.redaction import REDACTED, is_secret

Settings = dict[str, str]

CONSUMER = {
    "auto.offset.reset": "earliest",  # a group that is new reads what is there
    "log_level": "0",  # librdkafka's own lines; its errors are reported as warnings
}
OWN = {
    "enable.auto.commit": "false",  # offsets are committed after the store has committed
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
}
PRODUCER = {"message.max.bytes": "1000000000"}  # the brokers decide
# The syntax of Kafka's own EnvVarConfigProvider and DirectoryConfigProvider.
REFERENCE = re.compile(r"\$\{(?:env:([^:}]+)|directory:([^:}]+):([^:}]+))\}")
NOT_NAMED = "sasl.oauthbearer.config"  # holds secrets, and has no name of one


def user_settings(
    lines: Iterable[str], environment: Mapping[str, str], where: str = "--config"
) -> Settings:
    """The properties in lines of NAME=VALUE; blank lines and comments are left out.

    >>> lines = ["# of the cluster", "sasl.username = etl", "sasl.password=${env:WORD}"]
    >>> user_settings(lines, {"WORD": "a=b"})
    {'sasl.username': 'etl', 'sasl.password': 'a=b'}

    Raises:
        BadInput: A line has no name, the command sets the property itself, or what a value refers
            to is not there.
    """
    settings = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not (name and equals):
            raise BadInput(f"{where}, line {number}: a property of Kafka has the form NAME=VALUE.")
        if name in OWN or name in ("bootstrap.servers", "metadata.broker.list", "group.id"):
            raise BadInput(f"The property {name} cannot be set: the command sets it itself.")
        settings[name] = REFERENCE.sub(partial(_referred, name, environment), value)
    return settings


def _referred(property: str, environment: Mapping[str, str], match: re.Match[str]) -> str:
    """The environment variable or the content of the file that a value refers to."""
    variable, folder, file = match.groups()
    if variable is None:
        return read(Path(folder, file)).rstrip("\r\n")
    if variable not in environment:
        raise BadInput(f"{property}: the environment variable {variable} is not set.")
    return environment[variable]


def read(file: Path) -> str:
    """The text of a file; BadInput if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file} cannot be read: it is not UTF-8.") from None


def consumer_settings(brokers: str, group: str, user: Mapping[str, str]) -> Settings:
    """All properties of a consumer."""
    return {**CONSUMER, **user, **OWN, "bootstrap.servers": brokers, "group.id": group}


def producer_settings(brokers: str, user: Mapping[str, str]) -> Settings:
    """All properties of a producer of refused messages."""
    return {"log_level": "0", **PRODUCER, **user, "bootstrap.servers": brokers}


def shown(text: str, settings: Mapping[str, str]) -> str:
    """A message of librdkafka as one line, without the values of secret properties."""
    for name, value in settings.items():
        if value and (is_secret(name) or name == NOT_NAMED):
            text = text.replace(value, REDACTED)
    return " ".join(text.split())
