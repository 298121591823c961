"""The documentation names every option, property, extra, command and target; its links work."""

import configparser
import json
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
import tomllib

from airflow_colgraph.cli import COMMANDS, main
from airflow_colgraph.collector.settings import OPTIONS, PREFIX
from airflow_colgraph.get_provider_info import OPTIONS as AIRFLOW_OPTIONS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
CONFIGURATION = (DOCS / "configuration.md").read_text(encoding="utf-8")
COMMAND_LINE = (DOCS / "cli.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def documented(first_cell: str, page: str) -> bool:
    return re.search(rf"^\| `{re.escape(first_cell)}`", page, flags=re.M) is not None


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_spark_property_is_documented(option: SimpleNamespace) -> None:
    default = str(option.default).lower() if isinstance(option.default, bool) else option.default
    shown = f"`{default}`" if default not in ("", (), None) else ""
    assert f"| `{PREFIX}{option.name}` | {shown} | {option.help} |" in CONFIGURATION


@pytest.mark.parametrize("option", AIRFLOW_OPTIONS)
def test_every_airflow_option_is_documented(option: str) -> None:
    assert documented(option, CONFIGURATION)


def test_every_extra_is_documented() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    page = (DOCS / "installation.md").read_text(encoding="utf-8")
    assert {name for name in extras if not documented(name, page)} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_and_has_an_example(name: str) -> None:
    assert documented(f"colgraph {name}", COMMAND_LINE)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help
    assert isinstance(command, click.Group) or "xample" in (command.help + (command.epilog or ""))


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*?## ", (ROOT / "Makefile").read_text(), flags=re.M))


def test_every_make_target_is_documented() -> None:
    assert {name for name in targets() if not documented(f"make {name}", CONTRIBUTING)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_command_of_a_page_is_a_target(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:bash|console)?\n(.*?)^```", text, flags=re.M | re.S)
    named = re.findall(r"^(?:\$ )?make ([\w-]+)", "".join(blocks), flags=re.M)
    assert set(named + re.findall(r"`make ([\w-]+)", text)) <= targets()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_ini_block_is_an_openlineage_transport() -> None:
    from openlineage.client.transport import get_default_factory

    page = (DOCS / "airflow.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```ini\n(.*?)^```", page, flags=re.M | re.S)
    parser = configparser.ConfigParser()
    parser.read_string(text)
    config = json.loads(parser["openlineage"]["transport"])
    config["url"] = "sqlite://"
    assert get_default_factory().create(config).kind == "colgraph"


def test_every_page_is_in_the_table_of_contents() -> None:
    """docs/conf.py makes it of the links in the lists of index.md."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"^\* .*?\]\(([\w./]+)\)", index, flags=re.M)
    files = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(DOCS / "reference").glob("*.rst")]
    assert sorted(DOCS / link for link in linked) == sorted(
        DOCS / ".." / file.name if file.parent == ROOT else file
        for file in files
        if file.name != "index.md"
    )
