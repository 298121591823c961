import pytest

from airflow_colgraph.operators import submit_command
from airflow_colgraph.operators.submit_arguments import NotPossible
from airflow_colgraph.operators.submit_command import Command, Place, parse

LOCAL = Place("local[*]", "client")
OURS = {"spark.colgraph.sink": "/e"}
CONF = "--conf spark.colgraph.sink=/e "


def added(
    line: str,
    defaults: dict[str, str] | None = None,
    at: Place = LOCAL,
    ours: dict[str, str] = OURS,
) -> str:
    words = submit_command.add_collector(
        parse(line.split()), defaults or {}, at, ours=ours, archive="C.zip", launcher="L.py"
    )
    return " ".join(words)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("job.py", f"{CONF}--py-files C.zip job.py"),
        ("job.py --py-files mine -v", f"{CONF}--py-files C.zip job.py --py-files mine -v"),
        (
            "--master yarn --py-files a.zip,b.py -v job.py x",
            f"--master yarn -v {CONF}--py-files C.zip,a.zip,b.py job.py x",
        ),
        ("--py-files=a.py job.py", f"{CONF}--py-files C.zip,a.py job.py"),
        ("--py-files a.py --py-files b.py job.py", f"{CONF}--py-files C.zip,b.py job.py"),
        (
            "--conf spark.submit.pyFiles=a.py job.py",
            f"--conf spark.submit.pyFiles=a.py {CONF}--py-files C.zip,a.py job.py",
        ),
        (
            "--conf spark.submit.pyFiles=a.py --py-files b.py job.py",
            f"--conf spark.submit.pyFiles=a.py {CONF}--py-files C.zip,b.py job.py",
        ),
        ("-c a=b=c --supervise job.py", f"--conf a=b=c --supervise {CONF}--py-files C.zip job.py"),
        ("--jars j.jar --name n job.py", f"--jars j.jar --name n {CONF}--py-files C.zip job.py"),
        (
            "--class a.B job.jar x -y",
            f"{CONF}--py-files C.zip --jars job.jar --name a.B L.py a.B x -y",
        ),
        (
            "--class=a.B --name n --jars j.jar --py-files p.py job.jar",
            f"{CONF}--py-files C.zip,p.py --jars j.jar,job.jar --name n L.py a.B",
        ),
        (
            "--conf spark.jars=j.jar --conf spark.app.name=n --class a.B job.jar",
            f"--conf spark.jars=j.jar --conf spark.app.name=n {CONF}"
            "--py-files C.zip --jars j.jar,job.jar --name n L.py a.B",
        ),
    ],
)
def test_the_collector_collector_added(line: str, expected: str) -> None:
    assert added(line) == expected


def test_the_defaults_are_kept() -> None:
    defaults = {"spark.submit.pyFiles": "d.zip", "spark.jars": "d.jar", "spark.app.name": "d"}
    assert added("job.py", defaults) == f"{CONF}--py-files C.zip,d.zip job.py"
    expected = f"{CONF}--py-files C.zip,d.zip --jars d.jar,job.jar --name d L.py B"
    assert added("--class B job.jar", defaults) == expected


def test_words_with_spaces_stay_words() -> None:
    line = ["--conf", "spark.x=a b", "--name", "my job", "job.py", "", "a b", "ü\n"]
    words = submit_command.add_collector(
        parse(line), {}, LOCAL, ours=OURS, archive="C.zip", launcher="L.py"
    )
    assert words == [
        *line[:4],
        "--conf",
        "spark.colgraph.sink=/e",
        "--py-files",
        "C.zip",
        *line[4:],
    ]


@pytest.mark.parametrize(
    ("line", "at", "why"),
    [
        ("job.R", LOCAL, "'job.R' is neither a Python file nor a jar"),
        ("no.jar", LOCAL, "'no.jar' has no main class"),
        ("--class B j.jar", Place("spark://h:7077", "cluster"), "a standalone cluster"),
        ("job.py", Place("k8s://https://h", "cluster"), "spark.kubernetes.file.upload.path"),
        ("--version", LOCAL, "no application"),
    ],
)
def test_where_it_cannot_go(line: str, at: Place, why: str) -> None:
    with pytest.raises(NotPossible, match=why):
        added(line, at=at)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--help",
        "-h job.py",
        "--version",
        "--kill driver-1 --master spark://h",
        "--status driver-1",
        "--no-such-option job.py",
        "--master",
        "--master yarn",
    ],
)
def test_no_application(line: str) -> None:
    assert parse(line.split()).application is None


def test_an_option_is_read_as_spark_submit_does() -> None:
    command = parse(
        ["--conf", " a = b", "--conf=c=d=e", "-c", "a=2", "--verbose", "x.py", "-c", "f=g"]
    )
    assert command == Command(
        (("--conf", " a = b"), ("--conf", "c=d=e"), ("--conf", "a=2"), ("--verbose", None)),
        "x.py",
        ("-c", "f=g"),
    )
    assert command.properties() == {"a": "2", "c": "d=e"}
    assert command.value("--conf") == "a=2"
    assert command.value("--master") is None


def test_defaults_are_a_properties_file() -> None:
    text = "# comment\n! too\n\n  spark.a   1 2  \nspark.b=x=y\nspark.c: z\nspark.empty\n"
    assert submit_command.parse_defaults(text) == {
        "spark.a": "1 2",
        "spark.b": "x=y",
        "spark.c": "z",
        "spark.empty": "",
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("j.py", Place("local[*]", "client")),
        ("--master yarn --deploy-mode cluster j.py", Place("yarn", "cluster")),
        (
            "--conf spark.master=m --conf spark.submit.deployMode=cluster j.py",
            Place("m", "cluster"),
        ),
    ],
)
def test_where_the_driver_runs(line: str, expected: Place) -> None:
    assert submit_command.place(parse(line.split()), {}, {}) == expected


def test_options_win_over_defaults_and_those_over_the_environment() -> None:
    defaults = {"spark.master": "d", "spark.submit.deployMode": "cluster"}
    environment = {"MASTER": "e", "DEPLOY_MODE": "cluster"}
    command = parse(["--master", "o", "j.py"])
    assert submit_command.place(command, {}, environment) == Place("o", "cluster")
    assert submit_command.place(command, defaults, {}) == Place("o", "cluster")
    assert submit_command.place(parse(["j.py"]), defaults, environment) == Place("d", "cluster")
    assert submit_command.place(parse(["j.py"]), {}, environment) == Place("e", "cluster")
