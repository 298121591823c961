"""The load of `oracles.soak server`, and a model of what the store has to answer.

Senders post the synthetic warehouse's events at a rate, each until it is acknowledged. Readers ask
where columns come from. What a job's latest run reported is its lineage; so each dataset in an
answer has to have the lineage of one event, no older than the last one that was acknowledged before
the question, and no younger than the last one that was sent before the answer.
"""

from __future__ import annotations

import http.client
import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from airflow_colgraph.store.model import clock
from bench.rest import JSON, Server
from bench.synthetic import NAMESPACE, Size, column, events
from bench.synthetic import name as dataset_name

SIZE = Size(datasets=100, columns=10, days=1 << 30)
WIDTH = SIZE.datasets // 10
SENDERS = 8
DEPTH = 10
UNANSWERED = "no answer"

Column = tuple[str, str]  # a dataset of NAMESPACE, and its column
Lineage = dict[str, frozenset[Column]]  # the DIRECT inputs of each column


class Read(NamedTuple):
    """A question and how long it took."""

    during: str  # the fault
    seconds: float
    problem: str  # "" if the answer is right


class Model:
    """What each dataset's job reported, in order, and what the server acknowledged."""

    def __init__(self) -> None:
        """Nothing is sent."""
        self.versions: dict[str, list[Lineage]] = {}
        self.runs: dict[str, int] = {}  # acknowledged: the time of each
        self._acknowledged: dict[str, int] = {}
        self._lock = threading.Lock()

    def send(self, event: Mapping[str, Any]) -> int:
        """Remember the event before it is sent; returns the number of its version."""
        (output,) = event["outputs"]
        with self._lock:
            versions = self.versions.setdefault(output["name"], [])
            versions.append(direct_inputs(output["facets"]["columnLineage"]["fields"]))
            return len(versions) - 1

    def acknowledge(self, event: Mapping[str, Any], version: int) -> None:
        """Remember that the server has the event."""
        (output,) = event["outputs"]
        with self._lock:
            before = self._acknowledged.get(output["name"], -1)
            self._acknowledged[output["name"]] = max(before, version)
            self.runs[event["run"]["runId"]] = clock.parse_iso(event["eventTime"])

    def acknowledged(self) -> dict[str, int]:
        """The latest version of each dataset that the server has to know by now."""
        with self._lock:
            return dict(self._acknowledged)

    def problem(
        self,
        starts: list[Column],
        edges: Iterable[tuple[Column, Column]],
        first: dict[str, int],
        depth: int = DEPTH,
    ) -> str:
        """What is wrong with the edges (from output to input) above the starts; "" if nothing.

        Args:
            starts: The columns that were asked for.
            edges: The answer.
            first: What was acknowledged before the question.
            depth: How many levels were asked for.
        """
        with self._lock:
            left: dict[str, Sequence[int]] = {
                name: range(at, len(self.versions[name])) for name, at in first.items()
            }
        inputs: dict[Column, set[Column]] = {}
        for output, source in edges:
            inputs.setdefault(output, set()).add(source)
        level, visited = set(starts), set(starts)
        for _ in range(depth):
            sources: set[Column] = set()
            for name, field in sorted(level):
                stated = inputs.pop((name, field), set())
                sources |= stated
                if name in left:
                    left[name] = self._having(left[name], name, field, stated)
                if not left.get(name, [0]):
                    return f"{name} {field}: no version since {first[name]} has {sorted(stated)}"
            level = sources - visited
            visited |= level
        return f"edges that lead nowhere: {sorted(inputs)}" if inputs else ""

    def _having(
        self, numbers: Sequence[int], name: str, field: str, inputs: set[Column]
    ) -> list[int]:
        """The versions in which the column has these inputs."""
        versions = self.versions[name]
        return [at for at in numbers if versions[at].get(field, frozenset()) == inputs]


def direct_inputs(fields: Mapping[str, Any]) -> Lineage:
    """The DIRECT inputs of each column of a facet `columnLineage`."""
    return {
        field: frozenset((each["name"], each["field"]) for each in lineage["inputFields"])
        for field, lineage in fields.items()
    }


