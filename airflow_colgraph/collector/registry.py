"""Rules by Spark class: how the tables READS, RELATIONS and WRITES are filled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rule_in(table: dict[str, Any], *kinds: str) -> Callable[[Any], Any]:
    """File a rule under the Spark classes that it is for."""

    def add(rule: Any) -> Any:
        table.update(dict.fromkeys(kinds, rule))
        return rule

    return add
