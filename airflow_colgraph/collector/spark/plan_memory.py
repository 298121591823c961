"""The rows of plans; what an earlier plan had is not printed again.

A loop that adds to a frame and writes it has the frame's whole history in each plan. Spark keeps
what it has analyzed: the earlier frame's plan is a node of the later one, the same object. It is
printed as a small leaf, and the rows that are known of it take the leaf's place. What a program
adds to a frame is above the frame, so only the way from the root by first children is looked at.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from airflow_colgraph.collector.plan import Rows
from airflow_colgraph.collector.spark.jvm import Java, java_class, thrown, weak
from airflow_colgraph.collector.spark.plan_text import plan_text, rows_of

SMALL = 100_000  # characters of JSON: less costs no more to print than to look for
MOST_STEPS = 12  # from a root that are looked at
MOST_TOPS = 4  # of a plan that are remembered: a frame's, below what a write has put on it
MOST_PLANS = 4
MOST_UNUSED = 16  # queries in a row that know none of the plans, until these are forgotten
MOST_CHARACTERS = 4_000_000  # of all of them: some 40 MB as rows
LEAF = "org.apache.spark.sql.catalyst.plans.logical.OneRowRelation"


class Printed(NamedTuple):
    """The rows of a plan, and a text with all that Spark has printed for them, or more."""

    text: str
    rows: Rows


class Step(NamedTuple):
    """A node on the way from a root by first children, by Java's `System.identityHashCode`."""

    number: int
    node: Java


class Known(NamedTuple):
    """A node near the root of a plan that was printed, as a WeakReference, and its place there."""

    node: Java
    plan: Printed
    place: int


Tops = dict[int, Known]
"""The nodes near the root of one plan, by their numbers."""


class PlanMemory:
    """The last large plans of an application."""

    def __init__(self) -> None:
        """No plan was printed."""
        self._plans: deque[tuple[Printed, Tops]] = deque()
        self._unused = 0
        self._identity: Java | None = None

    def printed(self, plan: Java) -> Printed:
        """A plan as `TreeNode.toJSON` prints it; TooNested if that were too much."""
        way, seen = self._way(plan, MOST_STEPS) if self._plans else ([], None)
        result = joined([step.node for step in way[:-1]], seen) if seen is not None else None
        self._count(is_used=result is not None)
        if result is None:
            text = plan_text(plan)
            result = Printed(text, rows_of(text))
        if SMALL <= len(result.text) <= MOST_CHARACTERS:
            self._remember((way or self._way(plan, MOST_TOPS)[0])[:MOST_TOPS], result)
        return result

    def _count(self, *, is_used: bool) -> None:
        """Forget the plans when no query has used one for long: to look for them is work, too."""
        self._unused = 0 if is_used else self._unused + 1
        if self._unused > MOST_UNUSED:
            self._plans.clear()

    def _remember(self, tops: list[Step], plan: Printed) -> None:
        """Keep a plan by the nodes near its root; the oldest are forgotten."""
        nodes = {step.number: Known(weak(step.node), plan, at) for at, step in enumerate(tops)}
        self._plans.append((plan, nodes))
        self._unused = 0
        while len(self._plans) > MOST_PLANS or self._characters() > MOST_CHARACTERS:
            self._plans.popleft()

    def _characters(self) -> int:
        return sum(len(plan.text) for plan, _ in self._plans)

    def _way(self, plan: Java, most: int) -> tuple[list[Step], Known | None]:
        """The nodes from a root by first children, to the first one that is known, if any is."""
        if self._identity is None:
            self._identity = java_class(plan, "java.lang.System").identityHashCode
        steps: list[Step] = []
        node = plan
        while len(steps) < most:
            steps.append(Step(int(self._identity(node)), node))
            seen = self._known(steps[-1])
            if seen is not None:
                return steps, seen
            children = node.children()
            if children.isEmpty():
                break
            node = children.head()
        return steps, None

    def _known(self, step: Step) -> Known | None:
        """What is known of a node; Spark compares it, as other nodes may have its number."""
        for _, tops in reversed(self._plans):
            candidate = tops.get(step.number)
            if candidate is not None:
                node = candidate.node.get()
                if node is not None and step.node.fastEquals(node):
                    return candidate
        return None


def joined(above: list[Java], below_it: Known) -> Printed | None:
    """A plan whose nodes above a known one, each the next one's parent, are printed.

    None where one of them cannot stand on a leaf that is not its child.
    """
    below = below_it.plan.rows[below_it.place : end_of(below_it.plan.rows, below_it.place)]
    if not above:
        return Printed(below_it.plan.text, below)
    try:
        top = java_class(above[0], LEAF)()
        for node in reversed(above):
            others = node.children().tail().toList()
            top = node.withNewChildren(getattr(others, "$colon$colon")(top))
    except thrown():
        return None
    text = plan_text(top)
    rows, place = rows_of(text), len(above)
    return Printed(text + below_it.plan.text, [*rows[:place], *below, *rows[place + 1 :]])


def end_of(rows: Rows, place: int) -> int:
    """Behind the last row of a node's subtree."""
    left = 1
    while left:
        left += rows[place]["num-children"] - 1
        place += 1
    return place
