"""The properties of Kafka clients: those of a command, and those that its user names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
NOT_NAMED = "sasl.oauthbearer.config"  # holds secrets, and has no name of one


def user_settings(lines: Iterable[str]) -> Settings:
    """The properties in lines of NAME=VALUE; blank lines and comments are left out.

    >>> user_settings(["# of the cluster", "sasl.username = etl", "sasl.password=a=b"])
    {'sasl.username': 'etl', 'sasl.password': 'a=b'}

    Raises:
        BadInput: A line has no name, or the command sets the property itself.
    """
    settings = {}
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not (name and equals):
            raise BadInput("A property of Kafka has the form NAME=VALUE.")
        if name in OWN or name in ("bootstrap.servers", "metadata.broker.list", "group.id"):
            raise BadInput(f"The property {name} cannot be set: the command sets it itself.")
        settings[name] = value
    return settings


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
