"""Authorization: what a request may do, and what of an answer it may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from sqlalchemy.engine import Connection

from airflow_colgraph.api.request_log import remember
from airflow_colgraph.run_tokens import RunScope
from airflow_colgraph.store.model.grants import NO_LIMITS, Limits, require_namespaces
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.tag_travel import TravelRule
from airflow_colgraph.store.query import job_datasets
from airflow_colgraph.store.query.tag_spread import FieldTag, Step
from airflow_colgraph.store.store import Store

READ, INGEST, TAG, ADMIN = "read", "ingest", "tag", "admin"


@dataclass(frozen=True)
class Access:
    """What a caller may see; `dags` None: everything. `caller` is who was verified, if anyone,
    and `name` how logs call him.

    A None among the `dags` stands for all that has no DAG. With `run` the caller may only send
    this run's events. What is written has to match one of the `namespaces`; None: it may be any.
    """

    dags: frozenset[str | None] | None = None
    caller: str = ""
    run: RunScope | None = None
    name: str = ""
    namespaces: tuple[str, ...] | None = None
    limits: Limits = NO_LIMITS

    def can_read(self, dag_id: str | None) -> bool:
        """Whether the caller may see the DAG's lineage; None: that of jobs without a DAG."""
        return self.dags is None or dag_id in self.dags

    def require_namespaces(self, namespaces: Iterable[str]) -> None:
        """NamespaceRefused, with its name, if the caller may not write one of the namespaces."""
        require_namespaces(self.namespaces, namespaces)

    def require_depth(self, depth: int) -> None:
        """403 if a question goes deeper than the caller may ask."""
        most = self.limits.depth
        if most is not None and depth > most:
            raise HTTPException(403, f"The caller may ask for `depth` {most} at most, not {depth}.")


class NotAllowed(HTTPException):
    """403 for a caller who was verified, and may not do this."""

    def __init__(
        self,
        detail: str,
        caller: str,
        rate: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """`caller` as in `Access`, `rate` as in its limits."""
        super().__init__(403, detail, headers)
        self.caller = caller
        self.rate = rate


# (request, scope) -> Access, or an HTTPException with 401 or 403.
Authorize = Callable[[Request, str], Access]


def everyone(request: Request, scope: str) -> Access:
    """No authentication: for a server on localhost."""
    return Access()


# These are async, as each plain function that a route depends on costs a change of thread.
async def store_of(request: Request) -> Store:
    """The store that the app serves."""
    store: Store = request.app.state.store
    return store


async def _authorized(request: Request, scope: str) -> Access:
    authorize: Authorize = request.app.state.authorize
    if authorize is everyone:
        return everyone(request, scope)
    access: Access = await request.app.state.threads.run(authorize, request, scope)
    remember(request.scope, key=access.name, caller=access.caller)
    return access


async def _reader(request: Request) -> Access:
    return _not_of_one_run(await _authorized(request, READ))


async def _tagger(request: Request) -> Access:
    return _not_of_one_run(await _authorized(request, TAG))


async def _administrator(request: Request) -> Access:
    return _not_of_one_run(await _authorized(request, ADMIN))


async def _rules_of(request: Request) -> Sequence[TravelRule]:
    rules: Sequence[TravelRule] = request.app.state.tag_rules
    return rules


async def _reporter(request: Request) -> Access:
    return await _authorized(request, INGEST)


def _not_of_one_run(access: Access) -> Access:
    if access.run is not None:
        raise NotAllowed("The token allows only the events of one run.", access.caller)
    return access


Reader = Annotated[Access, Depends(_reader)]
Reporter = Annotated[Access, Depends(_reporter)]  # the route has to check the events by `run`
Tagger = Annotated[Access, Depends(_tagger)]
Administrator = Annotated[Access, Depends(_administrator)]
TagRules = Annotated[Sequence[TravelRule], Depends(_rules_of)]  # how the app's tags travel
TheStore = Annotated[Store, Depends(store_of)]


def hidden_jobs(connection: Connection, access: Access) -> frozenset[int | None]:
    """The ids of the jobs that the caller may not see; None is the job of a DatasetEvent."""
    if access.dags is None:
        return frozenset()
    without_job = () if access.can_read(None) else (None,)
    dags = job_datasets.dags_of_jobs(connection)
    return frozenset((*without_job, *(id for id, dag in dags.items() if not access.can_read(dag))))


def visible(graph: Graph, access: Access) -> Graph:
    """The answer without the jobs that the caller may not see; their edges stay, undescribed."""
    if access.dags is None:
        return graph
    return replace(graph, edges=[_visible(edge, access) for edge in graph.edges])


def _visible(edge: Edge, access: Access) -> Edge:
    reports = tuple(s for s in edge.reported_by if access.can_read(s.job.dag_id if s.job else None))
    if reports or not edge.reported_by:
        return edge._replace(reported_by=reports)
    hidden = edge.transformation._replace(subtype="RESTRICTED", description="")
    return edge._replace(reported_by=(), transformation=hidden)


def visible_tag(tag: FieldTag, access: Access) -> FieldTag:
    """The tag without the jobs that the caller may not see; what they did stays, undescribed."""
    if access.dags is None:
        return tag
    job = tag.job if tag.job and access.can_read(tag.job.dag_id) else None
    return tag._replace(job=job, path=tuple(_visible_step(step, access) for step in tag.path))


def _visible_step(step: Step, access: Access) -> Step:
    if step.job is None or access.can_read(step.job.dag_id):
        return step
    hidden = step.transformation._replace(subtype="RESTRICTED", description="")
    return step._replace(job=None, run=None, transformation=hidden)


def require_all(access: Access) -> None:
    """403 unless the caller may see everything: for answers that cannot be cut by DAG."""
    if access.dags is not None:
        raise HTTPException(403, "This needs permission to read every DAG.")