def ask(server: Server, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """The status and body of one answer, over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body, JSON)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Load:
    """Senders and readers of the server that is in use now."""

    def __init__(self, server: Server, rate: float, readers: int) -> None:
        """Send the first day, so that each dataset is there."""
        self.servers = [server]  # each request goes to one of them
        self.done: Counter[tuple[int, str]] = Counter()  # by the server's port: events, answers
        self.during = ""  # the fault
        self.model = Model()
        self.reads: list[Read] = []
        self.refused: Counter[str] = Counter()  # by the fault and the status or error
        self.day = 0
        self._rate, self._readers = rate, readers
        self._events = events(SIZE)
        self._next_event, self._count = threading.Lock(), threading.Lock()
        self._ends = threading.Event()
        for event in itertools.islice(self._events, SIZE.datasets - WIDTH):
            self._post(event, self.model.send(event))

    @property
    def server(self) -> Server:
        """The newest server."""
        return self.servers[-1]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Send and read until the block is left, and end when all that was sent is taken."""
        with ThreadPoolExecutor(SENDERS + self._readers) as pool:
            self._begin, self._due = time.monotonic(), itertools.count()
            threads: list[Future[None]] = [pool.submit(self._send) for _ in range(SENDERS)]
            threads += [pool.submit(self._read, number) for number in range(self._readers)]
            try:
                yield
            finally:
                self._ends.set()
        for thread in threads:
            thread.result()

    def work(self) -> int:
        """Wait a moment; returns how many events were acknowledged in it."""
        before = len(self.model.runs)
        time.sleep(0.1)
        return len(self.model.runs) - before

    def _send(self) -> None:
        while True:
            with self._next_event:
                due = self._begin + next(self._due) / self._rate
                if self._ends.wait(max(0.0, due - time.monotonic())):
                    return
                event = next(self._events)
                version = self.model.send(event)
                self.day = len(self.model.runs) // (SIZE.datasets - WIDTH)
            self._post(event, version)

    def _post(self, event: dict[str, Any], version: int) -> None:
        body = orjson.dumps(event)
        while True:
            try:
                server = random.choice(self.servers)
                status, _ = ask(server, "POST", "/api/v1/lineage", body)
            except (OSError, http.client.HTTPException) as error:
                self._refuse(type(error).__name__)
            else:
                if status == 201:
                    self._count_done(server, "event")
                    return self.model.acknowledge(event, version)
                assert status in (503, 507), status
                self._refuse(str(status))
            time.sleep(0.2)

    def _refuse(self, how: str) -> None:
        with self._count:
            self.refused[f"{self.during}: {how}"] += 1

    def _count_done(self, server: Server, what: str) -> None:
        with self._count:
            self.done[server.port, what] += 1

    def _read(self, number: int) -> None:
        while not self._ends.wait(0.5):
            number += self._readers
            if number % 10 == 0:
                self._ask_in_vain()
            self.reads.append(self._asked(number))

    def _ask_in_vain(self) -> None:
        """A malformed event and an unknown dataset: they must leave nothing behind."""
        questions: list[tuple[str, str, bytes | None]] = [
            ("POST", "/api/v1/lineage", b'[{"eventTime": 3}]'),
            ("GET", "/api/v1/upstream?name=nothing", None),
        ]
        try:
            server = random.choice(self.servers)
            statuses = [ask(server, *question)[0] for question in questions]
            assert statuses == [400, 404] or self.during, statuses
        except (OSError, http.client.HTTPException):
            assert self.during, "the server is away"

    def _asked(self, number: int) -> Read:
        start = dataset_name(SIZE.datasets - 1 - number % (8 * WIDTH), WIDTH), column(number % 10)
        first, during, began = self.model.acknowledged(), self.during, time.monotonic()
        try:
            problem = self._answered([start], first, field=start[1])
        except (OSError, http.client.HTTPException) as error:
            problem = f"{UNANSWERED}: {type(error).__name__}"
        return Read(during or self.during, time.monotonic() - began, problem)

    def _answered(
        self, starts: list[Column], first: dict[str, int], depth: int = DEPTH, **more: str
    ) -> str:
        asked = {"namespace": NAMESPACE, "name": starts[0][0], "depth": depth, **more}
        server = random.choice(self.servers)
        status, body = ask(server, "GET", f"/api/v1/upstream?{urlencode(asked)}")
        if status != 200:
            return f"{UNANSWERED}: {status}"
        self._count_done(server, "answer")
        edges = [(_column(edge["output"]), _column(edge["input"])) for edge in answer_edges(body)]
        return self.model.problem(starts, edges, first, depth)

    def wrong(self) -> list[str]:
        """What is wrong when all is quiet: every column of every dataset is asked for.

        The datasets of the last layer are asked for all that is above them, the others for a level.
        """
        problems = []
        first = self.model.acknowledged()
        for number in range(WIDTH, SIZE.datasets):
            name = dataset_name(number, WIDTH)
            starts = [(name, column(at)) for at in range(SIZE.columns)]
            depth = DEPTH if number >= SIZE.datasets - WIDTH else 1
            problems.append(self._answered(starts, first, depth))
        return [problem for problem in problems if problem]


def answer_edges(body: bytes) -> list[dict[str, Any]]:
    """The edges of an answer."""
    answer = orjson.loads(body)
    return list(answer["edges"])


def _column(field: Mapping[str, str]) -> Column:
    return field["name"], field["field"]


def percentiles(seconds: list[float]) -> tuple[float, float]:
    """The times within which half and 95 % of the reads were answered."""
    ordered = sorted(seconds) or [0.0]
    return ordered[len(ordered) // 2], ordered[len(ordered) * 95 // 100]
