"""Real clusters of one machine, until the block is left: YARN with HDFS, and Spark's own.

Hadoop's mini clusters run in one JVM, which is driven from here; Maven fetches what Spark has not.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import psutil
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from dev.waiting import wait_for, whole_lines

HERE = Path(__file__).parent
JARS = HERE.parents[1] / ".work" / "yarn"
GOAL = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"
SPARK = Path(str(importlib.util.find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
OF_SPARK = ("hadoop-client-", "slf4j-api", "log4j-", "jul-to-slf4j", "jakarta.", "jaxb-")
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for JVMs that live a few seconds
OPTIONS = {
    "yarn.resourcemanager.scheduler.class": (
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"
    ),
    "yarn.nodemanager.vmem-check-enabled": "false",
    "yarn.nodemanager.pmem-check-enabled": "false",
    "yarn.nodemanager.resource.memory-mb": "6144",
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
    "yarn.scheduler.minimum-allocation-mb": "256",
    "yarn.application.classpath": "",
}


def class_path() -> str:
    """Hadoop's test jars, which Maven is asked for once, and what of Spark's they need."""
    JARS.parent.mkdir(exist_ok=True)
    with JARS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not JARS.exists():
            target = JARS.with_suffix(".part")
            command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), GOAL]
            options = ["-DexcludeTransitive=true", f"-DoutputDirectory={target}"]
            subprocess.run([*command, *options], check=True, timeout=600)
            target.rename(JARS)
    theirs = (jar for jar in SPARK.glob("jars/*.jar") if jar.name.startswith(OF_SPARK))
    return os.pathsep.join(map(str, [*sorted(JARS.glob("*.jar")), *sorted(theirs)]))


class Hdfs:
    """An HDFS of one node, `hdfs://..`, with its REST API at `webhdfs`."""

    def __init__(self, jvm: Any, home: Path, options: Mapping[str, str] = MappingProxyType({})):
        """Start it."""
        self._jvm = jvm
        self._wanted = jvm.org.apache.hadoop.yarn.conf.YarnConfiguration()
        for name, value in {**options, "hdfs.minidfs.basedir": str(home / "dfs")}.items():
            self._wanted.set(name, value)
        self._dfs = jvm.org.apache.hadoop.hdfs.MiniDFSCluster.Builder(self._wanted).build()
        self.hdfs = str(self._dfs.getURI().toString())
        user = jvm.java.lang.System.getProperty("user.name")
        self.webhdfs = f"webhdfs://{user}@{self._dfs.getHttpUri(0).rpartition('/')[2]}"

    def put(self, path: str, content: str) -> None:
        """Write a file of the HDFS."""
        stream = self._dfs.getFileSystem().create(self._jvm.org.apache.hadoop.fs.Path(path))
        stream.write(bytearray(content.encode()))
        stream.close()

    def files(self, path: str) -> list[str]:
        """The paths of all files beneath a folder of the HDFS, or none."""
        there = self._jvm.org.apache.hadoop.fs.Path(path)
        files = self._dfs.getFileSystem()
        if not files.exists(there):
            return []
        found, listing = [], files.listFiles(there, True)
        while listing.hasNext():
            found.append(str(listing.next().getPath().toUri().getPath()))
        return sorted(found)


class Hadoop(Hdfs):
    """A YARN cluster of one node and an HDFS; `conf` is the folder for HADOOP_CONF_DIR."""

    def __init__(self, jvm: Any, home: Path) -> None:
        """Start both, and write down where they are."""
        super().__init__(jvm, home, OPTIONS)
        wanted = self._wanted
        self.conf = home / "conf"
        self.conf.mkdir()
        self._yarn = jvm.org.apache.hadoop.yarn.server.MiniYARNCluster("mini", 1, 1, 1)
        self._yarn.init(wanted)
        self._yarn.start()
        configuration = self._yarn.getConfig()
        configuration.unset("net.topology.node.switch.mapping.impl")  # a class of the tests' own
        for name in ("core-site.xml", "yarn-site.xml"):
            stream = jvm.java.io.FileOutputStream(str(self.conf / name))
            configuration.writeXml(stream)
            stream.close()
        self._client = jvm.org.apache.hadoop.yarn.client.api.YarnClient.createYarnClient()
        self._client.init(configuration)
        self._client.start()

    def state(self, application: str) -> dict[str, str]:
        """What YARN's resource manager says of an application, in the words of its REST API.

        By its own protocol: the REST of Hadoop's shaded test jar cannot put an application as JSON,
        as its JSON providers do not know the annotations of its classes.
        """
        records = self._jvm.org.apache.hadoop.yarn.api.records
        report = self._client.getApplicationReport(records.ApplicationId.fromString(application))
        return {
            "state": str(report.getYarnApplicationState().name()),
            "finalStatus": str(report.getFinalApplicationStatus().name()),
        }


Kind = TypeVar("Kind", bound=Hdfs)


@contextmanager
def hadoop(home: Path, kind: Callable[[Any, Path], Kind]) -> Iterator[Kind]:
    """`Hadoop` or `Hdfs` in a JVM of its own, with everything it writes in `home`."""
    options = ["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xmx512m", *QUICK.split()]
    (py4j,) = SPARK.glob("jars/py4j-*.jar")
    with (home / "hadoop.log").open("w") as log:
        port, token, process = launch_gateway(
            jarpath=str(py4j),
            classpath=class_path(),
            javaopts=options,
            die_on_exit=True,
            redirect_stdout=log,
            redirect_stderr=log,
            enable_auth=True,
            cwd=str(home),
            return_proc=True,
        )
        where = GatewayParameters(port=port, auth_token=token)
        gateway = JavaGateway(gateway_parameters=where)
        try:
            yield kind(gateway.jvm, home)
        finally:
            with suppress(Exception):  # it is killed in any case
                gateway.shutdown()
            stop([process])


@contextmanager
def standalone(home: Path) -> Iterator[str]:
    """A master of Spark's own and one worker; its address."""
    started = []
    try:
        started.append(_spark(home, "master.Master", "--host", "127.0.0.1", "--port", "0"))
        address = _logged(home / "master.Master.log", r"Starting Spark master at (spark://\S+)")
        few = ["--cores", "1", "--memory", "1g", "--work-dir", str(home / "work")]
        started.append(_spark(home, "worker.Worker", "--host", "127.0.0.1", *few, address))
        _logged(home / "worker.Worker.log", "(Successfully registered)")
        yield address
    finally:
        stop(started)


def _spark(home: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [SPARK / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments]
    with (home / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [*map(str, command), "--webui-port", "0"],
            env={**os.environ, "JAVA_TOOL_OPTIONS": QUICK},
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def _logged(log: Path, pattern: str) -> str:
    """What a program has written to its log, as soon as it has."""
    found: list[str] = []

    def missing() -> str:
        found[:] = re.findall(pattern, "\n".join(whole_lines(log)))
        return "" if found else f"{pattern} in {log}"

    wait_for(missing)
    return found[0]


def stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """End processes and all that they have started."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            parent = psutil.Process(process.pid)
            found += [parent, *parent.children(recursive=True)]
    for one in found:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(found, timeout=20)
    for process in processes:
        process.wait(20)
