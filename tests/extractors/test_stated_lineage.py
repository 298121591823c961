"""Lineage that a person states: each mistake is named with its line, what is right is whole."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.collector.events import render
from airflow_colgraph.collector.lineage.transformations import TRANSFORMATIONS
from airflow_colgraph.extractors.stated_lineage import StatedLineageError, parse
from airflow_colgraph.operators.stated_lineage import StatedLineage

DATASETS = {
    "daily": ("postgres://db:5432", "shop.public.daily"),
    "orders": ("s3://lake", "orders"),
    "orders.old": ("s3://lake", "old"),
}
TEXT = """
  daily
    day      <- orders.day             DIRECT:IDENTITY
    total    <- orders.amount          DIRECT:AGGREGATION
    total    <- orders.rate of day     DIRECT:TRANSFORMATION masking, INDIRECT:CONDITIONAL
    old      <- orders.old.header.day  DIRECT:IDENTITY
    loaded   <-
    *        <- orders.state           INDIRECT:FILTER
"""


def test_a_text_is_what_a_terminal_shows() -> None:
    found = parse(TEXT, DATASETS)
    assert [one["name"] for one in found.inputs] == ["orders", "old"]
    (output,) = found.outputs
    names = {names: label for label, names in DATASETS.items()}

    def label(dataset: render.Json) -> str:
        return names[dataset["namespace"], dataset["name"]]

    lines = list(render.lines(output, label))
    assert lines == [render.parsed_line(line) for line in TEXT.splitlines() if "<-" in line]
    assert output["facets"]["columnLineage"]["_schemaURL"].endswith("ColumnLineageDatasetFacet")


def test_a_dataset_that_is_read_again_is_no_input() -> None:
    text = "orders\n a <- daily.a DIRECT:IDENTITY\ndaily\n a <- orders.a DIRECT:IDENTITY"
    found = parse(text, {name: DATASETS[name] for name in ("orders", "daily")})
    assert (found.inputs, len(found.outputs)) == ([], 2)


def test_a_dataset_without_columns_is_written_with_unknown_lineage() -> None:
    found = parse("daily", {"daily": DATASETS["daily"]})
    assert found.outputs[0]["facets"] == {}


HEAD = "daily\n  "
WRONG = {
    "no text": ("", "The text names no dataset."),
    "another name": (
        "dayly",
        "Line 1, 'dayly': no dataset is called that; known are daily, orders, orders.old.",
    ),
    "no dataset": ("a <- orders.a DIRECT:IDENTITY", "': it is below no dataset."),
    "another input": (f"{HEAD}a <- order.a DIRECT:IDENTITY", "Line 2, 'a <- order.a DIRECT"),
    "no field": (f"{HEAD}a <- orders. DIRECT:IDENTITY", "'orders.' is no field"),
    "only a dataset": (f"{HEAD}a <- orders DIRECT:IDENTITY", "'orders' is no field"),
    "no column": (f"{HEAD} <- orders.a DIRECT:IDENTITY", "no column before the arrow"),
    "no transformation": (f"{HEAD}a <- orders.a", "it has no transformation"),
    "another subtype": (f"{HEAD}a <- orders.a DIRECT:JOIN", "'DIRECT:JOIN' is no transformation"),
    "values for all": (f"{HEAD}* <- orders.a DIRECT:IDENTITY", "all rows it must be INDIRECT."),
    "only a transformation": (f"{HEAD}a <- DIRECT:IDENTITY", "'' is no field of a dataset"),
    "unused": ("daily", "The text does not name orders, orders.old."),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_with_its_line(name: str) -> None:
    text, message = WRONG[name]
    with pytest.raises(StatedLineageError) as raised:
        StatedLineage(text, DATASETS)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("names", ["s3://lake/orders", ("s3://lake",), ("a", ""), ("a", 1), None])
def test_a_dataset_has_a_namespace_and_a_name(names: object) -> None:
    with pytest.raises(
        StatedLineageError, match=r"^'daily' is .* Expected the dataset's namespace"
    ):
        parse("daily", {"daily": names})  # type: ignore[dict-item]


@given(st.text(), st.dictionaries(st.text(), st.tuples(st.text(), st.text())))
def test_no_text_gives_another_error(text: str, datasets: dict[str, tuple[str, str]]) -> None:
    try:
        found = parse(text, datasets)
    except StatedLineageError:
        return
    assert found.outputs


STEPS = [str(one) for one in TRANSFORMATIONS if one.type == "INDIRECT"]


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,5}|\*", fullmatch=True),
        st.dictionaries(st.from_regex(r"[a-z.]{1,5}", fullmatch=True), st.sampled_from(STEPS)),
        min_size=1,
    )
)
def test_what_is_printed_is_read_again(columns: dict[str, dict[str, str]]) -> None:
    lines = {
        (column, f"orders.{field}", step)
        for column, inputs in columns.items()
        for field, step in inputs.items()
    }
    text = "\n".join(["daily", *render.table(sorted(lines))])
    datasets = {name: DATASETS[name] for name in ("daily", *(["orders"] if lines else []))}
    (output,) = parse(text, datasets).outputs
    assert set(render.lines(output, lambda dataset: dataset["name"])) == lines


def test_outside_of_a_task_a_line_says_that_nothing_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    StatedLineage("daily", {"daily": DATASETS["daily"]}).report()
    (line,) = caplog.messages
    assert line.startswith("colgraph: stated lineage is not reported")
    assert caplog.records[0].levelno == logging.WARNING


def test_the_example_of_the_page_states_what_it_shows() -> None:
    page = (Path(__file__).parents[2] / "docs/sql.md").read_text()
    (code,) = (text for text in re.findall(r"```python\n(.*?)```", page, re.S) if "Stated" in text)
    names: dict[str, Any] = {}
    exec(compile(code, "docs/sql.md", "exec"), names)
    (output,) = names["EXPORT"].lineage.outputs
    facet = output["facets"]["columnLineage"]
    assert (output["namespace"], output["name"]) == ("s3://partner", "daily.csv")
    assert {name: len(of["inputFields"]) for name, of in facet["fields"].items()} == {
        "day": 1,
        "total": 1,
        "loaded": 0,
    }
    assert [one["field"] for one in facet["dataset"]] == ["state"]
