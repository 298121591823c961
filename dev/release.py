"""Tell what keeps this commit from being released; `make release-check` builds the files first.

python -m dev.release [TAG]     # exit code 1, and a line for each problem
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from airflow_colgraph import __version__
from dev.build_ui import ROOT
from dev.dist import ENDINGS, PROJECTS


def notes_problems(changelog: str, version: str) -> list[str]:
    """What is wrong with the changelog for a release of the version."""
    heading = re.search(r"^## (\S+) \((.+)\)$", changelog, re.MULTILINE)
    if heading is None or heading[1] != version:
        return [f"CHANGELOG.md does not begin with version {version}, which __version__ is."]
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", heading[2]):
        return [f"CHANGELOG.md has no date for {version}: '{heading[2]}'."]
    return []


def tag_problems(tag: str, version: str) -> list[str]:
    """What is wrong with the tag of a release of the version; none without a tag."""
    return [f"The tag is {tag}. Expected v{version}."] if tag not in ("", f"v{version}") else []


def url_problems(projects: Iterable[Path]) -> list[str]:
    """The projects whose URLs still name nobody's repository."""
    return [
        f"[project.urls] in {file.relative_to(ROOT)} names OWNER. Put the repository's owner there."
        for file in projects
        if "github.com/OWNER/" in file.read_text(encoding="utf-8")
    ]


def file_problems(folder: Path) -> list[str]:
    """The files that are not built."""
    names = (project.file(ending) for project in PROJECTS for ending in ENDINGS)
    missing = (name for name in names if not (folder / name).exists())
    return [f"{name} is not in {folder.name}/. Run make dist." for name in missing]


def tree_problems() -> list[str]:
    """Whether what was built is not what is committed."""
    status = ["git", "-C", str(ROOT), "status", "--porcelain"]
    changed = subprocess.run(status, check=True, capture_output=True, text=True).stdout
    return ["There are changes that are not committed."] if changed else []


def main(tag: str = "") -> int:
    """Print the problems; the exit code."""
    problems = [
        *notes_problems((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), __version__),
        *tag_problems(tag, __version__),
        *url_problems(project.folder / "pyproject.toml" for project in PROJECTS),
        *file_problems(ROOT / "dist"),
        *tree_problems(),
    ]
    for problem in problems:
        print(f"release-check: {problem}")
    if not problems:
        print(f"release-check: {__version__} can be released")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
