"""`colgraph mcp`: the store's questions as tools for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from airflow_colgraph.cli.errors import BadInput
from airflow_colgraph.cli.options import extra
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp


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
            app = create_app(open_store(context))
        server = tools_over(app, page, allow_tags=allow_tags)
    server.run("stdio")


def tools_over(app: ASGIApp, page: str | None, *, allow_tags: bool = False) -> MCPServer[None]:
    """The MCP server over a REST API; ImportError without the extra."""
    from airflow_colgraph.mcp_server.server import mcp_server

    return mcp_server(app, page, sql_event, allow_tags=allow_tags)


def sql_event(sql: str, dialect: str, columns: dict[str, str], schema: str) -> dict[str, Any]:
    """The event of a SQL text, as `colgraph plan --sql` makes it; ToolError if there is none."""
    from mcp.server.mcpserver.exceptions import ToolError

    from airflow_colgraph.cli import plan_sql
    from airflow_colgraph.sql.parse import statements
    from airflow_colgraph.sql.script import not_parsed

    try:
        called = plan_sql.naming(plan_sql.Database(dialect, "", schema))
        types = plan_sql.tables(columns, called.place, "columns")
    except BadInput as error:
        raise ToolError(error.message) from None
    broken = not_parsed(sql, called.place)
    if broken or not statements(sql, called.place.dialect):
        lines = ", ".join(f"line {line}" for line in broken)
        raise ToolError(f"The text cannot be parsed: {lines or 'there is no statement'}.")
    event, _ = plan_sql.sql_event(sql, called, None, None, types, ("colgraph", "sql"))
    return event
