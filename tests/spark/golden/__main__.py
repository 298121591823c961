"""Runs Spark's golden SQL suite: `make golden`, or `python -m tests.spark.golden`.

Each statement is run without the collector and with it, and gives the same; each query is also
written, and its lineage is judged by what other values in its tables change. It prints what is
wrong and a table of the counts, and ends with 1 where anything is.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyspark

from tests.spark.golden.judged import Finding, Judging
from tests.spark.golden.report import Report, is_recorded, record, reported, unexplained
from tests.spark.golden.runs import SPARK, Outcome, comparable, observed, outcomes, plain_session
from tests.spark.golden.suite import File, Settings, Suite, jar
from tests.spark.golden.tables import create_tables
from tests.spark.session import Session

JUDGED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.runSQLOnFiles": "false",  # else each analysis looks for a format of that name
    "spark.sql.shuffle.partitions": "1",
}
VERSION = pyspark.__version__
FILES_AT_ONCE = 50
Jobs = list[tuple[File, Settings]]
Results = dict[tuple[str, Settings], list[Outcome]]
Keep = Callable[[Report], None]


def progress(jobs: Jobs, what: str) -> Iterator[tuple[File, Settings]]:
    """The jobs one after the other, with a bar where there is a terminal."""
    for number, (file, variant) in enumerate(jobs):
        if sys.stderr.isatty():
            done = 30 * number // len(jobs)
            bar = "#" * done + "." * (30 - done)
            sys.stderr.write(f"\r{what} [{bar}] {number}/{len(jobs)} {file.name[:40]:40}")
            sys.stderr.flush()
        yield file, variant
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 100 + "\r")


def without_collector(suite: Suite, jobs: Jobs, root: Path) -> Results:
    """What each file gives without the collector."""
    spark = plain_session(root, SPARK)
    create_tables(spark, suite, root, {file.suite for file, _ in jobs})
    found = {
        (file.name, variant): outcomes(spark, file, variant)
        for file, variant in progress(jobs, "without")
    }
    spark.stop()
    return found


def compare(session: Session, jobs: Jobs, before: Results, report: Report, keep: Keep) -> None:
    """Run each file with the collector: the same results, and events without a failure."""
    for file, variant in progress(jobs, "with"):
        known = before[file.name, variant]
        report.count(file.suite, file.name, statements=0)
        for place, (outcome, events, as_write) in enumerate(observed(session, file, variant)):
            statement = file.statements[place]
            same = outcome.comparable in (known[place].comparable, wanted(file, place))
            if not same:
                report.find("another result", file.name, statement)
            if as_write is not None and not any(event["outputs"] for event in as_write):
                report.find("a write without an event", file.name, statement)
            resolved = classes_in([*events, *(as_write or [])])
            for name in unexplained(resolved):
                report.find(f"reported {name}", file.name, statement)
            report.count(
                file.suite,
                file.name,
                statements=1,
                run=not outcome.is_error,
                same=same,
                written=as_write is not None,
                reported=bool(resolved),
            )
        keep(report)


def wanted(file: File, place: int) -> object:
    """What the suite expects of a statement, as `Outcome.comparable`."""
    if not file.expected:
        return None
    _, schema, output = file.expected[place]
    return schema, comparable(tuple(output.split("\n")))


def classes_in(events: Iterable[dict[str, object]]) -> list[str]:
    """What the events of one statement report."""
    facets = (event["run"]["facets"] for event in events)  # type: ignore[index]
    return [name for found in facets for name in reported(found.get("colgraph_diagnostics", {}))]


def judge(
    session: Session, jobs: Jobs, every: int, report: Report, keep: Keep, seen: set[object]
) -> None:
    """Judge the queries that read a table, but for those that were seen before."""
    for file, variant in progress(jobs, "judged"):
        report.count(file.suite, file.name, judged=0)
        for finding in Judging(session, file, variant).findings(seen, every):
            add(report, file, finding)
        keep(report)


def add(report: Report, file: File, finding: Finding) -> None:
    """What came out of one query."""
    verdict, shown = finding.verdict, finding.shown
    why = verdict.why_not.split("]")[0][:60]
    if why:
        report.why_not[why] = report.why_not.get(why, 0) + 1
        return
    wrong = {
        "lost": verdict.lost,
        "not reported as DIRECT": shown.indirect,
        "reported as IDENTITY": shown.changed,
    }
    for what, edges in wrong.items():
        for column, (table, path) in edges:
            edge = f"{'.'.join(column)} <- {table}.{'.'.join(path)}"
            report.find(f"{what}: {edge}", file.name, finding.statement)
    for name in unexplained(reported(finding.diagnostics)):
        report.find(f"reported {name}", file.name, finding.statement)
    lost = any(wrong.values())
    report.count(file.suite, file.name, judged=1, right=not lost, lost=lost)


def chosen(suite: Suite, names: list[str], every_variant: bool) -> Jobs:
    """The files whose names begin with one of `names`, with their settings."""
    files = [file for file in suite.files() if file.name.startswith(tuple(names) or "")]
    most = None if every_variant else 1
    return [(file, variant) for file in files for variant in islice(file.variants(), most)]


def run(
    jobs: Jobs,
    suite: Suite,
    every: int,
    only: str = "",
    keep: Keep = lambda report: None,
) -> Report:
    """What the files show; `keep` is called after each of them.

    So many files at a time are run without the collector and with it, so that a run of hours that
    ends early has kept whole counts.
    """
    report = Report()
    seen: set[object] = set()
    for start in range(0, len(jobs), FILES_AT_ONCE):
        _run(jobs[start : start + FILES_AT_ONCE], suite, every, only, keep, report, seen)
    return report


def _run(
    jobs: Jobs, suite: Suite, every: int, only: str, keep: Keep, report: Report, seen: set[object]
) -> None:
    root = Path(tempfile.mkdtemp(prefix="colgraph-golden-"))
    before = {} if only == "lineage" else without_collector(suite, jobs, root / "plain")
    session = Session(root, {**SPARK, **(JUDGED if only == "lineage" else {})}, statements=[])
    create_tables(session.spark, suite, root, {file.suite for file, _ in jobs})
    if only != "lineage":
        compare(session, jobs, before, report, keep)
    if only != "results":
        for name, value in JUDGED.items():
            session.spark.conf.set(name, value)
        judge(session, jobs, every, report, keep, seen)
    session.stop()


def printing(is_recorded: bool) -> Keep:
    """Print what was found in each file at once, as a run takes hours, and keep its counts."""
    printed = 0

    def keep(report: Report) -> None:
        nonlocal printed
        for finding in report.findings[printed:]:
            print(finding, flush=True)
        printed = len(report.findings)
        if is_recorded:
            record(VERSION, report)

    return keep


def main() -> int:
    """Run what is asked for, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.spark.golden", description=__doc__)
    parser.add_argument("files", nargs="*", help="beginnings of the files' names; else all")
    parser.add_argument("--every", type=int, default=1, help="judge only each so manieth statement")
    parser.add_argument("--only", choices=("results", "lineage"), default="", help="one half")
    parser.add_argument("--dimensions", action="store_true", help="with each --CONFIG_DIM")
    parser.add_argument("--record", action="store_true", help="keep the counts of each file")
    parser.add_argument("--resume", action="store_true", help="only files without kept counts")
    given = parser.parse_args()
    logging.disable(logging.ERROR)  # a statement that Spark refuses is a result like others
    suite = Suite(jar(VERSION))
    jobs = chosen(suite, given.files, given.dimensions)
    if given.resume:
        jobs = [one for one in jobs if not is_recorded(VERSION, *one[0][:2], given.only)]
    report = run(jobs, suite, given.every, given.only, printing(given.record))
    print(report.table())
    print("not judged:", dict(sorted(report.why_not.items(), key=lambda item: -item[1])))
    return 1 if report.findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
