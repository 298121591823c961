"""A sample of `oracles.exits`: drivers that end their gateway end as without the collector.

Earlier tests ended programs by `stop` and `sys.exit` only, or shut sockets down before py4j could
wait for them.
"""

from collections.abc import Iterator

import pytest

from oracles.exits import Drivers, drivers
from oracles.paired import differences

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

SAMPLE = ("shutdown_callbacks", "close_and_write", "shutdown_in_hook", "shutdown_in_batch", "deaf")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    with drivers(tmp_path_factory.mktemp("exits")) as found:
        yield found


@pytest.mark.parametrize("way", SAMPLE)
def test_a_driver_ends_as_without_the_collector(driver: Drivers, way: str) -> None:
    plain, ours = driver.run(way, is_ours=False), driver.run(way, is_ours=True)
    assert (plain.code, differences(plain, ours)) == (3, [])
