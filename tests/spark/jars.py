"""The connectors' jars, fetched by Maven into .work/jars, once; their versions are in pom.xml."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
JARS = HERE.parents[1] / ".work" / "jars"
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"


def jars(*names: str) -> tuple[str, ...]:
    """The jars whose files begin with `names`; Maven is asked when they are not here yet."""
    found = present(names)
    if len(found) < len(names):
        copy(HERE / "pom.xml", JARS, "-DexcludeTransitive=true")
        found = present(names)
    assert len(found) == len(names), f"pom.xml has no jar for one of {names}"
    return tuple(str(file) for file in found)


def copy(pom: Path, to: Path, *options: str) -> None:
    """Have Maven copy the dependencies that a POM names into a folder."""
    target = to.with_name(f"{to.name}-{os.getpid()}")  # two test processes may ask at once
    command = ["mvn", "-q", "-B", "-f", str(pom), GOAL, *options, f"-DoutputDirectory={target}"]
    subprocess.run(command, check=True, timeout=600)
    to.mkdir(parents=True, exist_ok=True)
    for file in target.iterdir():
        file.replace(to / file.name)
    target.rmdir()


def present(names: tuple[str, ...]) -> list[Path]:
    """Those of the jars that are here."""
    return [file for name in names for file in sorted(JARS.glob(f"{name}-[0-9]*.jar"))]
