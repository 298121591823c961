"""The one line that an application prints when something is wrong with its lineage."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from contextlib import suppress

from airflow_colgraph.collector.driver.timed_calls import at_exit
from airflow_colgraph.openlineage.redaction import in_text

PRINT_SECONDS = 1.0

log = logging.getLogger(__name__)

OFF = "colgraph: lineage is off for this application"

_warned_in = 0  # the process that has warned


def warn_once(why: str) -> None:
    """Say that there is no lineage from now on, and why."""
    say_once(f"{OFF}: {why}")


def warn(text: str) -> None:
    """Say what is wrong with a query's lineage; the traceback of an exception goes to debug."""
    log.debug("%s", text, exc_info=True)
    if log.isEnabledFor(logging.DEBUG):
        traceback.print_exc()
    first = (text.splitlines() or [""])[0]
    say_once(f"colgraph: {first}")


def warn_off(error: BaseException) -> None:
    """Say that there is no lineage from now on, because of an exception."""
    text = (str(error).splitlines() or [""])[0]
    warn_once(f"{type(error).__name__}: {text}")


def say_once(text: str) -> None:
    """Say it in one line on the job's standard error; nothing more in this process."""
    global _warned_in
    if _warned_in == os.getpid():
        return
    _warned_in = os.getpid()
    say(text)


def say(text: str) -> None:
    """Say it in one line on the job's standard error, whatever else was said."""
    line = in_text(" ".join(text.split()))
    if not _by_the_jvm(line) and sys.stderr is not None:
        sys.stderr.write(line + "\n")


def _by_the_jvm(line: str) -> bool:
    """Print it where spark-submit's own messages go.

    spark-submit sends both streams of a Python driver to its standard output, which is the job's.
    """
    context = sys.modules.get("pyspark.core.context") or sys.modules.get("pyspark.context")
    if "PYSPARK_GATEWAY_PORT" not in os.environ or context is None:
        return False
    jvm = context.SparkContext._jvm
    if jvm is None:
        return False
    from py4j.protocol import Py4JError

    with suppress(Py4JError, OSError):  # with the JVM, the job's standard error is gone
        at_exit.call(lambda: jvm.java.lang.System.err.println(line), PRINT_SECONDS)
    return True
