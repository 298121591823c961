"""A sample of `oracles.exits`: drivers that end their gateway end as without the collector.

Earlier tests ended programs by `stop` and `sys.exit` only, or shut sockets down before py4j could
wait for them.
"""

import json
from collections.abc import Iterator

import pytest

from oracles.exits import Drivers, drivers
from oracles.paired import differences
from tests.amount import of_all

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

SAMPLE = ("shutdown_callbacks", "close_and_write", "shutdown_in_hook", "shutdown_in_batch", "deaf")
SAMPLE = SAMPLE[:: of_all(1, 4)]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    with drivers(tmp_path_factory.mktemp("exits")) as found:
        yield found


@pytest.mark.sampled
@pytest.mark.parametrize("way", SAMPLE)
def test_a_driver_ends_as_without_the_collector(driver: Drivers, way: str) -> None:
    plain, ours = driver.run(way, is_ours=False), driver.run(way, is_ours=True)
    assert (plain.code, differences(plain, ours)) == (3, [])


@pytest.mark.parametrize("way", ["close_and_write", "close_all_and_write"])
def test_a_write_after_the_gateway_was_closed_is_in_the_last_event(
    driver: Drivers, way: str
) -> None:
    """The JVM may call no listener any more, or not in time: what is in no event is counted.

    No earlier test looked at such a program's events.
    """
    ended = driver.run(way, is_ours=True)
    events = [json.loads(line) for line in ended.events.read_text().splitlines()]
    written = [each["name"].rpartition("/")[2] for event in events for each in event["outputs"]]
    counts = events[-1]["run"]["facets"].get("colgraph_diagnostics", {}).get("completeness", {})
    missing = [gap["rows"] for gap in counts.get("unaccounted", ())]
    assert written[0] == "out0"
    assert set(written) <= {"out0", "out1", "out2"}
    assert missing == [3] * (3 - len(written))
