"""The bootstrap in real processes, with a small `pyspark` and a listener that tells its calls."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from airflow_colgraph.collector.driver.bootstrap import join_properties

COLLECTOR = Path(__file__).parents[2] / "airflow_colgraph" / "collector"
BOOTSTRAP = (COLLECTOR / "driver" / "bootstrap.py").read_text()
BESIDE = ("exit_status", "method_hooks", "running_text", "standard_modules", "warnings")

PYSPARK = {
    "pyspark/__init__.py": "from pyspark.core.context import SparkContext\n",
    "pyspark/core/__init__.py": "",
    "pyspark/core/context.py": """
class SparkContext:
    _jvm = None
    def __init__(self):
        "Make it."
    def stop(self):
        "Stop it."
        print("stopped")
""",
    "pyspark/core/rdd.py": """
import inspect
class RDD:
    def foreach(self, act):
        "Act."
        above = inspect.stack()[1]
        print("called from", above.filename == __file__, above.function)
        act(1)
    def foreachPartition(self, act):
        self.foreach(act)
    saveAsHadoopDataset = saveAsHadoopFile = saveAsNewAPIHadoopDataset = foreach
    saveAsNewAPIHadoopFile = saveAsPickleFile = saveAsSequenceFile = saveAsTextFile = foreach
""",
    "pyspark/sql/dataframe.py": """
from functools import cached_property
from pyspark.core.rdd import RDD
class DataFrame:
    @cached_property
    def rdd(self):
        "As an RDD."
        return RDD()
""",
    "pyspark/sql/__init__.py": "from pyspark.sql.session import SparkSession\n",
    "pyspark/sql/session.py": """
from pyspark import SparkContext
class SparkSession:
    def __init__(self, context=None):
        "Make it."
        self._sc = self.sparkContext = context or SparkContext()
    def newSession(self):
        return SparkSession(self._sc)
    def sql(self, sqlQuery, args=None):
        "Run it."
        return sqlQuery.upper()
    def stop(self):
        self._sc.stop()
""",
}

RDD_FRAMES = """
class RDD_CALLS:
    add = add_frame = staticmethod(lambda *arguments: None)
"""

LISTENER = """
import os
def tell(*call):
    with open(os.environ["CALLS"], "a") as file:
        print(*call, file=file)
def follow(context):
    tell("follow", type(context).__name__)
def install_when_used(session):
    tell("install", type(session).__name__)
def used_as_rdd(frame):
    tell("used", type(frame).__name__)
def ran_for_each(name, function):
    tell("ran", name)
def about_to_run(session, text):
    tell("begins", text)
    return lambda: tell("forget", text)
def ran_text(text):
    tell("text", text)
def stopping(context):
    tell("stopping")
def finish(failed=False, reason=""):
    tell("finish", failed, reason)
"""

SESSION = "from pyspark.sql import SparkSession\nsession = SparkSession()\n"


class Ran(NamedTuple):
    code: int
    out: str
    err: str
    calls: list[str]


class Place:
    """A folder with a pyspark, our zip, and perhaps more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python_path: list[Path] = []
        self.environment: dict[str, str] = {}
        self.cwd = folder

    def files(self, name: str, files: dict[str, str], *, zipped: bool = False) -> Path:
        for path, text in files.items():
            file = self.folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text))
        if not zipped:
            return self.folder / name
        archive = self.folder / f"{name}.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for path, text in files.items():
                file.writestr(path, textwrap.dedent(text))
        shutil.rmtree(self.folder / name)
        return archive

    def ours(self, name: str = "collector", listener: str = LISTENER) -> Path:
        package = {
            "sitecustomize.py": BOOTSTRAP,
            "airflow_colgraph/__init__.py": "",
            "airflow_colgraph/collector/__init__.py": "",
            "airflow_colgraph/collector/driver/__init__.py": "",
            "airflow_colgraph/collector/driver/listener.py": listener,
            "airflow_colgraph/collector/python_functions/__init__.py": "",
            "airflow_colgraph/collector/python_functions/rdd_frames.py": RDD_FRAMES,
        }
        for name in BESIDE:
            text = (COLLECTOR / "driver" / f"{name}.py").read_text()
            package[f"airflow_colgraph/collector/driver/{name}.py"] = text
        return self.files(name, package, zipped=True)

    def run(self, *command: str, ours: Path | None, **environment: str) -> Ran:
        calls = self.folder / "calls"
        calls.write_text("")
        path = [*([ours] if ours else []), *self.python_path]
        ran = subprocess.run(
            [sys.executable, *command],
            cwd=self.cwd,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(map(str, path)),
                "PYTHONDONTWRITEBYTECODE": "1",
                "CALLS": str(calls),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr, calls.read_text().splitlines())

    def app(self, text: str) -> str:
        (self.folder / "app.py").write_text(textwrap.dedent(text))
        return str(self.folder / "app.py")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.python_path = [place.files("pyspark", PYSPARK, zipped=True)]
    return place


