"""What counts as a different document."""

from typing import Any

import pytest

from airflow_colgraph.exports.export_state import (
    State,
    StateError,
    fresh,
    known,
    learn,
    parse_state,
)

ASPECT = {"entityUrn": "u", "aspectName": "a", "aspect": {"json": {"x": 1, "auditStamp": 1}}}
EVENT = {
    "producer": "p",
    "eventTime": "1",
    "run": {"runId": "1"},
    "job": {"namespace": "n", "name": "j"},
    "outputs": [{"namespace": "n", "name": "d", "facets": {"x": 1}}],
}
EDGE = {
    "edge": {
        "fromEntity": {"type": "table", "fullyQualifiedName": "a"},
        "toEntity": {"type": "table", "fullyQualifiedName": "b"},
        "lineageDetails": {"x": 1},
    }
}
RELATION = {"HasField": {"source": "a", "destination": "b"}}


def changed(document: Any, old: Any, new: Any) -> Any:
    if isinstance(document, dict):
        return {k: changed(v, old, new) for k, v in document.items()}
    if isinstance(document, list):
        return [changed(v, old, new) for v in document]
    return new if document == old and type(document) is type(old) else document


@pytest.mark.parametrize("document", [ASPECT, EVENT, EDGE, RELATION])
def test_a_document_is_given_once(document: dict[str, Any]) -> None:
    state: State = {}
    assert list(fresh([document, document], state)) == [document]
    assert list(fresh([document], state)) == []
    assert known(document, state)
    assert not known(document, None)


@pytest.mark.parametrize("document", [ASPECT, EVENT, EDGE])
def test_what_is_different_takes_the_place_of_what_was(document: dict[str, Any]) -> None:
    state: State = {}
    learn(document, state)
    other = changed(document, 1, 2)
    assert other != document
    assert not known(other, state)
    learn(other, state)
    assert len(state) == 1
    assert not known(document, state)


def test_another_run_is_not_different() -> None:
    state: State = {}
    learn(EVENT, state)
    assert known({**EVENT, "eventTime": "2", "run": {"runId": "2"}}, state)
    learn(ASPECT, state)
    assert known({**ASPECT, "aspect": {"json": {"x": 1, "auditStamp": 2}}}, state)


@pytest.mark.parametrize("old", ["n", "j", "d"])
def test_another_job_or_dataset_is_another_document(old: str) -> None:
    state: State = {}
    learn(EVENT, state)
    other = changed(EVENT, old, "other")
    assert not known(other, state)
    learn(other, state)
    assert len(state) == 2


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', b"\xff"])
def test_a_file_that_is_no_state(text: Any) -> None:
    with pytest.raises(StateError, match=r"^The file is not the state of an export"):
        parse_state(text)


def test_a_state_is_read() -> None:
    assert parse_state('{"a": "b"}') == {"a": "b"}
