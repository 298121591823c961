"""The exporters by format: each writes a file, some send documents to a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from sqlalchemy.engine import Connection

from airflow_colgraph.exports import openlineage_events, openmetadata, openmetadata_tags
from airflow_colgraph.exports.datahub import proposals, rfc1841
from airflow_colgraph.exports.datahub.platform import Mapping
from airflow_colgraph.exports.export_state import State, fresh, known, learn
from airflow_colgraph.exports.formats import edge_table
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS
from airflow_colgraph.exports.http_client import check_url, send
from airflow_colgraph.exports.openmetadata_server import to_openmetadata
from airflow_colgraph.exports.store_reader import lineage, set_tags, tag_keys, tags
from airflow_colgraph.store.query.gone_columns import with_gone_columns
from airflow_colgraph.store.query.stored_edges import as_graph
from airflow_colgraph.store.query.stored_edges import edges as stored_edges

Json = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """The options of an export.

    `since` is in milliseconds; `warn` is called with what is left out; `state` is what was exported
    before, and is updated with what is exported now.
    """

    since: int | None = None
    mapping: Mapping = field(default_factory=Mapping)
    paths: str = "v1"
    indirect: bool = False
    facets: str = "columnLineage"
    aspects: tuple[str, ...] = proposals.ASPECTS
    warn: Callable[[str], None] = lambda text: None
    state: State | None = None


Documents = Callable[[Connection, Options], Iterator[Json]]
Write = Callable[[Connection, Options, BinaryIO], int]
Warn = Callable[[str], None]
Send = Callable[[Json], bool]  # whether the server took the document


def _openlineage(connection: Connection, options: Options) -> Iterator[Json]:
    tagged = set_tags(connection, options.since)
    exported = replace(lineage(connection, options.since), tagged=tagged)
    return openlineage_events.events(exported, options.facets)


def _datahub(connection: Connection, options: Options) -> Iterator[Json]:
    return proposals.proposals(
        replace(lineage(connection, options.since), tags=tags(connection)),
        options.mapping,
        paths=options.paths,
        indirect=options.indirect,
        aspects=options.aspects,
        warn=options.warn,
    )


def _datahub_rfc(connection: Connection, options: Options) -> Iterator[Json]:
    exported = lineage(connection, options.since)
    mapping, indirect = options.mapping, options.indirect
    return rfc1841.documents(exported, mapping, indirect=indirect, warn=options.warn)


def _openmetadata(connection: Connection, options: Options) -> Iterator[Json]:
    changed = lineage(connection, options.since)
    yield from openmetadata.edges(changed, options.mapping, indirect=options.indirect)
    keys = tag_keys(connection)
    if keys:  # a tag may have travelled to, or have gone from, what has not changed
        every = lineage(connection) if options.since else changed
        every = replace(every, tags=tags(connection))
        yield from openmetadata_tags.documents(every, options.mapping, keys)


DOCUMENTS: dict[str, Documents] = {
    "openlineage": _openlineage,
    "datahub": _datahub,
    "datahub-rfc": _datahub_rfc,
    "openmetadata": _openmetadata,
}


def _lines(documents: Documents) -> Write:
    """A writer of one document a line."""

    def write(connection: Connection, options: Options, file: BinaryIO) -> int:
        count = 0
        for count, document in enumerate(fresh(documents(connection, options), options.state), 1):  # noqa: B007
            file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
        return count

    return write


def _list(documents: Documents) -> Write:
    """A writer of one JSON list, which DataHub's file source reads."""

    def write(connection: Connection, options: Options, file: BinaryIO) -> int:
        count = 0
        for count, document in enumerate(fresh(documents(connection, options), options.state), 1):
            file.write(b"[\n" if count == 1 else b",\n")
            file.write(json.dumps(document, ensure_ascii=False).encode())
        file.write(b"\n]\n" if count else b"[]\n")
        return count

    return write