FOLLOW, INSTALL, STOPPING = "follow SparkContext", "install SparkSession", "stopping"
GOOD = "finish False "

APPS = {
    "ends well": (SESSION, [FOLLOW, INSTALL, GOOD]),
    "stops": (SESSION + "session.stop()", [FOLLOW, INSTALL, STOPPING, GOOD]),
    "stops the context": (
        SESSION + "session.sparkContext.stop()",
        [FOLLOW, INSTALL, STOPPING, GOOD],
    ),
    "starts again": (
        SESSION + "session.stop()\nsession = SparkSession()\nsession.stop()",
        [FOLLOW, INSTALL, STOPPING, FOLLOW, INSTALL, STOPPING, GOOD],
    ),
    "has two sessions": (SESSION + "session.newSession()", [FOLLOW, INSTALL, INSTALL, GOOD]),
    "subclasses": (
        "from pyspark.sql import SparkSession\nclass Own(SparkSession): pass\nOwn()",
        [FOLLOW, "install Own", GOOD],
    ),
    "stops at exit": (
        SESSION + "import atexit\natexit.register(session.stop)",
        [FOLLOW, INSTALL, STOPPING, GOOD],
    ),
    "has a context only": (
        "from pyspark import SparkContext\ncontext = SparkContext()\ncontext.stop()",
        [FOLLOW, STOPPING, GOOD],
    ),
    "has a frame's rows": (
        SESSION + "from pyspark.sql.dataframe import DataFrame\nframe = DataFrame()\n"
        "assert frame.rdd is frame.rdd\nprint(DataFrame.rdd.__doc__)",
        [FOLLOW, INSTALL, "used DataFrame", GOOD],
    ),
    "has its own context": (
        "from pyspark import SparkContext\nclass Own(SparkContext): pass\nOwn()",
        ["follow Own", GOOD],
    ),
    "has no session": ("import pyspark.sql\nprint('hello')", []),
    "has no spark": ("print('hello')", []),
    "fails before": ("import sys\nsys.exit(3)", []),
    "exits 0": (SESSION + "import sys\nsys.exit(0)", [FOLLOW, INSTALL, GOOD]),
    "exits": (SESSION + "import sys\nsys.exit()", [FOLLOW, INSTALL, GOOD]),
    "exits 3": (SESSION + "import sys\nsys.exit(3)", [FOLLOW, INSTALL, "finish True exit code 3"]),
    "exits by name": (
        "from sys import exit\n" + SESSION + "exit(3)",
        [FOLLOW, INSTALL, "finish True exit code 3"],
    ),
    "raises SystemExit itself": (SESSION + "raise SystemExit(3)", [FOLLOW, INSTALL, GOOD]),
    "quits 4": (SESSION + "quit(4)", [FOLLOW, INSTALL, "finish True exit code 4"]),
    "exits with words": (
        SESSION + "import sys\nsys.exit('no input')",
        [FOLLOW, INSTALL, "finish True exit code 1"],
    ),
    "exits in a function": (
        SESSION + "import sys\ndef main():\n  sys.exit(5)\nmain()",
        [FOLLOW, INSTALL, "finish True exit code 5"],
    ),
    "exits by argparse": (
        SESSION + "import argparse\nargparse.ArgumentParser().error('bad')",
        [FOLLOW, INSTALL, "finish True exit code 2"],
    ),
    "survives an exit": (
        SESSION + "import sys\ntry:\n  sys.exit(3)\nexcept SystemExit:\n  print('no')",
        [FOLLOW, INSTALL, GOOD],
    ),
    "exits in a thread": (
        SESSION + "import sys, threading\nthreading.Thread(target=sys.exit, args=(3,)).start()",
        [FOLLOW, INSTALL, GOOD],
    ),
    "raises": (
        SESSION + "raise ValueError('a\\nb')",
        [FOLLOW, INSTALL, "finish True ValueError: a"],
    ),
    "raises from deep": (
        "def make():\n  from pyspark.sql import SparkSession\n  return SparkSession()\n"
        "def work(n):\n  return work(n - 1) if n else 1 / 0\nmake()\nwork(5)",
        [FOLLOW, INSTALL, "finish True ZeroDivisionError: division by zero"],
    ),
    "is interrupted": (
        SESSION + "raise KeyboardInterrupt",
        [FOLLOW, INSTALL, "finish True KeyboardInterrupt"],
    ),
    "has its own excepthook": (
        SESSION + "import sys\nsys.excepthook = lambda *a: print('mine')\n1 / 0",
        [FOLLOW, INSTALL, "finish True ZeroDivisionError: division by zero"],
    ),
    "survives an error": (
        SESSION + "try:\n  1 / 0\nexcept ZeroDivisionError:\n  pass",
        [FOLLOW, INSTALL, GOOD],
    ),
    "leaves hard": (SESSION + "import os\nos._exit(6)", [FOLLOW, INSTALL]),
    "forks": (
        SESSION + "import os, sys\npid = os.fork()\nif not pid: sys.exit(9)\nos.waitpid(pid, 0)",
        [FOLLOW, INSTALL, GOOD],
    ),
    "makes it in a thread": (
        "def make():\n  from pyspark.sql import SparkSession\n  SparkSession()\n"
        "import sys, threading\nt = threading.Thread(target=make)\nt.start()\nt.join()\n"
        "sys.exit(3)",
        [FOLLOW, INSTALL, "finish True exit code 3"],
    ),
    "looks at what it calls": (
        SESSION
        + "import inspect, pickle, sys\nassert pickle.loads(pickle.dumps(sys.exit)) is sys.exit\n"
        "print(inspect.signature(SparkSession.__init__), SparkSession.__init__.__doc__)\n"
        "print(type(session.sparkContext).stop.__qualname__, inspect.getsource(SparkSession)[:20])",
        [FOLLOW, INSTALL, GOOD],
    ),
}


