"""Programs that nobody here wrote: does each write have lineage, or a reason why it has none?

    python -m oracles.public_programs [--match GLOB ...] [--json FILE] [--record]
    python -m oracles.public_programs CHECKOUT [--match GLOB ...]
    python -m oracles.public_programs CHECKOUT [--conf NAME=VALUE ...] -- PROGRAM.py [ARGUMENT ...]

Without CHECKOUT: the examples that come with PySpark, on small files made here under the names that
they read. With it: every program of a checkout that names Spark, or one with arguments, run in a
copy of the checkout, which is on PYTHONPATH before what was there. Each is submitted by `colgraph
submit`; one that fails is submitted plainly too. `--record` keeps the counts for docs/coverage.md,
for a checkout under the name of its folder. The exit code is 1 if a program fails only with the
collector, or a write has neither lineage nor a reason.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

import pyspark

from oracles import public_results
from oracles.public_results import ENDED, FAILED, GAPS, PARTLY, REPORTED, SILENT, WHOLE

SPARK = Path(pyspark.__file__).parent
EXAMPLES = "examples/src/main/python"
RESOURCES = "examples/src/main/resources"
SUBMIT = ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
SUBMIT += ["--conf", "spark.sql.shuffle.partitions=2", "--driver-memory", "1g"]
PYSPARK = "PySpark's examples"  # the suite's name
LONGEST = 300.0  # seconds of one run
BESIDE = 2  # programs at a time
# What examples are called with; those that wait for a socket or a topic end with their usage.
ARGUMENTS = {
    "kmeans.py": ["data/mllib/kmeans_data.txt", "2", "0.1"],
    "logistic_regression.py": [f"{RESOURCES}/points.txt", "2"],
    "pagerank.py": ["data/mllib/pagerank_data.txt", "2"],
    "sort.py": [f"{RESOURCES}/numbers.txt"],
    "wordcount.py": [f"{RESOURCES}/people.txt"],
    "mllib/word2vec.py": [f"{RESOURCES}/people.txt"],
    "ml/dataframe_example.py": ["data/mllib/sample_libsvm_data.txt"],
}
TEXTS = {
    "people.json": '{"name":"Ada"}\n{"name":"Bo","age":30}\n{"name":"Cy","age":19}\n',
    "people.csv": "name;age;job\nAda;30;Developer\nBo;32;Developer\n",
    "people.txt": "Ada, 29\nBo, 30\nCy, 19\n",
    "people.xml": "<people><person><name>Ada</name><age>29</age></person></people>\n",
    "kv1.txt": "".join(f"{number}\x01val_{number}\n" for number in range(50)),
    "numbers.txt": "3 1 2\n",
    "points.txt": "".join(f"{n % 2} {' '.join([str(n)] * 10)}\n" for n in range(20)),
    "dir1/file3.json": '{"file":"corrupt"}\n',
}
MAKE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
users = [("Ada", None, [3, 9]), ("Bo", "red", [])]
users = spark.createDataFrame(users, "name string, favorite_color string, numbers array<int>")
users.coalesce(1).write.parquet("users.parquet")
users.coalesce(1).write.orc("users.orc")
for name in ("dir1/file1.parquet", "dir1/dir2/file2.parquet"):
    spark.createDataFrame([(name,)], "file string").coalesce(1).write.parquet(name)
"""

# Writes whose columns have no inputs, as they hold only values that the program has: looked at.
CONSTANTS = {
    (f"{EXAMPLES}/sql/hive.py", "spark-warehouse/src"),  # CREATE TABLE, without rows
    (f"{EXAMPLES}/sql/udtf.py", "spark-warehouse/values_table"),  # INSERT .. VALUES
    ("code/chap07/python/datasource_csv_writer.py", "out/d"),  # createDataFrame of a list
}

Json = dict[str, Any]


class Write(NamedTuple):
    """One output: how many of its columns have inputs, which have none, and what is reported."""

    name: str
    columns: int
    without: tuple[str, ...]
    reasons: tuple[str, ...]
    is_known: bool  # it is among CONSTANTS, or its files are another dataset's: LOAD DATA

    @property
    def is_silent(self) -> bool:
        """No column has inputs, and nothing says why."""
        return not self.reasons and not self.is_known and len(self.without) == self.columns


