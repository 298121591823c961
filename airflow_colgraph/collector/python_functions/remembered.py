"""The functions that a program has handed to Spark, by the name, kind and type in its plans.

Spark's plan has a function only as pickled bytes, which are never unpickled. So each function is
captured when PySpark is about to pickle it. Where several have one name, any may be the plan's.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airflow_colgraph.collector.python_functions.source import captured

if TYPE_CHECKING:  # most programs have no such function
    from airflow_colgraph.collector.python_functions.interpretation import Outcome

MOST_REMEMBERED = 1000
MOST_OUTCOMES = 256
Key = tuple[str, int, str]
"""A function's name, PySpark's `evalType`, and the type of what it gives."""


def key_of(name: str, kind: int, data_type: Any) -> Key:
    """The key of a function: `data_type` as Spark's JSON has it."""
    return name, kind, json.dumps(data_type, sort_keys=True)


class Functions:
    """The captured functions of a process; none once one may be missing."""

    def __init__(self) -> None:
        """None is pickled yet."""
        self.is_complete = True
        self._functions: dict[Key, tuple[Any, ...]] = {}
        self._outcomes: dict[Any, tuple[Any, Outcome]] = {}
        self._count = 0
        self._chains: OrderedDict[Any, Any] = OrderedDict()

    def add(self, name: str, kind: int, data_type: Any, function: Any) -> None:
        """Remember a function that PySpark is about to pickle."""
        if not self.is_complete:
            return
        self.is_complete = False  # until it is captured: that may fail
        self._count += 1
        if self._count > MOST_REMEMBERED:
            self._functions.clear()
            return
        key = key_of(name, kind, data_type)
        self._functions[key] = (*self._functions.get(key, ()), captured(function))
        self.is_complete = True

    def of(self, key: Key) -> tuple[Any, ...]:
        """The functions that a plan may mean, none if one may be missing."""
        return self._functions.get(key, ()) if self.is_complete else ()

    def add_chain(self, ids: Any, chain: Any) -> None:
        """Remember the calls behind the RDD of a frame, by the ids of its columns."""
        if ids:
            self._chains[ids] = chain
        if len(self._chains) > MOST_REMEMBERED:
            self._chains.popitem(last=False)

    @property
    def has_chains(self) -> bool:
        """Whether any frame was made by calls that are remembered."""
        return bool(self._chains)

    def chain(self, ids: Any) -> Any:
        """The calls behind an RDD, a pair of its chain and the names of its columns, or None."""
        return self._chains.get(ids)

    def outcome(self, function: Any, inputs: Any, make: Callable[[], Outcome]) -> Outcome:
        """What a function makes of its inputs, interpreted once."""
        key = (id(function), repr(inputs))
        if key not in self._outcomes:
            if len(self._outcomes) >= MOST_OUTCOMES:
                self._outcomes.clear()
            self._outcomes[key] = (function, make())
        return self._outcomes[key][1]


FUNCTIONS = Functions()
"""Those of this process: none where PySpark was loaded before the collector."""