@pytest.mark.parametrize("name", APPS)
def test_the_listener_sees_the_session_and_the_program_is_unchanged(
    place: Place, name: str
) -> None:
    text, calls = APPS[name]
    app = place.app(text)
    without = place.run(app, ours=None)
    ran = place.run(app, ours=place.ours())
    assert ran == without._replace(calls=calls)


def test_a_function_of_rows_is_called_from_pyspark_for_spark_to_name_the_job(place: Place) -> None:
    """Spark names a job by the line above the first one that is in pyspark's folder."""
    app = place.app(SESSION + "from pyspark.core.rdd import RDD\nRDD().foreach(print)")
    ran = place.run(app, ours=place.ours())
    assert (ran.out, ran.err) == ("called from True foreach\n1\n", "")
    assert ran.calls == [FOLLOW, INSTALL, "ran foreach", GOOD]
    app = place.app(SESSION + "from pyspark.core.rdd import RDD\nRDD().foreach(lambda row: 1 / 0)")
    failed = place.run(app, ours=place.ours())
    assert failed.calls == [FOLLOW, INSTALL, "finish True ZeroDivisionError: division by zero"]


def test_a_sql_text_is_handed_on_before_and_once_it_was_run(place: Place) -> None:
    """A text that fails has dropped nothing: before, nothing looked at a text before it ran."""
    app = place.app(SESSION + "print(session.sql('a'), session.sql(args=1, sqlQuery='b'))")
    ran = place.run(app, ours=place.ours())
    texts = ["begins a", "text a", "begins b", "text b"]
    assert ran == Ran(0, "A B\n", "", [FOLLOW, INSTALL, *texts, GOOD])
    failed = place.run(place.app(SESSION + "session.sql(1)"), ours=place.ours())
    assert failed.calls[:-1] == [FOLLOW, INSTALL, "begins 1", "forget 1"]