class Ran(NamedTuple):
    """What came of one program."""

    program: str
    code: int
    plain: int | None  # the exit code without the collector, if it was asked for
    writes: tuple[Write, ...]
    gaps: tuple[str, ...]  # writes that Spark counts and no event has

    @property
    def is_wrong(self) -> bool:
        """The collector harmed it, or a write is lost in silence."""
        harmed = self.plain is not None and self.plain != self.code
        return harmed or any(write.is_silent for write in self.writes)


# Running ------------------------------------------------------------------------------------------


def examples_root(folder: Path) -> None:
    """Lay out PySpark's examples, their data, and files under the names that they read."""
    made = folder / RESOURCES
    for name, text in TEXTS.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    (made / "make.py").write_text(MAKE, encoding="utf-8")
    command = [SPARK / "bin" / "spark-submit", *SUBMIT, "make.py"]
    subprocess.run(command, cwd=made, check=True, capture_output=True)
    shutil.copytree(SPARK / EXAMPLES, folder / EXAMPLES)
    shutil.copytree(SPARK / "data", folder / "data")


def submitted(command: Sequence[str | Path], root: Path, log: Path) -> int:
    """Run a command in `root`; its exit code, or -9 if it took too long."""
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as into:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=into, stderr=into, start_new_session=True
        )
        try:
            return process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the JVM and its workers
            return process.wait()


def run(root: Path, scratch: Path, conf: Sequence[str], words: Sequence[str]) -> Ran:
    """Submit a program in copies of `root`: with the collector, and plainly if it fails."""
    here = Path(tempfile.mkdtemp(dir=scratch))
    colgraph = [Path(sys.executable).with_name("colgraph"), "submit"]
    colgraph += ["--output", str(here / "events.ndjson"), "--"]
    commands = {"ours": colgraph, "plain": [SPARK / "bin" / "spark-submit"]}
    codes: dict[str, int] = {}
    for name, command in commands.items():
        if name == "plain" and codes["ours"] == 0:
            break
        copy = shutil.copytree(root, here / name, symlinks=True)
        options = [*SUBMIT, *(part for pair in conf for part in ("--conf", pair))]
        codes[name] = submitted([*command, *options, *words], copy, here / f"{name}.log")
    events = read_events(here / "events.ndjson")
    writes = tuple(dict.fromkeys(writes_of(words[0], events, here / "ours")))
    return Ran(words[0], codes["ours"], codes.get("plain"), writes, gaps_of(events))


# Reading the events -------------------------------------------------------------------------------


def read_events(file: Path) -> list[Json]:
    """The events that a program left."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def reasons_of(event: Json) -> tuple[str, ...]:
    """What an event reports to be missing: `opaque LogicalRDD`."""
    facet = event["run"]["facets"].get("colgraph_diagnostics", {})
    found = [facet["truncated"]] if facet.get("truncated") else []
    for kind in ("opaque", "unresolved"):
        found += [f"{kind} {one['class']}" for one in facet.get(kind, ())]
    found += ["through the driver"] if facet.get("throughDriver") else []
    return tuple(found)


def writes_of(program: str, events: list[Json], root: Path) -> Iterator[Write]:
    """Each output that was not dropped, of the queries that did not fail."""
    for event in events:
        for output in event["outputs"] if event["eventType"] != "FAIL" else ():
            facets = output.get("facets", {})
            if facets.get("lifecycleStateChange", {}).get("lifecycleStateChange") == "DROP":
                continue
            columns = [field["name"] for field in facets.get("schema", {}).get("fields", ())]
            lineage = facets.get("columnLineage", {}).get("fields", {})
            have = {name for name, entry in lineage.items() if entry["inputFields"]}
            without = tuple(name for name in columns if name not in have)
            name = output["name"].removeprefix(f"{root}/")
            is_moved = not columns and bool(event["inputs"])
            is_known = is_moved or (program, name) in CONSTANTS
            yield Write(name, len(columns), without, reasons_of(event), is_known)


def gaps_of(events: list[Json]) -> tuple[str, ...]:
    """The writes that Spark counts and that no event has, as the application's end names them."""
    found: list[str] = []
    for event in events:
        facet = event["run"]["facets"].get("colgraph_diagnostics", {})
        for gap in facet.get("completeness", {}).get("unaccounted", ()):
            found.append(f"{' '.join(str(gap['by']).split())[:60]} ({gap['rows']} rows)")
    return tuple(found)


