"""A Kafka broker of one process on 127.0.0.1, which is its own controller (KRaft)."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark.jars import JARS, copy

HERE = Path(__file__).parent
BROKER = JARS.with_name("broker")
JAVA = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
auto.create.topics.enable=false
"""


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Start a broker whose data is in the folder; its address."""
    if not BROKER.exists():
        copy(HERE / "pom.xml", BROKER, "-DincludeScope=runtime")
    port, controller = free_ports(2)
    properties = folder / "server.properties"
    properties.write_text(PROPERTIES.format(port=port, controller=controller, folder=folder))
    java = [*JAVA, "-cp", f"{BROKER}/*"]
    identity = ["-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(properties)]
    format = [*java, "kafka.tools.StorageTool", "format", *identity]
    subprocess.run(format, check=True, stdout=subprocess.DEVNULL, timeout=300)
    with open(folder / "broker.log", "wb") as log:
        server = subprocess.Popen(
            [*java, "kafka.Kafka", str(properties)], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield f"127.0.0.1:{port}"  # clients wait until it answers
        finally:
            server.kill()
            server.wait()


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
