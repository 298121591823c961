"""README followed literally: its blocks in order, in a copy of the clone and a fresh home."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", README, flags=re.M | re.S)
HOME = "/home/me"  # as README prints it
MARK = "# -- "


def clone(folder: Path) -> None:
    """Copy what git tracks or would track, and the page if it is built."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    built = (ROOT / "airflow_colgraph/ui/dist").rglob("*")
    files = {ROOT / name for name in names.split("\0") if name} | set(built)
    for file in files:
        if file.is_file():
            target = folder / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def steps() -> list[tuple[str, str]]:
    """Each command in README's order and what it prints; a named block is a file to write."""
    found: list[tuple[str, str]] = []
    for kind, name, text in BLOCKS:
        if name:
            found.append((f"cat > {name} <<'END'\n{text}END", ""))
        elif kind == "bash":
            found += [(line, "") for line in text.splitlines()]
        elif kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, _, printed = part.partition("\n")
                found.append((command, printed))
    return found


def squeezed(text: str) -> list[str]:
    """Lines without their alignment, which depends on the length of the home's path."""
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.spark
@pytest.mark.airflow
@pytest.mark.xdist_group("readme")
def test_the_blocks_run_in_order_and_print_what_readme_shows(tmp_path: Path) -> None:
    home = tmp_path.resolve() / "home"
    home.mkdir()
    clone(tmp_path / "clone")
    wanted = steps()
    script = "set -e\n" + "".join(
        f"echo '{MARK}{number}'\n{command}\n" for number, (command, _) in enumerate(wanted)
    )
    programs = Path(sys.executable).parent
    path = [part for part in os.environ["PATH"].split(":") if part != str(programs)]
    kept = {name: of for name, of in os.environ.items() if name.startswith(("JAVA", "PIP", "SSL"))}
    # PySpark as `make setup` built it: pip would build it anew.
    kept["PIP_NO_COMPILE"] = "1"  # a third of the time, for modules that are mostly not imported
    kept["PIP_FIND_LINKS"] = f"{kept.get('PIP_FIND_LINKS', '')} {programs.parent / 'wheels'}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path / "clone",
        env={**kept, "PATH": ":".join(path), "HOME": str(home), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    printed = re.split(rf"^{MARK}\d+\n", done.stdout.replace(str(home), HOME), flags=re.M)[1:]
    assert len(printed) == len(wanted)
    shown = [(command, squeezed(text)) for command, text in wanted if text]
    real = [
        (command, squeezed(output))
        for (command, text), output in zip(wanted, printed, strict=True)
        if text
    ]
    assert real == shown
    assert len(shown) >= 3
    assert {command.split()[0] for command, _ in wanted} >= {"pip", "airflow", "colgraph"}