def test_where_a_session_has_no_texts_only_what_they_do_is_not_reported(place: Place) -> None:
    text = PYSPARK["pyspark/sql/session.py"].replace("def sql(", "def other(")
    place.python_path = [place.files("strange", {**PYSPARK, "pyspark/sql/session.py": text})]
    ran = place.run(place.app(SESSION + "print('work')"), ours=place.ours())
    what = "procedures that are called and tables that are dropped may be missing"
    assert ran == Ran(0, "work\n", f"colgraph: {what}: KeyError: 'sql'\n", [FOLLOW, INSTALL, GOOD])


def test_pyspark_may_lie_in_a_folder(place: Place) -> None:
    place.python_path = [place.files("installed", PYSPARK)]
    ran = place.run(place.app(SESSION), ours=place.ours())
    assert ran == Ran(0, "", "", [FOLLOW, INSTALL, GOOD])


@pytest.mark.parametrize("command", [["-c", SESSION], ["-m", "job"], ["job.zip"], ["job"]])
def test_however_python_runs_it(place: Place, command: list[str]) -> None:
    place.files("job", {"__main__.py": SESSION + "import sys\nsys.exit(3)", "__init__.py": ""})
    shutil.make_archive(str(place.folder / "job"), "zip", place.folder / "job")
    ran = place.run(*command, ours=place.ours())
    ending = GOOD if command[0] == "-c" else "finish True exit code 3"
    assert ran.calls == [FOLLOW, INSTALL, ending]


@pytest.mark.parametrize(
    "environment", [{"PYTHON_WORKER_FACTORY_PORT": "1"}, {"PYTHON_WORKER_FACTORY_SOCK_DIR": "/x"}]
)
def test_spark_s_python_workers_are_left_alone(place: Place, environment: dict[str, str]) -> None:
    program = "import sys\nprint([f for f in map(type, sys.meta_path) if f.__name__ == 'Finder'])"
    ours = place.ours()
    assert place.run("-c", program, ours=ours).out == "[<class 'sitecustomize.Finder'>]\n"
    assert place.run("-c", program, ours=ours, **environment).out == "[]\n"


# Faults ---------------------------------------------------------------------------------------

RAISE = "    raise RuntimeError('fault ü\\nsecond line')\n"
FAULTS = {
    "import": ("raise RuntimeError('fault ü\\nsecond line')\n", []),
    "syntax": ("def install(:\n", []),
    "follow": (LISTENER.replace('    tell("follow", type(context).__name__)\n', RAISE), []),
    "install": (
        LISTENER.replace('    tell("install", type(session).__name__)\n', RAISE),
        [FOLLOW],
    ),
    "stopping": (LISTENER.replace('    tell("stopping")\n', RAISE), [FOLLOW, INSTALL, INSTALL]),
    "finish": (
        LISTENER.replace('    tell("finish", failed, reason)\n', RAISE),
        [FOLLOW, INSTALL, INSTALL, STOPPING],
    ),
}
FULL_APP = SESSION + "session.newSession()\nprint('work')\nsession.stop()\nimport sys\nsys.exit(3)"


