"""Build what is published: `make dist`.

    python -m dev.dist [FOLDER]     # dist/ by default

FOLDER gets the wheel and the source distribution of each project, and an SBOM (CycloneDX) of each
wheel with its dependencies as constraints.txt pins them. Each wheel is built from its unpacked
source distribution, so that one that is incomplete fails here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import requires
from pathlib import Path
from typing import Any, NamedTuple

from airflow_colgraph import __version__
from dev.build_ui import DIST, ROOT

PROGRAMS = Path(sys.executable).parent
PINS = ROOT / "constraints.txt"
ENDINGS = ("-py3-none-any.whl", ".tar.gz")
PUBLISHED = ("*.whl", "*.tar.gz", "*.cdx.json")
# A heading of the page's licenses.md: ## react - 19.3.1 (MIT)
BUNDLED = re.compile(r"^## (\S+) - (\S+) \((.+)\)$", re.MULTILINE)

Json = dict[str, Any]


class Project(NamedTuple):
    """A distribution: where its pyproject.toml is, and the extras that its SBOM covers."""

    name: str
    folder: Path
    extras: str
    page: bool

    def file(self, suffix: str) -> str:
        """The name of its file: file(".tar.gz")."""
        return f"{self.name.replace('-', '_')}-{__version__}{suffix}"


PROJECTS = (
    Project("colgraph", ROOT / "distributions" / "colgraph", "api,parquet,postgres,sql", True),
    Project("airflow-colgraph", ROOT, "openlineage", False),
)


def run(program: str, *arguments: str | Path) -> None:
    """Run one of the virtual environment's programs; CalledProcessError if it fails."""
    subprocess.run([PROGRAMS / program, *arguments], check=True)


def run_sbom_tool(program: str, *arguments: str | Path) -> str:
    """What a program prints where the SBOM's package is: an environment of its own.

    Beside it, whatever imports jsonschema, as each Airflow process does, takes 2 s of CPU longer:
    its validators bring grammars that are built at import.
    """
    options = ["--quiet", "--python", sys.executable, "--constraints", PINS]
    command = [PROGRAMS / "uv", "tool", "run", *options, "--from", "cyclonedx-bom", program]
    done = subprocess.run([*command, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def install(python_environment: Path, wheels: Path, *requirements: str) -> None:
    """Make an environment with `requirements`: ours from `wheels`, all others as pinned."""
    run("uv", "venv", "--quiet", "--python", sys.executable, python_environment)
    options = ["--constraint", str(PINS), "--find-links", str(wheels)]
    for project in PROJECTS:  # not one of the same name that was built before
        options += ["--refresh-package", project.name]
    python = python_environment / "bin" / "python"
    run("uv", "pip", "install", "--quiet", "--python", python, *options, *requirements)


def bundled() -> list[Json]:
    """The components of the built page, as CycloneDX has them."""
    found = BUNDLED.findall((DIST / "licenses.md").read_text(encoding="utf-8"))
    return [
        {
            "type": "library",
            "bom-ref": f"{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "licenses": [{"expression": licence}],
        }
        for name, version, licence in found
    ]


def sbom(project: Project, wheels: Path) -> Json:
    """The project's SBOM: an environment with its wheel, and what the page bundles."""
    with tempfile.TemporaryDirectory() as folder:
        environment, file = Path(folder, "environment"), Path(folder, "sbom.json")
        install(environment, wheels, f"{project.name}[{project.extras}]=={__version__}")
        # Validation takes twenty times as long as the rest; a test does it.
        options = ["--no-validate", "--output-reproducible", "--mc-type", "library"]
        options += ["--pyproject", str(described(project, Path(folder))), "-o", str(file)]
        run_sbom_tool("cyclonedx-py", "environment", *options, environment / "bin" / "python")
        found: Json = json.loads(file.read_text(encoding="utf-8"))
    main = found["metadata"]["component"]
    main |= {"version": __version__, "purl": f"pkg:pypi/{project.name}@{__version__}"}
    if project.page:
        components = bundled()
        found["components"] += components
        (needs,) = (one for one in found["dependencies"] if one["ref"] == main["bom-ref"])
        needs["dependsOn"] += [one["bom-ref"] for one in components]
    return found


def described(project: Project, folder: Path) -> Path:
    """The project's pyproject.toml in a folder, with the dependencies that hatch_build.py sets."""
    needed = [one for one in requires(project.name) or () if "extra ==" not in one]
    text = (project.folder / "pyproject.toml").read_text(encoding="utf-8")
    stated = f'dynamic = ["version"]\ndependencies = {json.dumps(needed)}'
    file = folder / "pyproject.toml"
    file.write_text(re.sub(r'^dynamic = .*"dependencies".*$', stated, text, flags=re.MULTILINE))
    return file


def build(into: Path) -> None:
    """Build, check and describe every project; files of an earlier build are removed first."""
    into.mkdir(parents=True, exist_ok=True)
    for old in (file for pattern in PUBLISHED for file in into.glob(pattern)):
        old.unlink()
    for project in PROJECTS:
        run("uv", "build", "--quiet", "-b", PINS, "-o", into, project.folder)
    files = [into / project.file(suffix) for project in PROJECTS for suffix in ENDINGS]
    run("twine", "check", "--strict", *files)
    for project in PROJECTS:
        text = json.dumps(sbom(project, into), indent=2, ensure_ascii=False)
        (into / project.file(".cdx.json")).write_text(text + "\n", encoding="utf-8")
    for file in sorted(file for pattern in PUBLISHED for file in into.glob(pattern)):
        print(f"{file.stat().st_size:>10,}  {file}")


if __name__ == "__main__":
    build(Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist"))
