"""`colgraph mcp`: the store's questions as tools for agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial, wraps
from io import BytesIO
from typing import TYPE_CHECKING, Any

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.event_files import event_in
from airflow_colgraph.cli.options import extra
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.queries import with_tables
from airflow_colgraph.store.store import Store

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp

    from airflow_colgraph.mcp_server.texts import Sql

Json = dict[str, Any]


@click.command()
@click.option("--allow-tags", is_flag=True, help="Also offer a tool that sets and removes tags.")
@click.option(
    "--page",
    metavar="URL",
    help="Where `colgraph serve` serves the page: answers have links to it.",
)
@store_option
@click.pass_context
def mcp(context: click.Context, allow_tags: bool, page: str | None) -> None:
    """Answer an agent's questions about lineage, as an MCP server.

    It uses standard input and output, and agents start it themselves: docs/agents.md has their
    settings. Nothing is changed without --allow-tags. For agents on other machines use `colgraph
    serve --mcp`.

    Example: colgraph mcp --store sqlite:///lineage.db
    """
    with extra("mcp", "MCP"):
        from airflow_colgraph.api.app import create_app

        with store_errors():
            store = open_store(context)
        server = tools_over(create_app(store), page, store, allow_tags=allow_tags)
    server.run("stdio")


def tools_over(
    app: ASGIApp, page: str | None, store: Store | None, *, allow_tags: bool = False
) -> MCPServer[None]:
    """The MCP server over a REST API; ImportError without the extra.

    With the `store`, versions are compared with what holds there, and files are read: that is for
    an agent on this machine only.
    """
    from airflow_colgraph.check.run import in_memory
    from airflow_colgraph.cli import check, plan_sql  # noqa: F401 -- before the first question
    from airflow_colgraph.mcp_server.server import mcp_server
    from airflow_colgraph.mcp_server.texts import TextTools

    in_memory([]).close()  # loads what the first comparison would wait for
    texts = TextTools(_as_tool(sql_event), _as_tool(partial(compared, store)), page)
    return mcp_server(app, page, texts, allow_tags=allow_tags)


def _as_tool(answer: Callable[..., Json]) -> Callable[..., Json]:
    """The function with errors as agents are told them."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(answer)
    def tool(*arguments: Any) -> Json:
        try:
            return answer(*arguments)
        except BadInput as error:
            raise ToolError(error.message) from None

    return tool


def sql_event(text: str, sql: Sql) -> Json:
    """The event of a SQL text, as `colgraph plan --sql` makes it; BadInput if there is none."""
    from airflow_colgraph.cli import plan_sql
    from airflow_colgraph.sql.parse import statements
    from airflow_colgraph.sql.script import not_parsed

    called = plan_sql.naming(plan_sql.Database(sql.dialect, sql.namespace, sql.schema))
    types = plan_sql.tables(sql.columns, called.place, "columns")
    broken = not_parsed(text, called.place)
    if broken or not statements(text, called.place.dialect):
        lines = ", ".join(f"line {line}" for line in broken)
        raise BadInput(f"The text cannot be parsed: {lines or 'there is no statement'}.")
    event, _ = plan_sql.sql_event(text, called, None, None, types, ("colgraph", "sql"))
    return event


def compared(store: Store | None, changed: str, base: str, sql: Sql) -> Json:
    """The report of `colgraph check` on two versions; without a base, on the store's.

    Raises:
        BadInput: A version cannot be used, or there is no store to compare with.
    """
    from airflow_colgraph.check.formats import as_json
    from airflow_colgraph.check.run import in_memory, run
    from airflow_colgraph.cli.check import check_settings

    def events(text: str) -> list[Json]:
        if sql.dialect:
            return [sql_event(text, sql)]
        return events_of(text, files=store is not None)

    new = events(changed)
    with store_errors():
        before = in_memory(events(base)) if base else store
        if before is None:
            raise BadInput("`base` is missing: only `colgraph mcp` compares with the store.")
        report: Json = json.loads(as_json(run(before, new, check_settings(None))))
    return report


def events_of(text: str, *, files: bool) -> list[Json]:
    """The events in a JSON text, or in the file that it names; BadInput if there are none."""
    from airflow_colgraph.cli.event_documents import documents, files_of, read_documents

    if text.lstrip()[:1] in ("{", "["):
        parts = documents(BytesIO(text.encode()))
    elif files and text != "-":
        parts = (part for name in files_of(text) for part in read_documents(name))
    else:
        raise BadInput("Expected OpenLineage events as JSON, or a SQL text and its `dialect`.")
    try:
        events = [event_in(part) for part in parts]
    except ValueError as error:
        raise BadInput(f"These are no events: {error}") from None
    if not events:
        raise BadInput("There are no events, so nothing was compared.")
    return with_tables(events)
