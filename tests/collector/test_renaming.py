"""The catalogue's U9: what a user's pattern takes out of datasets' names."""

import pytest

from airflow_colgraph.collector import settings
from airflow_colgraph.collector.events.remove_path_pattern import MOST_NAME, without
from airflow_colgraph.collector.model import Dataset, NamedDataset, Query, Read, Symlink, Write
from tests.collector.pipelines import emitted_events
from tests.collector.test_lineage import attribute, relation, row

OURS = settings.PREFIX + "removePathPattern"
OPENLINEAGE = "spark.openlineage.dataset.removePath.pattern"


@pytest.mark.parametrize(
    ("pattern", "name", "left"),
    [
        ("(?<remove>/v[0-9]+)$", "/data/t/v12", "/data/t"),
        ("(?P<remove>/v[0-9]+)$", "/data/t/v12", "/data/t"),
        ("(?<remove>/v[0-9]+)$", "/data/v12/t", "/data/v12/t"),
        ("/tmp(?<remove>/run-.*)/t", "/tmp/run-7/t", "/tmp/t"),
        ("^/data(?<remove>/x)?", "/data/t", "/data/t"),
        ("(?<remove>.*)", "/data", "/data"),
    ],
)
def test_u9_a_pattern_is_taken_out_of_names(pattern: str, name: str, left: str) -> None:
    for key in (OURS, OPENLINEAGE):
        found = settings.read({key: pattern})
        assert found.problems == ()
        assert without(Dataset("s3://b", name), found["removePathPattern"]) == ("s3://b", left)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("(/v[0-9]+)$", "a group (?<remove>...) in it"), ("(?<remove>[", "a regular expression")],
)
def test_an_invalid_pattern_is_reported_and_removes_nothing(pattern: str, expected: str) -> None:
    found = settings.read({OURS: pattern})
    assert found["removePathPattern"] is None
    (problem,) = found.problems
    assert problem.startswith(f"{OURS} is {pattern!r}. Expected {expected}")


def test_u9_everything_in_an_event_has_the_shortened_name() -> None:
    def read(name: str) -> Read:
        return Read(
            (NamedDataset(Dataset("file", name), (Symlink("file", "db.t"),)),), (("c1", "int"),)
        )

    union = [row("Union", 2), *relation(1), *relation(2)]
    union[0]["output"] = [[attribute(1)]]
    write = Write(NamedDataset(Dataset("file", "/out/v3")), (("c1", "int"),))
    query = Query("save", "", union, {(1,): read("/in/v1"), (2,): read("/in/v2")}, {}, write)
    given = settings.read({OURS: "(?<remove>/v[0-9]+)$", settings.PREFIX + "lineageFacet": "true"})
    (event,) = emitted_events([query], given)
    (output,) = event["outputs"]
    assert [found["name"] for found in event["inputs"]] == ["/in"]
    assert output["name"] == "/out"
    edges = output["facets"]["columnLineage"]["fields"]["c1"]["inputFields"]
    assert [(edge["name"], edge["field"]) for edge in edges] == [("/in", "c1"), ("/in", "c2")]
    for old in ("/v1", "/v2", "/v3"):
        assert old not in str(event)


def test_a_pattern_and_the_names_that_it_sees_are_bounded() -> None:
    long = f"(?<remove>{'a' * settings.MOST_PATTERN})"
    (problem,) = settings.read({OURS: long}).problems
    assert problem.endswith("Expected at most 1000 characters.")
    assert len(problem) < 2 * settings.MOST_SHOWN + 100
    deep = settings.read({OURS: "(" * 900}).problems
    assert "a regular expression" in deep[0]

    pattern = settings.read({OURS: "(?<remove>a+)$"})["removePathPattern"]
    shortest = "/" + "a" * MOST_NAME
    assert without(Dataset("file", shortest), pattern).name == shortest
    assert without(Dataset("file", shortest[:-1]), pattern).name == "/"
