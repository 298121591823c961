"""`colgraph tags`: set and remove tags of fields and datasets, and show where they are."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from airflow_colgraph.check.tag_settings import TagSettings, read
from airflow_colgraph.check.toml_file import SettingsError
from airflow_colgraph.cli.errors import BadInput, print_warning
from airflow_colgraph.cli.options import all_of, login, name_option, namespace_option
from airflow_colgraph.cli.rows import print_rows, row_format
from airflow_colgraph.cli.store_access import (
    open_store,
    planned_option,
    store_errors,
    store_option,
)
from airflow_colgraph.exports.formats.tag_json import set_tag_json, tag_json, tag_lines
from airflow_colgraph.exports.formats.text_tree import field_label
from airflow_colgraph.store.admin.tags import write
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.tag_travel import is_one_of
from airflow_colgraph.store.model.tags import parse_tag
from airflow_colgraph.store.query import tag_spread
from airflow_colgraph.store.query import tags as query
from airflow_colgraph.store.query.lookup import find_dataset, known_field

COLUMNS = ("namespace", "name", "field", "tag", "since", "until", "set", "path")
HISTORY = ("namespace", "name", "field", "tag", "source", "by", "set_at", "ended_at", "ended_by")

_at = click.option("--at", metavar="TIME", help="The tags as of TIME. Default: now.")
config_option = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The rules. Default: colgraph.toml, else [tool.colgraph] in pyproject.toml.",
)


@click.group()
def tags() -> None:
    """Set, remove and show tags of fields and datasets, and where they travelled."""


_change_options = all_of(
    click.argument("tags", metavar="TAG...", nargs=-1, required=True),
    namespace_option,
    name_option,
    click.option(
        "--field",
        "fields",
        multiple=True,
        help="A field; may be repeated. Default: the dataset as a whole.",
    ),
    click.option("--by", metavar="NAME", help="Who changes the tag. Default: the login name."),
    click.option(
        "--source",
        default=query.USER,
        show_default=True,
        help="What assigns such tags: OpenLineage's `source` of a tag.",
    ),
    store_option,
)
"""The options of `add` and `remove`."""


@tags.command()
@_change_options
@click.pass_context
def add(context: click.Context, /, **asked: Any) -> None:
    """Set TAGs, each KEY or KEY=VALUE, on fields, or on a dataset as a whole.

    Example: colgraph tags add pii=email --name /lake/customers --field email
    """
    _change(context, is_set=True, **asked)


@tags.command()
@_change_options
@click.pass_context
def remove(context: click.Context, /, **asked: Any) -> None:
    """Remove TAGs; until when they were set stays known.

    Example: colgraph tags remove pii=email --name /lake/customers --field email
    """
    _change(context, is_set=False, **asked)


def _change(
    context: click.Context,
    *,
    is_set: bool,
    tags: tuple[str, ...],
    namespace: str,
    name: str,
    fields: tuple[str, ...],
    by: str | None,
    source: str,
) -> None:
    with store_errors():
        wanted = [parse_tag(text) for text in tags]
        store = open_store(context)
        with store.connection() as connection:
            changes = query.changes(
                connection,
                (namespace, name),
                fields,
                wanted,
                is_set=is_set,
                at=time.time_ns() // 1_000_000,
                by=login() if by is None else by,
                source=source,
            )
        write(store, changes)
    for change in changes:
        click.echo(f"{'+' if is_set else '-'} {field_label(change.field)}  {change.tag.text}")


def tag_settings(config: Path | None) -> TagSettings:
    """The rules in a file; in one line what is wrong with it."""
    try:
        return read(config)
    except SettingsError as error:
        raise BadInput(str(error)) from None


@tags.command()
@namespace_option
@name_option
@click.option("--field", help="Only the tags of this field, its parts and the whole dataset.")
@_at
@planned_option
@config_option
@row_format
@store_option
@click.pass_context
def show(
    context: click.Context,
    namespace: str,
    name: str,
    field: str | None,
    at: str | None,
    config: Path | None,
    format_: str,
) -> None:
    """Show the tags of a dataset and its fields, and by which path and runs they came.

    Example: colgraph tags show --name /lake/mart --at now-7d
    """
    rules = tag_settings(config).travel
    with store_errors(), open_store(context).connection() as connection:
        dataset = find_dataset(connection, namespace, name)
        node = known_field(connection, dataset, field or "")
        answer = tag_spread.tags_at(connection, dataset, clock.parse_given(at), rules)
    shown = [tag for tag in answer.tags if _is_about(tag.field.field, node.field)]
    nothing = f"No field of {dataset.name} has a tag."
    _print(
        format_, shown, answer.truncated, f"{field_label(node)} has no tag." if field else nothing
    )


def _is_about(name: str, field: str) -> bool:
    """Whether a field's tag is one of the field that is asked for, its parts or what it is in."""
    return (
        not name or not field or f"{name}.".startswith(f"{field}.") or field.startswith(f"{name}.")
    )


@tags.command()
@click.argument("patterns", metavar="TAG...", nargs=-1, required=True)
@_at
@planned_option
@config_option
@row_format
@store_option
@click.pass_context
def find(
    context: click.Context,
    patterns: tuple[str, ...],
    at: str | None,
    config: Path | None,
    format_: str,
) -> None:
    """Show every field and dataset with one of the TAGs: patterns of KEY or KEY=VALUE.

    Example: colgraph tags find 'pii*' --format csv
    """
    rules = tag_settings(config).travel
    with store_errors(), open_store(context).connection() as connection:
        without = query.require_tags(connection, patterns)
        answer = tag_spread.tagged(connection, patterns, clock.parse_given(at), rules)
    _print(format_, answer.tags, answer.truncated, "No field or dataset has such a tag.")
    _warn(without)


@tags.command()
@click.argument("patterns", metavar="[TAG...]", nargs=-1)
@row_format
@store_option
@click.pass_context
def history(context: click.Context, patterns: tuple[str, ...], format_: str) -> None:
    """Show where tags are and were set, by whom, and between which times.

    Example: colgraph tags history 'pii*'
    """
    with store_errors(), open_store(context).connection() as connection:
        without = query.require_tags(connection, patterns)
        every = query.tags_of(connection)
    rows = [
        set_tag_json(set_tag)
        for set_tag in every
        if not patterns or is_one_of(set_tag.tag, patterns)
    ]
    lines = (
        f"{row['namespace']} {row['name']}: {row['field'] or '*'}  {row['tag']}  "
        f"{row['set_at']} to {row['ended_at'] or 'now'}  by {row['by'] or 'events'}"
        for row in rows
    )
    print_rows(format_, HISTORY, rows, lines if rows else ["No tag is or was set."])
    _warn(without)


def _warn(patterns: Iterable[str]) -> None:
    for pattern in patterns:
        print_warning(f"no tag that matches {pattern!r} is or was set.")


def _texts(tag: tag_spread.FieldTag) -> dict[str, Any]:
    """What a cell of CSV shows of the path, and of where the tag is set."""
    _, *path, origin = (line.strip() for line in tag_lines(tag))
    return {"path": path, "set": origin}


def _print(
    format_: str, tags: Iterable[tag_spread.FieldTag], truncated: bool, nothing: str
) -> None:
    tags = list(tags)
    lines = [line for tag in tags for line in tag_lines(tag)]
    rows = [tag_json(tag) for tag in tags]
    if format_ == "csv":
        rows = [{**row, **_texts(tag)} for row, tag in zip(rows, tags, strict=True)]
    print_rows(format_, COLUMNS, rows, lines or [nothing])
    if truncated:
        print_warning("truncated: there are more edges than were followed.")
