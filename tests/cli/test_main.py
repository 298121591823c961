"""What all commands share: where `--store` may stand, errors under one prefix, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from airflow_colgraph.cli import COMMANDS, main
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event


def colgraph(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, words, input=stdin)


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    Store.open(url).add([copy_event("job", 10, "mart", {"total": "orders.amount"})])
    return url


def datasets(*words: str) -> list[str]:
    result = colgraph(*words)
    assert result.exit_code == 0, result.output
    return [row["name"] for row in json.loads(result.stdout)]


def test_the_store_is_named_before_or_after_the_command(url: str) -> None:
    find = ("find", "mart", "--format", "json")
    assert datasets("--store", url, *find) == datasets(*find, "--store", url) == ["mart"]
    before = colgraph("--store", url, "upstream", "--name", "mart", "--field", "total")
    after = colgraph("upstream", "--store", url, "--name", "mart", "--field", "total")
    assert before.output == after.output
    assert "orders: amount" in after.output


def test_of_two_stores_the_last_one_counts(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = f"sqlite:///{tmp_path}/empty.db"
    find = ("find", "mart", "--format", "json")
    assert datasets("--store", empty, *find, "--store", url) == ["mart"]
    assert colgraph("--store", url, *find, "--store", empty).exit_code == 2
    monkeypatch.setenv("COLGRAPH_STORE", empty)
    assert colgraph(*find).exit_code == 2
    assert datasets(*find, "--store", url) == ["mart"]


@pytest.mark.parametrize(
    "words",
    [
        ("db", "migrate", "--store"),
        ("db", "key", "list", "--store"),
        ("db", "prune", "--before", "now", "--store"),
        ("db", "keep-events", "--store"),
        ("db", "export", "--store"),
        ("export", "csv", "--store"),
        ("fields", "--name", "mart", "--store"),
        ("history", "--name", "mart", "--store"),
        ("diff", "--name", "mart", "--before", "now", "--store"),
        ("downstream", "--name", "mart", "--store"),
    ],
    ids=" ".join,
)
def test_each_command_over_a_store_takes_it(url: str, words: tuple[str, ...]) -> None:
    result = colgraph(*words, url)
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("upstraem",), "No such command 'upstraem'. Did you mean 'upstream'?"),
        (("bundle", "x"), "No such command 'bundle'."),
        (("upstream",), "Missing option '--name'."),
        (("find",), "Missing argument 'TEXT'."),
        (("find", "x", "--json"), "No such option '--json'."),
        (("upstream", "--name", "x", "--format", "pdf"), "Invalid value for '--format': 'pdf' is"),
        (("db", "nothing"), "No such command 'nothing'."),
        (("ingest", "/no/such/file"), "/no/such/file does not exist."),
        (("show", "/no/such/file"), "/no/such/file does not exist."),
        (("paths", "/no/such/file"), "Invalid value for 'SCHEMA': File '/no/such/file' does"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    result = colgraph(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    errors = [line for line in result.stderr.splitlines() if "rror" in line]
    assert errors[0].startswith(f"colgraph: error: {message}")
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("url", "code"), [("nonsense", 2), ("nosuch://host/x", 2), ("sqlite:////proc/x/y.db", 2)]
)
def test_a_store_that_cannot_be_used_is_one_line(url: str, code: int) -> None:
    result = colgraph("find", "x", "--store", url)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("colgraph: error: The store")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_output_formats_have_one_option(name: str) -> None:
    text = colgraph(name, "--help").output
    assert "--json" not in text
    if name in ("show", "upstream", "downstream", "find", "fields", "history", "diff"):
        assert "--format" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_is_its_own(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert COMMANDS[name] == command.get_short_help_str(limit=1000)


def test_help_imports_no_command() -> None:
    code = (
        "import sys\nfrom airflow_colgraph.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('airflow', 'orjson', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    commands = done.stdout.partition("Commands:\n")[2].splitlines()[: len(COMMANDS)]
    assert [line.split()[0] for line in commands] == list(COMMANDS)
    assert done.stdout.endswith("[]\n")