# Telling ------------------------------------------------------------------------------------------


def verdict(write: Write) -> str:
    """What a write is counted as."""
    if write.is_silent:
        return SILENT
    if write.reasons:
        return REPORTED
    return PARTLY if write.without else WHOLE


def counts_of(ran: Ran) -> Counter[str]:
    """A program in `public_results.COLUMNS`."""
    counts = Counter(verdict(write) for write in ran.writes)
    counts.update({"writes": len(ran.writes), GAPS: len(ran.gaps)})
    counts[ENDED if ran.code == 0 else FAILED] += ran.plain in (None, ran.code)
    return counts


def lines(ran: Ran) -> Iterator[str]:
    """What the report has of a program."""
    plain = "" if ran.plain is None else f", plainly {ran.plain}"
    yield f"{'WRONG' if ran.is_wrong else 'ok':5} exit {ran.code}{plain}  {ran.program}"
    for write in ran.writes:
        why = "; ".join(write.reasons) or ", ".join(write.without)
        reasons = f"  ({why})" if why else ""
        yield f"        {write.columns:3} columns  {write.name}  {verdict(write)}{reasons}"
    for gap in ran.gaps:
        yield f"        without an event, reported at the end: {gap}"


def programs(root: Path, folder: str, sign: str, patterns: Sequence[str]) -> Iterator[list[str]]:
    """The words of each program in a folder of `root` that has a sign of being one."""
    for file in sorted((root / folder).rglob("*.py")):
        name = str(file.relative_to(root / folder))
        is_asked = any(fnmatch(name, pattern) for pattern in patterns)
        if is_asked and sign in file.read_text(encoding="utf-8", errors="replace"):
            arguments = ARGUMENTS.get(name, ()) if folder == EXAMPLES else ()
            yield [str(Path(folder, name)), *arguments]


def main(arguments: Sequence[str]) -> int:
    """Run and report; the exit code."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="oracles.public_programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("checkout", nargs="?", type=Path)
    parser.add_argument("--match", nargs="+", default=["*"], help="examples, as globs")
    parser.add_argument("--conf", action="append", default=[], help="a property of Spark")
    parser.add_argument("--json", type=Path, help="the results, a line each")
    parser.add_argument("--record", action="store_true", help="keep the counts")
    options = parser.parse_args(arguments[:split])
    words = list(arguments[split + 1 :])
    if words and options.checkout is None:
        parser.error("-- PROGRAM.py needs a CHECKOUT")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        root, suite, where = options.checkout, PYSPARK, (EXAMPLES, "__main__")
        if root is None:
            root = scratch / "examples"
            examples_root(root)
        else:
            root, where = root.resolve(), ("", "pyspark")
            suite = root.name
        todo = [words] if words else list(programs(root, *where, options.match))
        total: Counter[str] = Counter()
        with ThreadPoolExecutor(BESIDE) as pool:
            for ran in pool.map(lambda words: run(root, scratch, options.conf, words), todo):
                print("\n".join(lines(ran)), flush=True)
                counts = counts_of(ran)
                total.update(counts)
                total.update({"programs": 1, "wrong": ran.is_wrong})
                if options.record:
                    version = ".".join(pyspark.__version__.split(".")[:2])
                    public_results.keep(version, suite, ran.program, counts)
                if options.json:
                    with options.json.open("a", encoding="utf-8") as into:
                        into.write(json.dumps(ran._asdict()) + "\n")
    print(", ".join(f"{count} {name}" for name, count in total.items() if count))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
