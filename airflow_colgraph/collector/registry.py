"""Rules by Spark class: the type of the collector's tables, and the one way to fill them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Rule = TypeVar("Rule", bound=Callable[..., Any])

ANY = "*"  # what a rule is registered for that answers for all classes without one of their own


class Registry(dict[str, Rule], Generic[Rule]):
    """The rules of one kind by Spark class, named without its package: `Project`, `Cast`."""

    def rule(self, kind: str) -> Rule:
        """The rule for a class: its own, or that for any class."""
        return self.get(kind) or self[ANY]


def register(registry: Registry[Rule], *classes: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule for these Spark classes.

    Args:
        registry: `NODES`, `EXPRESSIONS`, `TEXTS`, `READS`, `RELATIONS`, `CONNECTED`, `WRITES` or
            `SINKS`.
        classes: Spark's class names without their package, e.g. `"Project"`; a later rule for the
            same class replaces an earlier one.

    Returns:
        A decorator that returns the function unchanged. What a rule gets and returns is in
        docs/extensions.md.
    """

    def add(rule: Rule) -> Rule:
        registry.update(dict.fromkeys(classes, rule))
        return rule

    return add
