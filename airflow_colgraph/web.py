"""The REST API and the page inside Airflow's API server, under Airflow's permissions."""

from __future__ import annotations

from typing import Any

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagDetails
from airflow.api_fastapi.core_api.security import get_user
from airflow.models.dag import DagModel
from airflow.utils.session import create_session
from anyio import from_thread
from fastapi import FastAPI, Request
from fastapi.security import HTTPAuthorizationCredentials
from sqlalchemy import select

from airflow_colgraph import conf as options
from airflow_colgraph.api.access import READ, Access, NotAllowed
from airflow_colgraph.api.app import create_app
from airflow_colgraph.api.rate_limit import rate_limited
from airflow_colgraph.api.worker_threads import WorkerThreads
from airflow_colgraph.store.default_url import default_url
from airflow_colgraph.store.store import Store
from airflow_colgraph.version_compat import conf
from airflow_colgraph.views import base_path, store_url

NO_DAG = "no DAG"  # never a DAG's id, as these have no space: who may read it may read any DAG
THREADS = 8  # the process is Airflow's: its own requests have the most of it

# Routes whose answers are filtered by DAG, besides CDAP's; the others need `colgraph serve`.
ROUTES = {
    "columns",
    "dataset-tags",
    "copies",
    "dataset-summaries",
    "datasets",
    "diff",
    "downstream",
    "fields",
    "gaps",
    "graph",
    "history",
    "impact",
    "jobs",
    "latest-runs",
    "operations",
    "expressions",
    "outputs",
    "overview",
    "paths",
    "properties",
    "runs",
    "sizes",
    "statistics",
    "tagged",
    "tasks",
    "unused",
    "upstream",
    "why",
    "writes",
}


def authorize(request: Request, scope: str) -> Access:
    """The lineage of the DAGs that the Airflow user may read.

    Authentication is Airflow's own, by cookie or token; 401 without. A job of a DAG that Airflow
    does not know (any more) is hidden; one without a DAG is, but for those who may read any DAG.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    credentials = HTTPAuthorizationCredentials(scheme=kind, credentials=token) if token else None
    user = from_thread.run(get_user, request, None, credentials)
    caller = str(user.get_id() or "")  # none: FAB's public role, without a login
    if scope != READ:
        raise NotAllowed("Nothing is written here: use the store's own URL.", caller)
    if not _is_filtered(request):
        raise NotAllowed("This is not available in Airflow; use `colgraph serve`.", caller)
    dags: set[str | None] = set(get_auth_manager().get_authorized_dag_ids(user=user, method="GET"))
    return Access(frozenset(dags | {None} if reads_any_dag(user, dags) else dags), caller)


def reads_any_dag(user: Any, dags: set[str | None]) -> bool:
    """Whether a user who may read these DAGs may read all that there are, and any other one.

    The auth manager is asked for a DAG that does not exist, in each team where there are teams: a
    role for certain DAGs does not allow it.
    """
    every, teams = dags_and_teams()
    manager = get_auth_manager()
    wanted = [DagDetails(id=NO_DAG), *(DagDetails(id=NO_DAG, team_name=team) for team in teams)]
    return every <= dags and all(
        manager.is_authorized_dag(method="GET", details=details, user=user) for details in wanted
    )


def dags_and_teams() -> tuple[set[str | None], set[str]]:
    """The DAGs that Airflow knows, and the teams if it has any."""
    teams = set()
    with create_session() as session:
        if conf.getboolean("core", "multi_team", fallback=False):
            from airflow.models.team import Team

            teams = Team.get_all_team_names(session=session)
        return set(session.scalars(select(DagModel.dag_id))), teams


def _is_filtered(request: Request) -> bool:
    path = str(getattr(request.scope.get("route"), "path", ""))
    return path.startswith("/v3/") or (path.startswith("/api/v1/") and path.split("/")[3] in ROUTES)


def app() -> FastAPI:
    """The app over the configured store, which the first request opens."""
    seconds = options.deadline_seconds()
    store = Store(store_url() or default_url(), seconds=seconds, prepare_on_use=True)
    threads = WorkerThreads(THREADS, seconds)
    tags = options.audit_reads()
    who = rate_limited(authorize)
    return create_app(store, who, base_path(), threads=threads, audit_reads=tags)
