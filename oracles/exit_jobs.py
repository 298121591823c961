"""The programs whose ends `oracles.exits` compares: `python exit_jobs.py WAY FOLDER`.

Each writes twice, so that listeners have been called, prints a line, and ends in its own way.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def shutdown(spark: SparkSession) -> None:
    """Shut the gateway down."""
    gateway(spark).shutdown()
    sys.exit(3)


def shutdown_twice(spark: SparkSession) -> None:
    """Shut the gateway down after the context was stopped, and once more."""
    ended = gateway(spark)
    spark.stop()
    ended.shutdown()
    ended.shutdown()
    sys.exit(3)


def shutdown_callbacks(spark: SparkSession) -> None:
    """Shut only the server down that the JVM calls."""
    gateway(spark).shutdown_callback_server()
    sys.exit(3)


def close(spark: SparkSession) -> None:
    """Close all connections, which py4j would open again."""
    gateway(spark).close(keep_callback_server=True, close_callback_server_connections=True)
    sys.exit(3)


def close_and_write(spark: SparkSession) -> None:
    """Close all connections and go on."""
    gateway(spark).close(keep_callback_server=True, close_callback_server_connections=True)
    write(spark, 2)
    sys.exit(3)


def close_all_and_write(spark: SparkSession) -> None:
    """Close all connections and the server that the JVM calls, and go on."""
    gateway(spark).close()
    write(spark, 2)
    sys.exit(3)


def shutdown_while_writing(spark: SparkSession) -> None:
    """Shut the gateway down while another thread writes."""
    writer = threading.Thread(target=write_on, args=(spark,), daemon=True)
    writer.start()
    gateway(spark).shutdown()
    sys.exit(3)


def shutdown_in_batch(spark: SparkSession) -> None:
    """Shut the gateway down in the function of a stream's batch."""
    ended = threading.Event()

    def each(batch: DataFrame, number: int) -> None:
        gateway(spark).shutdown()
        ended.set()

    stream = spark.readStream.format("rate").load().writeStream.foreachBatch(each)
    stream.start()
    ended.wait()
    sys.exit(3)


def shutdown_in_hook(spark: SparkSession) -> None:
    """Shut the gateway down in an exit hook, which runs before the collector's."""
    atexit.register(gateway(spark).shutdown)
    sys.exit(3)


def shutdown_in_first_hook(spark: SparkSession) -> None:
    """Shut the gateway down in an exit hook that was there first: it runs after the collector's."""
    FIRST.append(gateway(spark).shutdown)
    sys.exit(3)


def deaf(spark: SparkSession) -> None:
    """Let all new connections reach someone who accepts them and never answers."""
    client = gateway(spark)._gateway_client
    HELD.append(socket.create_server(("127.0.0.1", 0)))
    client.java_parameters.port = HELD[0].getsockname()[1]
    gateway(spark).close(keep_callback_server=True, close_callback_server_connections=True)
    sys.exit(3)


def stop(spark: SparkSession) -> None:
    """Stop the context."""
    spark.stop()
    sys.exit(3)


def stop_in_hook(spark: SparkSession) -> None:
    """Stop the context in an exit hook."""
    atexit.register(spark.stop)
    sys.exit(3)


def exit_in_thread(spark: SparkSession) -> None:
    """Call sys.exit in a thread, then return."""
    other = threading.Thread(target=sys.exit, args=(3,))
    other.start()
    other.join()


def thread_that_goes_on(spark: SparkSession) -> None:
    """Leave a thread behind that writes, then shuts the gateway down."""

    def late() -> None:
        write(spark, 2)
        gateway(spark).shutdown()

    threading.Thread(target=late).start()
    sys.exit(3)


def hard_exit(spark: SparkSession) -> None:
    """Leave the process without a word."""
    os._exit(3)


def killed(spark: SparkSession) -> None:
    """End by SIGTERM."""
    os.kill(os.getpid(), signal.SIGTERM)


def interrupted(spark: SparkSession) -> None:
    """End by Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


def raised(spark: SparkSession) -> None:
    """End by an exception."""
    raise ValueError("half-way")


def forgotten(spark: SparkSession) -> None:
    """Forget the session, and let Python look for what nobody holds."""
    del spark
    gc.collect()
    sys.exit(3)


HELD: list[socket.socket] = []
FIRST: list[Callable[[], None]] = []  # hooks run in the reverse order of their registration
WAYS: dict[str, Callable[[SparkSession], None]] = {
    way.__name__: way
    for way in (
        shutdown,
        shutdown_twice,
        shutdown_callbacks,
        close,
        close_and_write,
        close_all_and_write,
        shutdown_while_writing,
        shutdown_in_batch,
        shutdown_in_hook,
        shutdown_in_first_hook,
        deaf,
        stop,
        stop_in_hook,
        exit_in_thread,
        thread_that_goes_on,
        hard_exit,
        killed,
        interrupted,
        raised,
        forgotten,
    )
}


def gateway(spark: SparkSession) -> Any:
    """The gateway of a session's context."""
    return spark.sparkContext._gateway  # type: ignore[attr-defined]


def write(spark: SparkSession, number: int) -> None:
    """Write a few rows."""
    spark.range(0, 3, 1, 1).write.mode("overwrite").csv(f"{sys.argv[2]}/out{number}")


def write_on(spark: SparkSession) -> None:
    """Write until the gateway has gone."""
    try:
        for number in range(1000):
            write(spark, number)
    except Exception:  # noqa: BLE001 - the gateway has gone
        return


if __name__ == "__main__":
    atexit.register(lambda: [hook() for hook in FIRST])
    session = SparkSession.builder.getOrCreate()
    write(session, 0)
    write(session, 1)
    print("ends", flush=True)
    WAYS[sys.argv[1]](session)
