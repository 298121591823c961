"""`colgraph export` and `convert`: the store's lineage for other systems, and theirs as events."""

from __future__ import annotations

import json
import sys
from collections import Counter, abc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.cli.errors import BadInput, Failed, print_warning
from airflow_colgraph.cli.store_access import named_store, open_store, store_errors, store_option
from airflow_colgraph.collector.naming.datasets import file_dataset
from airflow_colgraph.exports import unity_catalog
from airflow_colgraph.exports.datahub import rfc1841
from airflow_colgraph.exports.datahub.documents import AspectError
from airflow_colgraph.exports.datahub.lineage_urns import PATHS
from airflow_colgraph.exports.datahub.platform import Mapping, MappingError, parse_mapping
from airflow_colgraph.exports.datahub.proposals import ASPECTS, TAGS
from airflow_colgraph.exports.datahub.tags import tags_of
from airflow_colgraph.exports.export_state import StateError
from airflow_colgraph.exports.exporters import FORMATS
from airflow_colgraph.exports.formats.edge_table import MissingPyarrow
from airflow_colgraph.exports.http_client import SendError
from airflow_colgraph.exports.lineage_model import Lineage
from airflow_colgraph.exports.openlineage_events import FACETS, events
from airflow_colgraph.exports.run_export import Target, WrongUse, check
from airflow_colgraph.exports.run_export import export as run
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.shown_url import shown_url


def _mapping(file: str | None) -> Mapping:
    if file is None:
        return Mapping()
    try:
        return parse_mapping(Path(file).read_bytes())
    except MappingError as error:
        raise BadInput(f"{file}: {error}") from None


MAPPING = click.option(
    "--mapping",
    type=click.Path(exists=True, dir_okay=False),
    help="A JSON file that maps namespaces to platforms, environments and instances.",
)