def _graph(format_: str) -> Write:
    """A writer of all edges as one graph."""

    def write(connection: Connection, options: Options, file: BinaryIO) -> int:
        held = stored_edges(connection, options.since, current=True)
        graph = with_gone_columns(connection, as_graph(held, indirect=options.indirect))
        file.write(GRAPH_FORMATS[format_].render(graph).encode())
        return len(graph.edges)

    return write


def _csv(connection: Connection, options: Options, file: BinaryIO) -> int:
    count = -1  # the heading
    for count, line in enumerate(edge_table.to_csv(stored_edges(connection, options.since))):  # noqa: B007
        file.write(line.encode())
    return count


def _parquet(connection: Connection, options: Options, file: BinaryIO) -> int:
    return edge_table.to_parquet(stored_edges(connection, options.since), file)


@dataclass(frozen=True)
class Exporter:
    """An export format.

    Attributes:
        write: `write(connection, options, file)` writes the store's current lineage to a binary
            file, text as UTF-8, and returns how many units it wrote. It raises `StoreError` if the
            database fails.
        unit: The name of a unit in the plural, e.g. `events`.
        options: The names of the options that the format accepts, as `colgraph export` has them.
    """

    write: Write
    unit: str
    options: frozenset[str]


def _exporter(write: Write, unit: str, *options: str) -> Exporter:
    return Exporter(write, unit, frozenset({"since", *options}))


FORMATS: dict[str, Exporter] = {
    "openlineage": _exporter(_lines(_openlineage), "events", "state", "facets", "url"),
    "datahub": _exporter(
        _list(_datahub), "aspects", "state", "mapping", "paths", "indirect", "aspects", "url"
    ),
    "datahub-rfc": _exporter(_lines(_datahub_rfc), "documents", "state", "mapping", "indirect"),
    "openmetadata": _exporter(
        _lines(_openmetadata), "documents", "state", "mapping", "indirect", "url"
    ),
    "mermaid": _exporter(_graph("mermaid"), "edges", "indirect"),
    "dot": _exporter(_graph("dot"), "edges", "indirect"),
    "csv": _exporter(_csv, "edges"),
    "parquet": _exporter(_parquet, "edges"),
}  # fmt: skip


def _to_openlineage(url: str, token: str, _: Warn) -> Send:
    def post(event: Json) -> bool:
        send("POST", url, event, token=token)
        return True

    return post


def _to_datahub(url: str, token: str, _: Warn) -> Send:
    """Proposals to a GMS, each taken before the next is sent."""

    def post(proposal: Json) -> bool:
        value = json.dumps(proposal["aspect"]["json"])
        aspect = {"contentType": "application/json", "value": value}
        body = {"proposal": {**proposal, "aspect": aspect}, "async": "false"}
        headers = {"X-RestLi-Protocol-Version": "2.0.0"}
        send("POST", f"{url}/aspects?action=ingestProposal", body, token=token, headers=headers)
        return True

    return post


SENDERS: dict[str, Callable[[str, str, Warn], Send]] = {
    "openlineage": _to_openlineage,
    "datahub": _to_datahub,
    "openmetadata": to_openmetadata,
}


def send_all(connection: Connection, name: str, options: Options, url: str, token: str = "") -> int:
    """Send every document of a format to a server.

    Args:
        connection: A connection to the store, e.g. of `Store.connection()`.
        name: A format of SENDERS: `openlineage`, `datahub` or `openmetadata`.
        options: What is exported, and how. `options.state` learns each document that was taken, so
            an interrupted export continues where it stopped.
        url: The server's URL. For OpenLineage that of its endpoint (`POST`, one event a request);
            for DataHub that of the GMS (MetadataChangeProposals to `/aspects`);
            for OpenMetadata that of its API (`PUT /v1/lineage`, `PATCH /v1/tables/{id}`).
        token: The bearer token.

    Returns:
        The number of documents that the server took.

    Raises:
        SendError: The URL is invalid, or the server refused a document or cannot be reached.
        KeyError: There is no such format.
    """
    deliver, count = SENDERS[name](check_url(url), token, options.warn), 0
    for document in DOCUMENTS[name](connection, options):
        if not known(document, options.state) and deliver(document):
            learn(document, options.state)
            count += 1
    return count
