"""Calling the main class of a jar, in a JVM without any Spark job."""

import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError

from airflow_colgraph.collector.driver.launcher import CLASS_NOT_FOUND, _is_lost, run

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("submit")]

JAVA = """
package demo;
public class Main {
  public static void main(String[] args) throws Exception {
    System.setProperty("demo.args", args.length + ":" + String.join("|", args));
    if (args.length > 0 && args[0].equals("checked")) throw new Exception("bo\\nom");
    if (args.length > 0 && args[0].equals("error")) throw new StackOverflowError();
  }
  public static class Inner {
    public static void main(String[] args) { System.setProperty("demo.args", "inner"); }
  }
  public static class Bare { }
  public static class Own { public void main(String[] args) { } }
  public static class Broken {
    static { if (true) throw new IllegalStateException("static"); }
    public static void main(String[] args) { }
  }
}
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import py4j.protocol
    from pyspark.java_gateway import launch_gateway

    folder = tmp_path_factory.mktemp("launcher")
    (folder / "Main.java").write_text(JAVA)
    subprocess.run(["javac", "-d", str(folder), str(folder / "Main.java")], check=True)
    subprocess.run(["jar", "cf", str(folder / "job.jar"), "-C", str(folder), "demo"], check=True)
    home = Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"--jars {folder / 'job.jar'} pyspark-shell")
        patch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
        gateway = launch_gateway()
    with pytest.MonkeyPatch.context() as patch:
        # A session that an earlier test made has put PySpark's own translation of errors here.
        patch.setattr("py4j.java_gateway.get_return_value", py4j.protocol.get_return_value)
        yield gateway
    gateway.shutdown()
    gateway.proc.stdin.close()  # which ends the JVM
    gateway.proc.wait()


def seen(gateway: Any) -> str:
    return str(gateway.jvm.java.lang.System.clearProperty("demo.args"))


@pytest.mark.parametrize("arguments", [[], [""], ["ü b", "--x=1", "", "日本\n\\\"'$"]])
def test_arguments_arrive(gateway: Any, arguments: list[str]) -> None:
    assert run(gateway, "demo.Main", *arguments) is None
    assert seen(gateway) == f"{len(arguments)}:{'|'.join(arguments)}"


def test_a_class_in_a_class(gateway: Any) -> None:
    assert run(gateway, "demo.Main$Inner") is None
    assert seen(gateway) == "inner"


@pytest.mark.parametrize(
    ("name", "arguments", "code", "reason"),
    [
        ("demo.No", [], CLASS_NOT_FOUND, "Error: Failed to load class demo.No."),
        ("demo.Main$Bare", [], 1, "java.lang.NoSuchMethodException: demo.Main$Bare.main("),
        ("demo.Main$Own", [], 1, "The main method in the given main class must be static"),
        ("demo.Main$Broken", [], 1, "java.lang.ExceptionInInitializerError"),
        ("demo.Main", ["checked"], 1, "java.lang.Exception: bo"),
        ("demo.Main", ["error"], 1, "java.lang.StackOverflowError"),
    ],
)
def test_what_fails_says_why(
    gateway: Any, name: str, arguments: list[str], code: int, reason: str
) -> None:
    failure = run(gateway, name, *arguments)
    assert failure is not None
    assert failure.code == code
    assert failure.printed(gateway.jvm).startswith(reason)


def test_a_jvm_of_another_shape_is_not_taken_for_one_that_is_gone() -> None:
    assert _is_lost(Py4JError("An error occurred while calling o1.getActive"))
    assert _is_lost(ConnectionRefusedError())
    assert not _is_lost(Py4JError("org.apache.spark.X.getActive does not exist in the JVM"))
    assert not _is_lost(KeyError("x"))
