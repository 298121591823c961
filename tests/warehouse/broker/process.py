"""A Kafka broker of one process on 127.0.0.1, which is its own controller (KRaft)."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from tests.certificates import certificate
from tests.spark.jars import JARS, copy

HERE = Path(__file__).parent
BROKER = JARS.with_name("broker")
JAVA = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
PASSWORD = "hunter=2 ${x}"  # of the user etl
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://127.0.0.1:{secure},\
  CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SASL_SSL://localhost:{secure}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
ssl.keystore.type=PEM
ssl.keystore.location={folder}/both.pem
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=\
  org.apache.kafka.common.security.plain.PlainLoginModule required user_etl="{password}";
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
auto.create.topics.enable=false
"""


class Broker(NamedTuple):
    """The addresses of a broker: open to all, and with SASL and TLS."""

    address: str
    secure: str
    certificate: Path


@contextmanager
def broker(folder: Path) -> Iterator[Broker]:
    """Start a broker whose data is in the folder."""
    if not BROKER.exists():
        copy(HERE / "pom.xml", BROKER, "-DincludeScope=runtime")
    port, secure, controller = free_ports(3)
    certificate(folder, datetime.now(timezone.utc) + timedelta(days=1))
    properties = folder / "server.properties"
    ports = {"port": port, "secure": secure, "controller": controller}
    properties.write_text(PROPERTIES.format(**ports, folder=folder, password=PASSWORD))
    java = [*JAVA, "-cp", f"{BROKER}/*"]
    identity = ["-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(properties)]
    format = [*java, "kafka.tools.StorageTool", "format", *identity]
    subprocess.run(format, check=True, stdout=subprocess.DEVNULL, timeout=300)
    with open(folder / "broker.log", "wb") as log:
        server = subprocess.Popen(
            [*java, "kafka.Kafka", str(properties)], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            # clients wait until it answers
            yield Broker(f"127.0.0.1:{port}", f"localhost:{secure}", folder / "cert.pem")
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