@pytest.mark.parametrize(
    "environment", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_one_line(place: Place, fault: str, environment: dict[str, str]) -> None:
    listener, calls = FAULTS[fault]
    app = place.app(FULL_APP)
    without = place.run(app, ours=None, **environment)
    ran = place.run(app, ours=place.ours(listener=listener), **environment)
    assert without.code == 3
    assert (ran.code, ran.out) == (without.code, without.out)
    (line,) = ran.err.splitlines()
    assert line.startswith("colgraph: lineage is off for this application: ")
    assert "Error: " in line
    assert ran.calls == calls


def test_a_spark_of_unknown_shape_costs_one_line(place: Place) -> None:
    strange = {**PYSPARK, "pyspark/sql/session.py": "class Session: pass\n"}
    strange["pyspark/sql/__init__.py"] = ""
    place.python_path = [place.files("strange", strange)]
    app = place.app("import pyspark.sql.session\nprint('work')")
    ran = place.run(app, ours=place.ours())
    assert (ran.code, ran.out) == (0, "work\n")
    (line,) = ran.err.splitlines()
    assert line.startswith(
        "colgraph: lineage is off for this application: observing pyspark.sql.session failed: Attr"
    )


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("pyspark/core/rdd.py", "class RDD: pass\n", "KeyError: 'foreach'"),
        (
            "pyspark/sql/dataframe.py",
            "from pyspark.core import rdd\nclass DataFrame: rdd = 1\n",
            "AttributeError: 'int' object has no attribute 'func'",
        ),
    ],
)
def test_where_rdds_have_an_unknown_shape_only_these_are_not_reported(
    place: Place, file: str, text: str, error: str
) -> None:
    place.python_path = [place.files("strange", {**PYSPARK, file: text})]
    app = place.app(SESSION + "import pyspark.sql.dataframe, pyspark.core.rdd\nprint('work')")
    ran = place.run(app, ours=place.ours())
    line = f"colgraph: DataFrames that are used as RDDs are not reported: {error}\n"
    assert ran == Ran(0, "work\n", line, [FOLLOW, INSTALL, GOOD])


def test_a_dataframe_whose_read_cannot_be_told_costs_only_its_own_report(place: Place) -> None:
    listener = LISTENER + "\ndef used_as_rdd(frame): raise ValueError('no plan')\n"
    app = place.app(SESSION + "from pyspark.sql.dataframe import DataFrame\nDataFrame().rdd")
    ran = place.run(app, ours=place.ours(listener=listener))
    line = "colgraph: DataFrames that are used as RDDs are not reported: ValueError: no plan\n"
    assert ran == Ran(0, "", line, [FOLLOW, INSTALL, GOOD])


def test_where_nothing_can_be_written(place: Place) -> None:
    place.cwd = Path("/proc")
    assert place.run(place.app(SESSION), ours=place.ours()) == Ran(
        0, "", "", [FOLLOW, INSTALL, GOOD]
    )


def test_a_bootstrap_without_its_package(place: Place) -> None:
    alone = place.files(
        "alone", {"sitecustomize.py": BOOTSTRAP, "airflow_colgraph/__init__.py": ""}, zipped=True
    )
    ran = place.run(place.app(SESSION + "print('work')"), ours=alone)
    assert (ran.code, ran.out) == (0, "work\n")
    assert ran.err.splitlines() == [
        "colgraph: lineage is off for this application: loading the collector failed:"
        " ModuleNotFoundError: No module named 'airflow_colgraph.collector'"
    ]


# The other sitecustomize ----------------------------------------------------------------------

OTHERS = {
    "prints": "print('site', __name__)\nMARK = 1\n",
    "raises": "print('site')\nraise ValueError('theirs')\n",
    "misses a module": "import no_such_module\n",
    "exits": "import sys\nsys.exit(4)\n",
}


def warnings_in(err: str) -> list[str]:
    return [line for line in err.splitlines() if not line.startswith(" ")]


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("other", OTHERS)
def test_the_sitecustomize_that_ours_hides_is_run(place: Place, other: str, zipped: bool) -> None:
    files = {"sitecustomize.py": OTHERS[other]}
    place.python_path.append(place.files("other", files, zipped=zipped))
    app = place.app("import sitecustomize\nprint(sitecustomize.MARK)\n" + SESSION)
    without = place.run(app, ours=None)
    ran = place.run(app, ours=place.ours())
    assert (ran.code, ran.out) == (without.code, without.out)
    # A traceback may show that ours was on the way.
    assert warnings_in(ran.err) == warnings_in(without.err)
    assert ran.calls == ([FOLLOW, INSTALL, GOOD] if other == "prints" else [])


