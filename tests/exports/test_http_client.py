"""Sending documents: the requests, what is tried again, what is reported of failures."""

import socket
from typing import Any

import pytest

from airflow_colgraph.exports.http_client import SendError, check_url, send
from tests.exports.standin import Request, serving


def test_a_document_is_posted_with_its_token() -> None:
    with serving(lambda request: (201, {"id": 7})) as server:
        answer = send("POST", f"{server.url}/x?y=1", {"a": "ä"}, token="t0p", headers={"X-A": "b"})
    assert answer == {"id": 7}
    ((method, path, headers, body),) = server.requests
    assert (method, path, body) == ("POST", "/x?y=1", {"a": "ä"})
    wanted = ("authorization", "content-type", "accept", "x-a")
    assert [headers[name] for name in wanted] == [
        "Bearer t0p",
        "application/json",
        "application/json",
        "b",
    ]


@pytest.mark.parametrize("given", ["", "no json", "  "])
def test_an_answer_that_is_no_json_is_nothing(given: str) -> None:
    with serving(lambda request: (200, given)) as server:
        assert send("GET", server.url) is None
    assert server.requests[0].body is None
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int) -> None:
    with serving(lambda request: (200 if len(server.requests) > 2 else status, {})) as server:
        send("POST", server.url, {}, pauses=(0, 0, 0))
    assert len(server.requests) == 3


def failure(answer: Any, **how: Any) -> tuple[str, int, int]:
    """The message, without the port; the status; how often the server was asked."""
    with serving(answer) as server, pytest.raises(SendError) as caught:
        send("POST", f"{server.url}/x?secret=1", {}, token="t0p", pauses=(0,), **how)
    return (
        str(caught.value).replace(server.url, "SERVER"),
        caught.value.status,
        len(server.requests),
    )


def test_a_refusal_is_final_and_one_line() -> None:
    message = failure(lambda request: (422, {"message": "line one\nline two"}))
    assert message == (
        'POST SERVER/x: 422 Unprocessable Entity: {"message": "line one\\nline two"}.',
        422,
        1,
    )
    assert failure(lambda request: (401, "")) == ("POST SERVER/x: 401 Unauthorized.", 401, 1)


def test_a_server_that_stays_busy_is_given_up() -> None:
    assert failure(lambda request: (503, "a\n b")) == (
        "POST SERVER/x: 503 Service Unavailable: a b.",
        503,
        2,
    )


def test_a_redirect_is_not_followed_with_the_token() -> None:
    with serving() as other:
        moved = {"Location": f"{other.url}/elsewhere"}
        text, status, asked = failure(lambda request: (307, "", moved))
    assert (status, asked, other.requests) == (307, 1, [])
    assert text == (
        f"POST SERVER/x: 307 Temporary Redirect. It moved to {other.url}/elsewhere; use that URL."
    )


def test_no_answer_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SendError, match=rf"^POST {url}: no answer \(.*refused.*\)\.$"):
            send("POST", url, {}, pauses=(0,))


@pytest.mark.parametrize(
    "url", ["", "gms:8080", "ftp://h", "http://", "file:///etc/passwd", "http://[x"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(SendError, match=r"is not a URL\. Expected http://host:port"):
        check_url(url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(SendError) as caught:
        check_url("http://user:geheim@h:1")
    assert str(caught.value) == "The URL contains a user or a password. Use a token instead."


def test_a_slash_at_the_end_does_not_matter() -> None:
    assert check_url("https://h:1/api/") == "https://h:1/api"


def test_requests_are_kept_as_they_came() -> None:
    with serving() as server:
        send("PUT", f"{server.url}/a%2Fb", [1])
    assert [(r.method, r.path, r.body) for r in server.requests] == [("PUT", "/a%2Fb", [1])]
    assert isinstance(server.requests[0], Request)
