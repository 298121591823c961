"""`colgraph paths`: the field paths of a schema, in the forms DataHub knows."""

from __future__ import annotations

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import format_option
from airflow_colgraph.exports.datahub.urn import MAX_PATH, FieldUrn, check_length, parse_dataset
from airflow_colgraph.exports.path_forms import find_in, form
from airflow_colgraph.exports.path_forms import paths as paths_of
from airflow_colgraph.exports.schema.file import parse_schema
from airflow_colgraph.exports.schema.model import Schema, fields

FORMATS = ("rfc", "v1", "v2", "v2-hive", "v2-openlineage")


@click.command(
    epilog="Example: colgraph paths --format v2 orders.avsc",
)
@format_option(
    FORMATS,
    "The form of the paths. v2 is Avro's for an Avro schema and Hive's for others.",
    default="rfc",
)
@click.option("--key", is_flag=True, help="The schema is the key of a Kafka topic (v2 only).")
@click.option(
    "--dataset",
    metavar="URN",
    help="Print the URN of each field of this dataset: datasetField for rfc, else schemaField.",
)
@click.option(
    "--find",
    metavar="PATH",
    help="Print only the field that PATH names in any form; exit code 2 if it names several.",
)
@click.argument("schema", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
def paths(format_: str, key: bool, dataset: str | None, find: str | None, schema: str) -> None:
    """Print the field paths of SCHEMA, one a line.

    SCHEMA is a JSON file (or - for standard input) with a Spark schema (df.schema.json()), an
    Avro schema or an OpenLineage schema facet. rfc lists the leaf fields, as DataHub's RFC 1841
    does; v1 and v2 list structs too.
    """
    with click.open_file(schema, "rb") as file:
        text = file.read()
    try:
        for line in _lines(parse_schema(text), format_, key, dataset, find):
            click.echo(line)
    except ValueError as error:  # SchemaError, PathError and UrnError say it in one line
        raise BadInput(f"{'<stdin>' if schema == '-' else schema}: {error}") from None


def _lines(
    schema: Schema, format_: str, key: bool, dataset: str | None, find: str | None
) -> list[str]:
    if key and not format_.startswith("v2"):
        raise BadInput(f"--key applies only to v2 paths, not to {format_}.")
    urn = parse_dataset(dataset) if dataset else None
    if find:
        wanted, write = find_in(find, schema), form(schema, format_, key=key)
        paths = list(dict.fromkeys(write(f) for f in fields(schema) if f.key == wanted))
    else:
        paths = paths_of(schema, format_, key=key)
    if format_ == "rfc":
        for path in paths:
            check_length(path, MAX_PATH, "Field path")
    kind = "datasetField" if format_ == "rfc" else "schemaField"
    return [str(FieldUrn(urn, path, kind)) for path in paths] if urn else paths
