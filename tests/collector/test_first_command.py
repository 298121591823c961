"""The moment before a program asks the JVM for anything; with Spark: tests/spark/test_submit.py."""

import gc
import os
import threading
import weakref
from collections.abc import Callable

import pytest
from py4j.clientserver import JavaClient
from py4j.java_gateway import GatewayClient

from airflow_colgraph.collector.driver.first_command import FirstCommand

COMMAND, DETACH = "c\no1\nrange\ne\n", "m\nd\no1\ne\n"


class Client:
    """A client of py4j's that notes what is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send_command(self, command: str, retry: bool = True, binary: bool = False) -> str:
        self.sent.append(command)
        return f"answer to {command}"


@pytest.fixture
def client() -> Client:
    return Client()


def sending(client: Client, what: str) -> Callable[[], None]:
    return lambda: client.send_command(what) and None


def made(client: Client, what: str) -> FirstCommand:
    """One that sends a command of its own."""
    first = FirstCommand(client)
    first.add(sending(client, what))
    return first


@pytest.mark.parametrize("kind", [GatewayClient, JavaClient])
def test_clients_of_py4j_have_the_method(kind: type) -> None:
    assert callable(kind.send_command)


def test_it_comes_before_the_first_command_and_once(client: Client) -> None:
    first = made(client, "ours")
    assert client.send_command(COMMAND, retry=False) == f"answer to {COMMAND}"
    client.send_command(COMMAND)
    assert client.sent == ["ours", COMMAND, COMMAND]
    assert client.send_command != first._command


def test_objects_that_are_given_back_and_our_own_threads_do_not_count(client: Client) -> None:
    made(client, "ours")
    client.send_command(DETACH)
    worker = threading.Thread(target=sending(client, "worker"), name="colgraph-sink")
    worker.start()
    worker.join()
    assert client.sent == [DETACH, "worker"]
    program = threading.Thread(target=sending(client, COMMAND))
    program.start()
    program.join()
    assert client.sent == [DETACH, "worker", "ours", COMMAND]


def test_what_is_cancelled_does_not_come(client: Client) -> None:
    first = made(client, "ours")
    first.cancel()
    client.send_command(COMMAND)
    assert client.sent == [COMMAND]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_several_come_all_and_may_be_cancelled_in_any_order(
    client: Client, order: tuple[int, int]
) -> None:
    firsts = [made(client, name) for name in "ab"]
    firsts[order[0]].cancel()
    client.send_command(COMMAND)
    assert client.sent == ["ab"[order[1]], COMMAND]
    client.send_command(COMMAND)
    assert client.sent[2:] == [COMMAND]


def test_what_is_added_later_comes_too_and_nothing_is_held(client: Client) -> None:
    """A program may make thousands of sessions, and let them go."""

    class Act:
        def __call__(self) -> None:
            client.send_command("ours")

    first, held = FirstCommand(client), []
    for _ in range(2):
        act = Act()
        held.append(weakref.ref(act))
        first.add(act)
        del act
        client.send_command(COMMAND)
    assert client.sent == ["ours", COMMAND] * 2
    gc.collect()
    assert [ref() for ref in held] == [None, None]


def test_other_threads_wait_until_it_is_done(client: Client) -> None:
    begun, release = threading.Event(), threading.Event()

    def act() -> None:
        begun.set()
        assert release.wait(10)
        client.send_command("ours")

    FirstCommand(client).add(act)
    programs = [threading.Thread(target=sending(client, COMMAND)) for _ in range(2)]
    programs[0].start()
    assert begun.wait(10)
    programs[1].start()
    programs[1].join(0.2)
    assert client.sent == []
    release.set()
    for program in programs:
        program.join(10)
    assert client.sent == ["ours", COMMAND, COMMAND]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_has_nothing_to_do(client: Client) -> None:
    made(client, "ours")
    child = os.fork()
    if child == 0:
        client.send_command(COMMAND)
        os._exit(0 if client.sent == [COMMAND] else 1)
    assert os.waitpid(child, 0)[1] == 0
    client.send_command(COMMAND)
    assert client.sent == ["ours", COMMAND]
