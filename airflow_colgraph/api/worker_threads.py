"""Threads and a deadline of the app's own, as it shares Airflow's API server with other apps.

FastAPI runs a route that is a plain function in threads that all apps of the process share. If the
lineage database did not answer, its requests would take all of them.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import wraps
from math import inf
from typing import Any, TypeVar
from urllib.parse import unquote

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.routing import Match
from starlette.types import Scope

from airflow_colgraph.store import interruption
from airflow_colgraph.store.errors import StoreUnavailable

T = TypeVar("T")
THREADS = 40


class WorkerThreads:
    """Runs functions in threads, a limited number at once, each for a limited time."""

    def __init__(self, count: int = THREADS, seconds: float = inf) -> None:
        """At most `count` threads at once, and `seconds` for each function."""
        self._count = count
        self._seconds = seconds
        self._limiter: RunVar[CapacityLimiter] = RunVar(f"colgraph_threads_{id(self)}")
        self._tasks: set[asyncio.Task[Any]] = set()  # else a task may vanish while it runs

    @property
    def active(self) -> int:
        """How many functions run or wait for a thread."""
        return len(self._tasks)

    async def run(self, function: Callable[..., T], *args: Any, times: float = 1) -> T:
        """Call the function in a thread, and return its result.

        Args:
            function: Called with the caller's context variables.
            args: Its arguments.
            times: How many times as long the function may take.

        Raises:
            StoreUnavailable: There was no free thread, or the function took too long. Its
                statements are interrupted, and its thread counts as used until it has ended.
        """
        seconds = self._seconds * times
        call = _Call(self._limiter_of_loop(), function, args)
        task: asyncio.Task[T] = asyncio.create_task(call.run())
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            await asyncio.wait({task}, timeout=None if seconds == inf else seconds)
            if task.done():
                return task.result()
        finally:
            if not task.done():  # the request was cancelled, or its time is over
                call.give_up(task)
        raise StoreUnavailable(f"The lineage store did not answer within {seconds:g} s.")

    def _limiter_of_loop(self) -> CapacityLimiter:
        limiter = self._limiter.get(None)
        if limiter is None:
            limiter = CapacityLimiter(self._count)
            self._limiter.set(limiter)
        return limiter

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # asyncio would log the error of a call that was given up


class _Call:
    """A function that waits for a thread, and then runs in it."""

    def __init__(
        self, limiter: CapacityLimiter, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> None:
        self._limiter, self._function, self._args = limiter, function, args
        self._interruption = interruption.Interruption()
        self._runs = False

    async def run(self) -> Any:
        interruption.CURRENT.set(self._interruption)
        async with self._limiter:
            self._runs = True
            return await to_thread.run_sync(self._function, *self._args, limiter=CapacityLimiter(1))

    def give_up(self, task: asyncio.Task[Any]) -> None:
        """End the wait for a thread, or the function's statements."""
        self._interruption.set()
        if not self._runs:
            task.cancel()


_THREADS: ContextVar[WorkerThreads] = ContextVar("colgraph_threads")


def in_thread(endpoint: Callable[..., Response]) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The route's function as one that runs in the threads of the app that is asked."""

    @wraps(endpoint)
    async def run(**values: Any) -> Response:
        return await _THREADS.get().run(lambda: endpoint(**values))

    run.__signature__ = inspect.signature(endpoint, eval_str=True)  # type: ignore[attr-defined]
    return run


class TextConvertor(PathConvertor):
    """Any text in a path, also with slashes and line breaks."""

    regex = "(?s:.*)"


register_url_convertor("text", TextConvertor())
ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
NOT_IN_NAMES = "\0"  # the store replaces it


class StoreRoute(APIRoute):
    """A route whose function, if it is not async, runs in `app.state.threads`.

    A parameter `:path` may have line breaks, as names may. A slash that is percent-encoded is part
    of a name: it never ends one.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """See APIRoute."""
        text, is_async = path.replace(":path}", ":text}"), inspect.iscoroutinefunction(endpoint)
        super().__init__(text, endpoint if is_async else in_thread(endpoint), **options)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the path is one of this route's, with the parameters in it."""
        raw = (scope.get("raw_path") or b"").decode("latin-1")
        if not ENCODED_SLASH.search(raw) or unquote(raw) != scope["path"]:
            return super().matches(scope)
        path = unquote(ENCODED_SLASH.sub(NOT_IN_NAMES, raw))
        match, child = super().matches({**scope, "path": path})
        for name, value in child.get("path_params", {}).items():
            child["path_params"][name] = value.replace(NOT_IN_NAMES, "/")
        return match, child

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Handle a request, with the app's threads at hand."""
        handle = super().get_route_handler()

        async def handle_in_threads(request: Request) -> Response:
            _THREADS.set(request.app.state.threads)
            return await handle(request)

        return handle_in_threads
