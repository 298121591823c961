"""What a program's end asks the JVM is waited for no longer than the limit.

Every earlier test had a JVM that answers, or one that refuses connections at once.
"""

import os
import threading
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.clientserver import JavaClient, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayProperty, PythonProxyPool
from py4j.protocol import Py4JNetworkError

from airflow_colgraph.collector.driver import application
from airflow_colgraph.collector.driver.application import Application
from airflow_colgraph.collector.driver.connections import end_before_shutdown
from airflow_colgraph.collector.driver.timed_calls import TimedCalls

LONG = 60.0


@pytest.fixture
def calls() -> TimedCalls:
    started = TimedCalls()
    started.start()
    return started


def test_a_call_is_answered_by_another_thread(calls: TimedCalls) -> None:
    assert calls.call(threading.current_thread, LONG) is calls._thread
    assert calls.call(lambda: calls.call(threading.current_thread, LONG), LONG) is calls._thread
    with pytest.raises(ZeroDivisionError):
        calls.call(lambda: 1 // 0, LONG)


def test_a_call_without_an_answer_is_left_alone_and_the_next_one_waits_for_it(
    calls: TimedCalls,
) -> None:
    ends = threading.Event()
    assert calls.call(ends.wait, 0.01) is None
    assert calls.call(lambda: 1, 0.01) is None
    ends.set()
    assert calls.call(lambda: 2, LONG) == 2


def test_calls_are_direct_before_the_start_and_in_a_fork(
    calls: TimedCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = threading.current_thread()
    assert TimedCalls().call(threading.current_thread, 0.0) is here
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert calls.call(threading.current_thread, 0.0) is here


def test_a_jvm_that_never_answers_does_not_hold_a_drain(
    calls: TimedCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "at_exit", calls)
    ends = threading.Event()
    stuck: Any = SimpleNamespace(context=SimpleNamespace(listenerBus=ends.wait))
    stuck._has_posted_all = lambda seconds: Application._has_posted_all(stuck, seconds)
    assert Application._drained(stuck, 0.01) is False
    ends.set()


def test_our_threads_open_no_connection_after_a_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_get_connection", "shutdown_gateway"):  # put back afterwards
        monkeypatch.setattr(JavaClient, name, getattr(JavaClient, name))
    shared = GatewayProperty(False, PythonProxyPool())
    client = JavaClient(JavaParameters(port=1), PythonParameters(), shared, deque())
    before: list[bool] = []
    end_before_shutdown(lambda: before.append(client.is_connected))
    for _ in range(2):
        with pytest.raises(ConnectionRefusedError):  # by the program's thread
            client.shutdown_gateway()
    assert before == [True]
    errors: list[type[BaseException]] = []

    def ask() -> None:
        try:
            client._get_connection()
        except (Py4JNetworkError, OSError) as error:
            errors.append(type(error))

    for name in ("colgraph-exit", "of the program"):
        thread = threading.Thread(target=ask, name=name)
        thread.start()
        thread.join()
    assert errors == [Py4JNetworkError, ConnectionRefusedError]
