"""What the commands of `colgraph warehouse` share: Spark, its options, and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from airflow_colgraph.cli.errors import BadInput, Failed
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.session import is_running, start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Function = TypeVar("Function", bound=Callable[..., Any])

WIDTH = 24  # columns of a terminal that the name of a step takes

warehouse_option = click.option(
    "--warehouse", "path", required=True, metavar="PATH", help="The warehouse's folder."
)


def spark_options(command: Function) -> Function:
    """Accept Spark's properties, and --quiet."""
    command = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")(command)
    return click.option(
        "--conf",
        "conf",
        multiple=True,
        metavar="NAME=VALUE",
        help="A Spark property, e.g. spark.master=spark://host:7077; may be repeated.",
    )(command)


def moment(option: str, text: str) -> int:
    """The time that an option names, in milliseconds since 1970."""
    try:
        return clock.parse(text)
    except QuestionError as error:
        raise BadInput(f"{option}: {error}") from None


def past(option: str, text: str) -> int:
    """The same, but BadInput for a time that is after now."""
    try:
        return clock.past(option, text)
    except QuestionError as error:
        raise BadInput(str(error)) from None


@contextmanager
def open_spark(conf: tuple[str, ...]) -> Iterator[SparkSession]:
    """Spark for one command; its errors and the warehouse's are one line."""
    properties = dict(pair.partition("=")[::2] for pair in conf)
    wrong = [pair for pair in conf if "=" not in pair]
    if wrong:
        raise BadInput(f"--conf {wrong[0]} has no value. Expected NAME=VALUE.")
    was_running = is_running()
    try:
        session = start(properties)
    except WarehouseError as error:
        raise Failed(str(error)) from None
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    if not was_running:
        session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    except WarehouseError as error:
        raise BadInput(str(error)) from None
    except (PySparkException, Py4JError) as error:
        raise Failed(f"Spark failed: {_first_line(error)}") from None
    finally:
        if not was_running:
            session.stop()


def _first_line(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    text = str(java or error).strip()
    if "Traceback (most recent call last)" not in text:
        return text.partition("\n")[0]
    # Of a task's Python: the exception is the first line after the traceback that is not indented.
    lines = text.partition("Traceback (most recent call last)")[2].splitlines()[1:]
    return next((line for line in lines if line.strip() and line[0] != " "), lines[-1])


def numbered(show: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """Show the name of a step, its number and how many there are, as `show` shows a text."""
    return lambda name, number, all: show(f"{number:>2} of {all}  {name:<{WIDTH}}")
