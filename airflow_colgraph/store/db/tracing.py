"""Spans of OpenTelemetry for the statements of the store, where a process exports traces.

Source: OpenTelemetry's semantic conventions for database client spans.
"""

from __future__ import annotations

import sys
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.engine.interfaces import ExceptionContext

_SPAN = "colgraph_span"  # of the running statement, in its connection's `info`


def trace_statements(engine: Engine) -> None:
    """Give each statement of the engine a span, if the process has loaded OpenTelemetry's SDK."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return
    from opentelemetry import trace

    tracer = trace.get_tracer("airflow_colgraph")
    system = engine.dialect.name

    def begin(connection: Any, _: Any, statement: str, *__: Any) -> None:
        operation = statement.split(None, 1)[0].upper()
        attributes = {"db.system.name": system, "db.query.text": statement}
        span = tracer.start_span(operation, kind=trace.SpanKind.CLIENT, attributes=attributes)
        connection.info[_SPAN] = span

    def end(connection: Any, *_: Any) -> None:
        connection.info.pop(_SPAN).end()

    def fail(context: ExceptionContext) -> None:
        span = context.connection.info.pop(_SPAN, None) if context.connection else None
        if span is not None:
            span.set_status(trace.StatusCode.ERROR, type(context.original_exception).__name__)
            span.end()

    event.listen(engine, "before_cursor_execute", begin)
    event.listen(engine, "after_cursor_execute", end)
    event.listen(engine, "handle_error", fail)
