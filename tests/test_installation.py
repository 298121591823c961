"""docs/installation.md and the metadata of both distributions have the same extras."""

import re
from importlib.metadata import metadata, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PAGE = Path(__file__).parent.parent / "docs" / "installation.md"
EXTRA = re.compile(r"^\| `(\w+)` \| (both|`airflow-colgraph`) \| (.+?) \| .+ \|$", flags=re.M)
TABLE = {
    name: (where, set(re.findall(r"`([\w.-]+)`", installs)))
    for name, where, installs in EXTRA.findall(PAGE.read_text(encoding="utf-8"))
}


def extras(distribution: str) -> dict[str, list[Requirement]]:
    """Each extra's requirements."""
    required = [Requirement(line) for line in requires(distribution) or []]
    return {
        extra: [
            one
            for one in required
            if one.marker
            and not one.marker.evaluate({"extra": ""})
            and one.marker.evaluate({"extra": extra})
        ]
        for extra in metadata(distribution).get_all("Provides-Extra") or []
    }


SHARED, PROVIDER = extras("colgraph"), extras("airflow-colgraph")


@pytest.mark.parametrize("extra", sorted(SHARED | PROVIDER))
def test_every_extra_is_documented_with_what_it_installs(extra: str) -> None:
    where, installs = TABLE[extra]
    assert where == ("both" if extra in SHARED else "`airflow-colgraph`")
    found = SHARED.get(extra) or PROVIDER[extra]
    assert installs == {one.name for one in found}


def test_the_table_has_no_other_extra() -> None:
    assert set(TABLE) == set(SHARED | PROVIDER)


@pytest.mark.parametrize("extra", sorted(SHARED))
def test_the_provider_passes_a_shared_extra_on(extra: str) -> None:
    (one,) = PROVIDER[extra]
    assert (one.name, one.extras) == ("colgraph", {extra})


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_both_distributions_have_the_same_licence_and_notice(name: str) -> None:
    root = PAGE.parent.parent
    assert (root / "distributions" / "colgraph" / name).read_bytes() == (root / name).read_bytes()