@click.command(epilog="Example: colgraph export datahub --since now-1d --output lineage.json")
@click.argument("format_", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write; standard output if not given."
)
@click.option("--url", help="Send to this server instead: Marquez, DataHub's GMS, OpenMetadata.")
@click.option(
    "--token",
    envvar="COLGRAPH_EXPORT_TOKEN",
    default="",
    help="The server's bearer token; preferably set COLGRAPH_EXPORT_TOKEN instead.",
)
@click.option(
    "--since",
    metavar="TIME",
    help="Only what changed since TIME: 2026-11-20T10:00Z, seconds or now-7d.",
)
@click.option(
    "--state",
    metavar="FILE",
    help="Only what differs from the last export with this FILE, which is then updated.",
)
@MAPPING
@click.option(
    "--paths", type=click.Choice(PATHS), help="The form of field paths in datahub. [default: v1]"
)
@click.option(
    "--aspect",
    "aspects",
    multiple=True,
    type=click.Choice((*ASPECTS, TAGS)),
    help="Only this aspect of datahub; may be repeated. [default: all but globalTags]",
)
@click.option(
    "--facets",
    type=click.Choice(FACETS),
    help="The form of lineage in openlineage. [default: columnLineage]",
)
@click.option("--indirect", is_flag=True, help="Also INDIRECT edges: filters, joins, conditions.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@store_option
@click.pass_context
def export(context: click.Context, /, format_: str, quiet: bool, **options: Any) -> None:
    """Write the store's lineage as FORMAT, or send it to a server.

    \b
    openlineage    events, one a line; --url http://marquez:5000/api/v1/lineage
    datahub        a file for DataHub's file source; --url http://gms:8080
    datahub-rfc    aspects, fields and relations of DataHub's RFC 1841, one a line
    openmetadata   edges and tags for OpenMetadata, one a line; --url http://openmetadata:8585/api
    mermaid, dot   a graph of the current edges
    csv, parquet   a row for each edge, ended ones included
    """
    target = Target(*(options.pop(name) for name in ("output", "url", "token", "state")))
    with store_errors(), _failures():
        check(format_, target, options)
        if not (target.output or target.url):
            if format_ == "parquet":
                raise WrongUse("parquet is binary: --output FILE is needed.")
            quiet, target = True, replace(target, output=sys.stdout.buffer)
        count = run(open_store(context), format_, target, options, print_warning)
    if not quiet:
        where = f"sent to {shown_url(target.url)}" if target.url else f"written to {target.output}"
        click.echo(f"{count} {FORMATS[format_].unit} {where}")


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except (WrongUse, MappingError, StateError) as error:
        raise BadInput(str(error)) from None
    except (SendError, MissingPyarrow) as error:
        raise Failed(str(error)) from None
    except BrokenPipeError:  # `| head`: click ends quietly
        raise
    except OSError as error:
        raise Failed(f"{error.filename}: {error.strerror}.") from None


def _of_datahub(text: bytes, at: int, mapping: str | None, namespace: str | None) -> Lineage:
    if namespace:
        raise BadInput("--namespace does not apply to datahub-rfc. Expected --mapping FILE.")
    return rfc1841.lineage_of(rfc1841.parse_documents(text), _mapping(mapping), at)


def _tags_of_datahub(text: bytes, at: int, mapping: str | None, namespace: str | None) -> Lineage:
    if namespace:
        raise BadInput("--namespace does not apply to datahub-tags. Expected --mapping FILE.")
    return tags_of(text, _mapping(mapping), at)


def _of_unity(text: bytes, at: int, mapping: str | None, namespace: str | None) -> Lineage:
    if mapping:
        raise BadInput("--mapping does not apply to unity-catalog. Expected --namespace NAME.")
    rows = unity_catalog.parse_rows(text)
    return unity_catalog.lineage_of(rows, file_dataset, namespace or unity_catalog.NAMESPACE)


READERS: dict[str, Callable[[bytes, int, str | None, str | None], Lineage]] = {
    "datahub-rfc": _of_datahub,
    "datahub-tags": _tags_of_datahub,
    "unity-catalog": _of_unity,
}
DBT = "dbt"  # of a folder, not of one file


@click.command(
    epilog="""\b
Examples:
  colgraph convert --from datahub-rfc aspects.json | colgraph ingest -
  colgraph convert --from datahub-tags proposals.json | colgraph ingest -
  colgraph convert --from unity-catalog column_lineage.csv | colgraph ingest -
  colgraph convert --from dbt target --namespace postgres://db:5432 | colgraph ingest -
"""
)
@click.option(
    "--from",
    "from_",
    type=click.Choice([*READERS, DBT]),
    required=True,
    help="The file's format: DatasetUpstreamLineage aspects of DataHub's RFC 1841, tags in "
    "DataHub's metadata change proposals, rows of Unity Catalog's system tables column_lineage "
    "and table_lineage in JSON or CSV, or the target folder of dbt run.",
)
@click.option(
    "--at",
    metavar="TIME",
    default="now",
    show_default=True,
    help="The time of lineage and tags that have none: 2026-11-20T10:00Z, seconds or now-7d.",
)
@MAPPING
@click.option(
    "--namespace",
    metavar="NAME",
    help="The namespace of the tables.  [default: unity-catalog; needed for dbt]",
)
@store_option
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
@click.pass_context
def convert(
    context: click.Context,
    from_: str,
    at: str,
    mapping: str | None,
    namespace: str | None,
    file: str,
) -> None:
    """Print lineage or tags in another system's FILE as OpenLineage events, one a line.

    The events are what `colgraph ingest` and any other OpenLineage consumer read. Namespaces
    that DataHub does not keep, such as hosts, come from --mapping. Columns of tables that a run of
    dbt has read but not built come from --store.
    """
    if from_ == DBT:
        from airflow_colgraph.cli.dbt_target import events_of  # with sqlglot: half a second

        if mapping:
            raise BadInput("--mapping does not apply to dbt. Expected --namespace NAME.")
        left_out: Counter[str] = Counter()
        _print(events_of(Path(file), namespace, named_store(context), left_out), file, left_out)
        return
    if Path(file).is_dir():
        raise BadInput(f"{file} is a folder. Expected a file in the format {from_}.")
    with click.open_file(file, "rb") as stream:
        text = stream.read()
    name = "<stdin>" if file == "-" else file
    with store_errors():
        moment = clock.parse(at)
    try:
        lineage = READERS[from_](text, moment, mapping, namespace)
        _print(events(lineage), name, lineage.left_out)
    except (AspectError, unity_catalog.RowError) as error:
        raise BadInput(f"{name}: {error}") from None


def _print(events: Iterable[dict[str, Any]], file: str, left_out: abc.Mapping[str, int]) -> None:
    """Print the events, then on standard error what they have not of the file."""
    count = 0
    for count, event in enumerate(events, 1):  # noqa: B007
        click.echo(json.dumps(event, ensure_ascii=False))
    for reason, times in left_out.items():
        print_warning(f"{file}: left out: {times} {reason}.")
    if not count:
        raise BadInput(f"{file}: there is no lineage in it, so nothing was converted.")
