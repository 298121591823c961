"""Plans of which Spark's JSON would have each inner expression many times are not asked for."""

from typing import Any

import pytest
from py4j.protocol import Py4JError

from airflow_colgraph.collector.spark.plan_text import MOST_COPIES, TooNested, copies, plan_text


def nested(levels: int) -> str:
    text = "c"
    for _ in range(levels):
        text = f"CASE WHEN (a < b) THEN a ELSE {text} END"
    return text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Project [a, (b + c), abs(c)]", 0),
        (nested(1), 2),
        (nested(3), 2 + 4 + 8),
        (" ".join([nested(1)] * 5), 5 * 2),
        ("nvl(nvl(a, b), c)", 2 + 4),
        ("try_add(nullif(a, abs(b)), c)", 2 + 4),
        ("abs(abs(abs(a)))", 0),
        ("nvl(CASE WHEN a THEN b END, nvl(a, b))", 2 + 4 + 4),
        ("END ) ) END " + nested(2), 2 + 4),
    ],
)
def test_each_level_doubles(text: str, count: int) -> None:
    assert copies(text) == count


class Tree:
    """A plan that has CASE, or not; its JSON must not be asked for if that is too long."""

    def __init__(self, text: str, has_case: bool = True, arguments: int = 5) -> None:
        self.text, self.has_case, self.arguments = text, has_case, arguments

    def __getattr__(self, name: str) -> Any:
        return lambda *_: self  # the class loader and the patterns

    def containsPattern(self, pattern: Any) -> bool:
        return self.has_case

    def treeString(self, *given: Any) -> str:
        if len(given) != self.arguments:
            raise Py4JError("Method treeString does not exist")
        return self.text

    def toJSON(self) -> str:
        assert copies(self.text) <= MOST_COPIES or not self.has_case
        return "[]"


@pytest.mark.parametrize("arguments", [4, 5])  # of treeString, by Spark's version
def test_too_much_is_refused(arguments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airflow_colgraph.collector.spark.plan_text.flattened", lambda tree: tree)
    assert plan_text(Tree(nested(9), arguments=arguments)) == "[]"
    with pytest.raises(TooNested, match=r"nested too deeply.* times$"):
        plan_text(Tree(nested(13), arguments=arguments))


def test_a_plan_without_such_expressions_is_not_printed() -> None:
    assert plan_text(Tree(nested(100), has_case=False)) == "[]"
