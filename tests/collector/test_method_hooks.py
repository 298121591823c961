"""Methods that call us take every argument that they took before."""

from contextlib import nullcontext
from typing import Any

import pytest

from airflow_colgraph.collector.driver.method_hooks import after, around, before


class Session:
    """As `SparkSession.sql`: any keyword is a name in the text."""

    def sql(self, sqlQuery: str, **named: Any) -> tuple[str, dict[str, Any]]:
        return sqlQuery, named


NAMES = ("own", "act", "original", "answer", "arguments", "options")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("hook", [before, after, around])
def test_every_keyword_reaches_the_method(hook: Any, name: str) -> None:
    heard: list[Any] = []
    followed = type("Followed", (Session,), {"sql": Session.sql})
    if hook is around:
        hook(followed, "sql", "sqlQuery", lambda *call: nullcontext(heard.append(call)))
    else:
        hook(followed, "sql", heard.append)
    session = followed()
    assert session.sql("SELECT 1", **{name: 2}) == ("SELECT 1", {name: 2})
    assert session.sql(sqlQuery="SELECT 1", **{name: 2}) == ("SELECT 1", {name: 2})
    assert heard == ([(session, "SELECT 1")] * 2 if hook is around else [session] * 2)
