"""docs/check.md, the GitHub action and the pre-commit hook."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from airflow_colgraph.check.change import ADDITIVE, BREAKING, KINDS, Change, Dependents
from airflow_colgraph.check.formats import FORMATS
from airflow_colgraph.check.markdown import MARKER
from airflow_colgraph.check.settings import Settings, read
from airflow_colgraph.store.model.latest_lineage import Dataset

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/check.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / ".github/actions/check/action.yml").read_text(encoding="utf-8"))


def default(kind: str) -> str:
    """The severity by the default rules, as the page puts it."""
    table = Dataset("n", "d")
    used = Change(kind, table, "x", dependents=Dependents((("n", "e", "y"),)))
    both = [one.severity for one in Settings().judged([used, Change(kind, table, "x")])]
    return (
        both[0] if both[0] == both[1] else f"{both[0]} if something depends on it, else {both[1]}"
    )


def test_every_kind_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `([a-z]+-[a-z]+)` \| (.+?) \| (.+?) \|$", TEXT, re.MULTILINE)
    assert rows == [(kind, meaning, default(kind)) for kind, meaning in KINDS.items()]


def test_every_format_is_documented() -> None:
    part = TEXT.split("## Reports")[1]
    assert re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) == [
        "table",
        "markdown",
        "sarif",
        "junit",
        "json",
    ]
    assert set(FORMATS) == {"table", "markdown", "sarif", "junit", "json"}


def test_the_settings_on_the_page_are_valid(tmp_path: Path) -> None:
    silent, block, lesson = re.findall(r"```toml\n(.+?)```", TEXT, re.DOTALL)
    file = tmp_path / "colgraph.toml"
    file.write_text(silent)
    assert not read(file).judged([Change("lineage-missing", Dataset("shop", "cleanup"))])
    file.write_text(block)
    found = read(file)
    moving, breaking = found.rules[-2:]
    assert (moving.effect, breaking.classes, breaking.severity) == (
        "breaking",
        ("breaking",),
        "error",
    )
    (waiver,) = found.waivers
    assert (waiver.owner, str(waiver.until)) == ("anna", "2027-01-31")
    assert found.renamings[0].name(Dataset("file", "/tmp/ci/a")) == Dataset("s3://lake", "a")
    file.write_text(lesson)
    assert read(file).exports_of(Dataset("sqlite:///srv/mart.db", "report"))


def test_each_class_is_documented_with_its_kinds() -> None:
    rows = re.findall(r"^\| (breaking|non-breaking) \| (.+?) \|$", TEXT, re.MULTILINE)
    named = {name: set(re.findall(r"`([a-z]+-[a-z]+)`", text)) for name, text in rows}
    assert named == {"breaking": set(BREAKING), "non-breaking": set(ADDITIVE)}
    table, used = Dataset("n", "d"), Dependents((("n", "e", "y"),))
    effects = {
        kind: (
            Change(kind, table, "x", dependents=used).default_effect,
            Change(kind, table, "x").default_effect,
        )
        for kind in KINDS
    }
    assert effects["column-removed"] == ("breaking", "non-breaking")
    assert effects["column-added"] == ("non-breaking", "non-breaking")
    assert effects["expression-changed"] == ("unknown", "non-breaking")
    assert effects["lineage-unknown"] == ("unknown", "unknown")


def test_the_hook_calls_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["id"], hook["entry"]) == ("colgraph-check", "colgraph check")
    assert "id: colgraph-check" in TEXT


def act(folder: Path, comments: str, code: int) -> tuple[int, list[str]]:
    """Run the action with stand-ins for `colgraph` and `gh`; the calls of gh."""
    tools = folder / "bin"
    tools.mkdir()
    programs = {
        "colgraph": f'#!/bin/sh\necho "{MARKER}" >colgraph-check.md; echo "$@" >asked; exit {code}',
        "gh": f'#!/bin/sh\necho "$@" >> calls; case "$*" in *--paginate*) echo {comments};; esac',
        "jq": "#!/bin/sh\necho 7",
    }
    for name, text in programs.items():
        (tools / name).write_text(text + "\n")
        (tools / name).chmod(0o755)
    bash = shutil.which("bash")
    assert bash
    assert sys.platform != "win32"
    (step,) = ACTION["runs"]["steps"]
    ran = subprocess.run(
        [bash, "-e", "-c", step["run"]],
        cwd=folder,
        env={
            "PATH": f"{tools}:{os.environ['PATH']}",
            "EVENTS": "a.jsonl b.jsonl",
            "BASE": "main branch.jsonl",
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_EVENT_PATH": "event.json",
            "GITHUB_REPOSITORY": "o/r",
        },
        check=False,
    )
    assert (folder / "summary").read_text() == f"{MARKER}\n"
    assert (
        (folder / "asked")
        .read_text()
        .startswith("check --base main branch.jsonl --format markdown")
    )
    return ran.returncode, (folder / "calls").read_text().splitlines()


def test_the_action_writes_one_comment_and_fails_with_the_check(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    code, calls = act(tmp_path / "first", "", 1)
    assert code == 1
    assert calls[-1] == "api --silent repos/o/r/issues/7/comments -F body=@colgraph-check.md"
    code, calls = act(tmp_path / "second", "42", 0)
    assert code == 0
    assert calls[-1].startswith("api --silent -X PATCH repos/o/r/issues/comments/42 -F body=@")