def test_two_of_ours_start_once_each_and_still_run_the_other(place: Place) -> None:
    other = place.files("other", {"sitecustomize.py": "print('site')\n"})
    place.python_path += [place.ours("again"), other]
    ran = place.run(place.app(SESSION), ours=place.ours())
    assert (ran.code, ran.out, ran.err) == (0, "site\n", "")
    assert set(ran.calls) == {FOLLOW, INSTALL, GOOD}


@pytest.mark.parametrize("imported", ["before", "after"])
def test_the_jobs_modules_of_standard_names_are_left_alone(place: Place, imported: str) -> None:
    """The collector gets the standard library's; a script is not run twice, a module not at all."""
    listener = f"import http.client, colorsys\nCODE = http.client.CREATED\n{LISTENER}"
    listener = listener.replace(
        'tell("install", ', 'tell("install", CODE, colorsys.ONE_THIRD > 0, '
    )
    mine = "print('imported', __name__)\nMARK = 'mine'\n"
    (place.folder / "http.py").write_text(mine)
    first, second = ("import http\n", "") if imported == "before" else ("", "import http\n")
    script = place.folder / "colorsys.py"
    script.write_text(
        f"print('run', __name__)\n{first}{SESSION}{second}import http\nprint(http.MARK)\n"
    )
    ran = place.run(str(script), ours=place.ours(listener=listener))
    assert ran == (0, "run __main__\nimported http\nmine\n", "", ran.calls)
    assert ran.calls == [FOLLOW, "install 201 True SparkSession", GOOD]
    plain = place.run(str(script), ours=None)
    assert (plain.code, plain.out) == (ran.code, ran.out)


def test_nothing_of_the_collector_replaces_a_module_of_the_job(place: Place) -> None:
    """What the collector imported from the standard library is not what the job imports later."""
    listener = f"import colorsys\n{LISTENER}"
    (place.folder / "colorsys.py").write_text("MARK = 'mine'\n")
    app = f"{SESSION}import colorsys, sys\nprint(colorsys.MARK, len(sys.meta_path) > 0)\n"
    ran = place.run(place.app(app), ours=place.ours(listener=listener))
    assert (ran.code, ran.out, ran.err) == (0, "mine True\n", "")


def test_pyspark_reads_all_properties_of_a_connect_server() -> None:
    """It reads the last part only, and spark-submit makes parts of ten."""
    parts = [{"spark.colgraph.sink": "file:/e", "spark.a": "1"}, {"spark.b": "2"}]
    variables = {f"PYSPARK_REMOTE_INIT_CONF_{at}": json.dumps(p) for at, p in enumerate(parts)}
    variables["PYSPARK_REMOTE_INIT_CONF_LEN"] = "2"
    join_properties(variables)
    last = json.loads(variables["PYSPARK_REMOTE_INIT_CONF_1"])
    assert last == {**parts[0], **parts[1]}
    assert json.loads(variables["PYSPARK_REMOTE_INIT_CONF_0"]) == parts[0]


@pytest.mark.parametrize("variables", [{}, {"PYSPARK_REMOTE_INIT_CONF_LEN": "1"}])
def test_one_part_of_properties_is_left_as_it_is(variables: dict[str, str]) -> None:
    before = dict(variables)
    join_properties(variables)
    assert variables == before


def test_properties_that_no_variable_can_hold_stay_apart() -> None:
    part = json.dumps({"spark.a": "x" * 60_000})
    other = json.dumps({"spark.b": "x" * 60_000})
    variables = {"PYSPARK_REMOTE_INIT_CONF_0": part, "PYSPARK_REMOTE_INIT_CONF_1": other}
    variables["PYSPARK_REMOTE_INIT_CONF_LEN"] = "2"
    join_properties(variables)
    assert variables["PYSPARK_REMOTE_INIT_CONF_1"] == other
