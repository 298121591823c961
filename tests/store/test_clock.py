from datetime import datetime, timedelta, timezone

import pytest

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.clock import iso, parse, parse_iso

TEN = 1763632800000  # 2025-11-20T10:00:00Z


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("2025-11-20T10:00:00Z", TEN),
        ("2025-11-20T10:00Z", TEN),
        ("2025-11-20 10:00:00", TEN),
        ("2025-11-20T12:00:00+02:00", TEN),
        ("2025-11-20T04:30:00-0530", TEN),
        ("2025-11-20T10:00:00.5Z", TEN + 500),
        ("2025-11-20T10:00:00.123456789Z", TEN + 123),
        ("2025-11-20", TEN - 36_000_000),
        ("1763632800", TEN),
        ("1763632800.25", TEN + 250),
        (1763632800, TEN),
        ("now", 5_000_000),
        ("now-1h", 1_400_000),
        ("now-1h+30m", 3_200_000),
        (datetime(2025, 11, 20, 12, tzinfo=timezone(timedelta(hours=2))), TEN),
    ],
)
def test_times_that_people_type(text: str | int | datetime, millis: int) -> None:
    assert parse(text, now=5_000_000) == millis


WRONG = ["", "soon", "now-", "now-7x", "2025-13-40", "2025-11-20T25:00Z", "9999-01-01"]
TOO_FAR = ["999999999999", "now+99999999999999999w", "now-" + "9" * 5000 + "d"]


@pytest.mark.parametrize("text", [*WRONG, *TOO_FAR])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(QuestionError, match="is not a time"):
        parse(text)


def test_there_and_back() -> None:
    assert [parse_iso(iso(millis)) for millis in (0, 1, TEN + 7)] == [0, 1, TEN + 7]
