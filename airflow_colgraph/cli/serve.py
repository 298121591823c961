"""`colgraph serve`: the REST API (and the page) over the store."""

from __future__ import annotations

import errno
import gc
import ipaddress
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.cli.options import extra
from airflow_colgraph.cli.store_access import open_store, store_errors, store_option
from airflow_colgraph.cli.tags import tag_settings
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.errors import NoStore
from airflow_colgraph.store.migrations import HEAD, revision_of
from airflow_colgraph.store.model.tag_travel import DEFAULT_RULES
from airflow_colgraph.store.store import Store

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp

    from airflow_colgraph.api.access import Authorize
    from airflow_colgraph.api.oidc.login import Login
    from airflow_colgraph.api.worker_threads import WorkerThreads

GRACE = 10  # seconds after SIGTERM, in which requests may end


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def served_names(host: str, more: Iterable[str]) -> Callable[[str], bool] | None:
    """Whether a name in a Host header is the server's; None: it may have any name.

    On a loopback address it has that of this machine and those given: a name of another site that
    leads here is not one of them. On other addresses API keys are asked for.
    """
    names = {name.lower().strip("[]") for name in more}
    if not is_loopback(host):
        return names.__contains__ if names else None
    return lambda name: name in names or is_loopback(name)


def listening(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address; BadInput or Failed, in one line, if it cannot be."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    address = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        address.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        address.bind((host, port))
    except (OSError, UnicodeError) as error:
        address.close()
        why = getattr(error, "strerror", None) or error
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise Failed(f"{where} is in use by another program. Choose another --port.") from None
        raise BadInput(f"The server cannot listen on {where}: {why}.") from None
    return address


def migrated(context: click.Context, deadline: float) -> Store:
    """The store; each wait is limited to the deadline, but not the upgrade of its tables."""
    store = Store(context.obj or default_url(), seconds=deadline)
    with suppress(NoStore):
        if revision_of(store.engine) == HEAD:
            return store
    open_store(context, create=True).close()
    return store


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option("--keys", is_flag=True, help="Require API keys on localhost, too.")
@click.option(
    "--oidc",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Let people log in with OpenID Connect, as a TOML file says; see docs/operating.md. "
    "Then a login or an API key is required on localhost, too.",
)
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A name that the server has for its clients, such as a proxy's; may be given again. "
    "Requests for other names get 421. Default: this machine's own on localhost, else any.",
)
@click.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="The maximum number of requests a minute for each API key, or without keys for each "
    "client address; more get 429. Default: 6000 with API keys, else no limit.",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy whose X-Forwarded-For says which address a request is from; may be given again. "
    "Default: none, whatever a request says.",
)
@click.option(
    "--header-timeout",
    type=click.FloatRange(0, min_open=True),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="The time that a request's headers may take to arrive.",
)
@click.option(
    "--body-timeout",
    type=click.FloatRange(0, min_open=True),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="The time that a request's body may take to arrive.",
)
@click.option(
    "--deadline",
    type=click.FloatRange(0, min_open=True),
    default=5,
    show_default=True,
    metavar="SECONDS",
    help="The time that the store may take to answer; then a request gets 503 and Retry-After.",
)
@click.option(
    "--tag-rules",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="How tags travel: [[tags.rules]] of a TOML file. Default: along DIRECT edges.",
)
@click.option(
    "--audit-reads",
    multiple=True,
    metavar="TAG",
    help="Write to the audit log who reads columns with this tag, a pattern of KEY or KEY=VALUE; "
    "may be given again. Default: none. See `colgraph audit`.",
)
@click.option(
    "--airflow",
    envvar="COLGRAPH_AIRFLOW",
    metavar="URL",
    help="Airflow's URL, for links to task instances. Also: COLGRAPH_AIRFLOW.",
)
@click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Log lines as text, or as JSON, a line each.",
)
@click.option(
    "--log-level",
    type=click.Choice(("debug", "info", "warning", "error")),
    default="warning",
    show_default=True,
    help="From `info` on each request has a line; those that end with 5xx always have.",
)
@click.option(
    "--mcp", is_flag=True, help="Also offer the questions to agents, by MCP at /mcp; see `mcp`."
)
@store_option
@click.pass_context
def serve(
    context: click.Context,
    host: str,
    port: int,
    keys: bool,
    oidc: Path | None,
    allowed_hosts: tuple[str, ...],
    rate: int | None,
    proxies: tuple[str, ...],
    header_timeout: float,
    body_timeout: float,
    deadline: float,
    tag_rules: Path | None,
    audit_reads: tuple[str, ...],
    airflow: str | None,
    log_format: str,
    log_level: str,
    mcp: bool,
) -> None:
    """Serve the store over REST until interrupted.

    On localhost there is no authentication; on any other address every request needs an API key
    (see `colgraph db key add --help`), or with --oidc a login.

    Example: colgraph serve --store sqlite:///lineage.db --port 8765
    """
    with extra("api", "Serving"):
        import uvicorn

        from airflow_colgraph.api.access import everyone
        from airflow_colgraph.api.api_key_auth import require_api_key
        from airflow_colgraph.api.app import create_app
        from airflow_colgraph.api.http_protocol import timed_protocol
        from airflow_colgraph.api.rate_limit import PER_MINUTE, rate_limited
        from airflow_colgraph.api.request_log import configure
        from airflow_colgraph.api.worker_threads import THREADS, WorkerThreads
    configure(log_format, log_level)
    rules = tag_settings(tag_rules).travel if tag_rules else DEFAULT_RULES
    with store_errors():
        store = migrated(context, deadline)
        guarded = keys or oidc is not None or not is_loopback(host)
        authorize = require_api_key(store) if guarded else everyone
        login = _login(oidc, store, authorize) if oidc else None
        authorize = login.authorize if login else authorize
        if guarded or rate:
            authorize = rate_limited(authorize, rate or PER_MINUTE)
        served = served_names(host, allowed_hosts)
        threads = WorkerThreads(THREADS, deadline)
        app = create_app(store, authorize, airflow, served, rules, threads, audit_reads)
        if login:
            login.add_to(app)
        where = store.shown_url
        served_app: ASGIApp = _with_mcp(app, authorize, threads, served) if mcp else app
    # The server's caches are no garbage: scanning them again and again takes longer than answering.
    gc.set_threshold(100_000, 50, 100)
    config = uvicorn.Config(
        served_app,
        http=timed_protocol(header_timeout, body_timeout),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=GRACE,
    )
    with listening(host, port) as address:
        name = f"[{host}]" if ":" in host else host
        logins = "with logins and API keys" if login else "with API keys"
        who = logins if guarded else "without API keys, on localhost only"
        click.echo(
            f"colgraph serves {where} on http://{name}:{address.getsockname()[1]} {who}", err=True
        )
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run([address])


def _login(file: Path, store: Store, keys: Authorize) -> Login:
    """The login with the provider that a file names, beside the keys."""
    with extra("oidc", "--oidc"):
        from airflow_colgraph.api.oidc.login import Login
        from airflow_colgraph.api.oidc.settings import read
    return Login(store, read(file), keys)


def _with_mcp(
    app: FastAPI,
    authorize: Authorize,
    threads: WorkerThreads,
    served: Callable[[str], bool] | None,
) -> ASGIApp:
    """The app with the tools for agents at /mcp, which need the keys of the REST API."""
    from airflow_colgraph.cli.mcp import tools_over

    with extra("mcp", "MCP"):
        from airflow_colgraph.mcp_server.server import WithMcp
    return WithMcp(app, tools_over(app, None, None), authorize, threads, served)
