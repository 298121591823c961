"""What `make dist` builds: two distributions of one package, with Airflow and without it."""

import json
import os
import shutil
import subprocess
import tarfile
import urllib.request
from email import message_from_bytes
from email.message import Message
from importlib.metadata import distribution, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from airflow_colgraph import __version__
from airflow_colgraph.get_provider_info import OPTIONS
from dev.build_ui import DIST, ROOT
from dev.dist import ENDINGS, PINS, PROGRAMS, PROJECTS, install, run_sbom_tool
from tests.cli.test_serve import serving
from tests.store.samples import event, output

pytestmark = [pytest.mark.dist, pytest.mark.xdist_group("dist")]

GROUPS = ["apache_airflow_provider", "airflow.plugins", "airflow.policy"]
CODE, PROVIDER = PROJECTS

# Every file and entry point of the installed distributions whose name contains "colgraph".
INSTALLED = """
import json
from importlib.metadata import distributions
print(json.dumps({
    one.name: {
        "files": [str(file) for file in one.files],
        "entry points": sorted(point.group for point in one.entry_points),
    }
    for one in distributions() if "colgraph" in one.name
}))
"""
PROVIDERS = """
import json
from importlib.metadata import entry_points
from airflow.configuration import conf
from airflow.providers_manager import ProvidersManager
found = ProvidersManager().providers["airflow-colgraph"]
ours = [p for group in GROUPS for p in entry_points(group=group) if "colgraph" in p.value]
print(json.dumps({
    "version": found.version,
    "name": found.data["package-name"],
    "option": conf.get("colgraph", "max_input_fields"),
    "entry points": [point.group for point in ours],
    "loaded": [point.load() is not None for point in ours],
}))
"""
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
"""


def shell(*command: str | Path, **variables: str) -> str:
    """What the command prints; none of the variables that configure Airflow or colgraph."""
    path = f"{Path(command[0]).parent}:/usr/bin:/bin"
    return subprocess.run(
        command,
        env={"PATH": path, "HOME": "/none", **variables},
        cwd="/",
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make dist` has filled."""
    folder = tmp_path_factory.mktemp("published")
    quiet = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-C", str(ROOT), "dist", f"INTO={folder}"]
    done = subprocess.run(
        command, env=quiet, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == len(PROJECTS) * len(ENDINGS), "twine check"
    return folder


@pytest.fixture(scope="session")
def lean(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with `colgraph` alone."""
    environment = tmp_path_factory.mktemp("lean")
    install(environment, published, f"colgraph=={__version__}")
    return environment / "bin"


@pytest.fixture(scope="session")
def provider(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with `airflow-colgraph` alone."""
    environment = tmp_path_factory.mktemp("provider")
    install(environment, published, f"airflow-colgraph=={__version__}")
    return environment / "bin"


def wheel(published: Path, project: Any) -> ZipFile:
    return ZipFile(published / project.file("-py3-none-any.whl"))


def metadata(wheel: ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(wheel.read(name))


def test_make_dist_builds_a_wheel_a_source_distribution_and_an_sbom_of_each(
    published: Path,
) -> None:
    expected = {project.file(ending) for project in PROJECTS for ending in (*ENDINGS, ".cdx.json")}
    assert {file.name for file in published.iterdir()} - {".gitignore"} == expected


def test_the_code_is_in_one_wheel_only(published: Path) -> None:
    package = ROOT / "airflow_colgraph"
    skipped = {"__pycache__", "ui"}
    code = {
        path
        for path in package.rglob("*")
        if path.is_file() and skipped.isdisjoint(path.relative_to(package).parts)
    }
    page = {path for path in DIST.rglob("*") if path.is_file()}
    names = {name for name in wheel(published, CODE).namelist() if ".dist-info/" not in name}
    assert names == {str(path.relative_to(ROOT)) for path in code | page}
    assert all(".dist-info/" in name for name in wheel(published, PROVIDER).namelist())


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_each_file_contains_the_licence_and_the_notice(published: Path, project: Any) -> None:
    found = wheel(published, project)
    assert metadata(found)["License-Expression"] == "Apache-2.0"
    assert metadata(found).get_all("License-File") == ["LICENSE", "NOTICE"]
    folder = project.file(".dist-info")
    with tarfile.open(published / project.file(".tar.gz")) as sources:
        for name in ("LICENSE", "NOTICE"):
            text = (ROOT / name).read_bytes()
            assert found.read(f"{folder}/licenses/{name}") == text
            member = sources.extractfile(f"{project.file('')}/{name}")
            assert member is not None
            assert member.read() == text


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_source_distribution_makes_the_same_wheel_without_node(
    published: Path, project: Any, tmp_path: Path
) -> None:
    command = [str(PROGRAMS / "uv"), "build", "--quiet", "--wheel", "-b", str(PINS)]
    source = published / project.file(".tar.gz")
    environment = {**os.environ, "PATH": "/none", "UV_PYTHON": str(PROGRAMS / "python")}
    subprocess.run([*command, "-o", tmp_path, source], env=environment, check=True)
    name = project.file("-py3-none-any.whl")
    assert (tmp_path / name).read_bytes() == (published / name).read_bytes()


def test_the_provider_requires_the_same_version_airflow_and_spark(published: Path) -> None:
    required = metadata(wheel(published, PROVIDER)).get_all("Requires-Dist", [])
    always = {one.name: one for one in map(Requirement, required) if one.marker is None}
    airflow = {"apache-airflow", "apache-airflow-providers-apache-spark"}
    assert set(always) == {*airflow, "colgraph", "google-re2"}
    assert str(always["colgraph"].specifier) == f"=={__version__}"
    lean = metadata(wheel(published, CODE)).get_all("Requires-Dist", [])
    assert not [one for one in lean if "airflow" in one]


def test_the_tests_environment_has_no_grammars_that_slow_airflow_down() -> None:
    assert find_spec("rfc3987_syntax") is None, "see dev.dist.run_sbom_tool"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_sbom_names_what_the_wheel_requires_and_what_the_page_bundles(
    published: Path, project: Any
) -> None:
    file = published / project.file(".cdx.json")
    found = json.loads(file.read_text(encoding="utf-8"))
    main = found["metadata"]["component"]
    assert (main["name"], main["version"]) == (project.name, __version__)
    purls = [one["purl"].partition("@")[0].lower() for one in found["components"]]
    names = {purl.removeprefix("pkg:pypi/") for purl in purls if purl.startswith("pkg:pypi/")}
    required = map(Requirement, metadata(wheel(published, project)).get_all("Requires-Dist", []))
    assert {one.name for one in required if one.marker is None} <= names
    assert ("apache-airflow" in names) is (project is PROVIDER)
    assert ("pkg:npm/react" in purls) is (project is CODE)
    if project is CODE:  # the other one takes a quarter of a minute
        direct = json.loads((DIST.parent / "package.json").read_text())["dependencies"]
        npm = {purl.removeprefix("pkg:npm/") for purl in purls if purl.startswith("pkg:npm/")}
        assert {name.replace("@", "%40") for name in direct} - npm == set()
        assert run_sbom_tool("python", "-c", VALIDATE, file) == "None\n"


def test_the_lean_environment_has_no_airflow(lean: Path) -> None:
    (installed,) = json.loads(shell(lean / "python", "-c", INSTALLED)).items()
    assert installed[0] == "colgraph"
    assert installed[1]["entry points"] == ["console_scripts", "pytest11"]
    find = "from importlib.util import find_spec; print([find_spec(name) for name in {}])"
    absent = ["airflow", "openlineage", "pyspark", "fastapi"]
    assert shell(lean / "python", "-c", find.format(absent)) == f"{[None] * len(absent)}\n"


@pytest.mark.parametrize("command", ["", "submit", "show", "ingest", "upstream", "serve", "db"])
def test_every_command_explains_itself_without_airflow(lean: Path, command: str) -> None:
    assert shell(lean / "colgraph", *command.split(), "--help").startswith("Usage: colgraph")


def test_events_go_through_the_lean_store(lean: Path, tmp_path: Path) -> None:
    file, store = tmp_path / "events.jsonl", f"sqlite:///{tmp_path}/colgraph.db"
    mart = event("shop.mart", 1, [output("mart", {"t": "raw.a DIRECT:AGGREGATION"})])
    file.write_text(json.dumps(mart))
    assert "mart" in shell(lean / "colgraph", "show", file)
    shell(lean / "colgraph", "--store", store, "ingest", file)
    question = ["upstream", "--namespace", "n", "--name", "mart", "--field", "t"]
    answer = shell(lean / "colgraph", "--store", store, *question, "--format", "csv")
    assert "raw,a," in answer.splitlines()[1]


def test_the_extra_api_serves_the_page_without_node(
    published: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    environment = tmp_path_factory.mktemp("api")
    install(environment, published, f"colgraph[api]=={__version__}")
    colgraph = [str(environment / "bin" / "colgraph")]
    with serving(f"sqlite:///{environment}/colgraph.db", colgraph=colgraph) as (address, _):
        page = urllib.request.urlopen(address).read()
    assert page == (DIST / "index.html").read_bytes()


def test_airflow_finds_the_provider_once(provider: Path, tmp_path: Path) -> None:
    installed = json.loads(shell(provider / "python", "-c", INSTALLED))
    assert installed["airflow-colgraph"]["entry points"] == sorted(GROUPS)
    assert installed["colgraph"]["entry points"] == ["console_scripts", "pytest11"]
    assert set(installed) == {"colgraph", "airflow-colgraph"}
    files = [set(one["files"]) for one in installed.values()]
    assert set.intersection(*files) == set()

    code = f"GROUPS = {GROUPS}\n{PROVIDERS}"
    found = shell(provider / "python", "-c", code, AIRFLOW_HOME=str(tmp_path), HOME=str(tmp_path))
    seen = json.loads(found.splitlines()[-1])
    assert seen["version"] == __version__
    assert seen["name"] == "airflow-colgraph"
    assert seen["option"] == OPTIONS["max_input_fields"]["default"]
    assert seen["entry points"] == GROUPS
    assert seen["loaded"] == [True, True, True]
    assert "colgraph, version" in shell(provider / "colgraph", "--version")


def test_the_checkout_is_installed_as_both(tmp_path: Path) -> None:
    for project in PROJECTS:
        assert distribution(project.name).version == __version__
    assert f"colgraph=={__version__}" in (requires("airflow-colgraph") or [])
    assert shutil.which("colgraph", path=str(PROGRAMS)) is not None
