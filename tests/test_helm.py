"""The Helm chart in deploy/helm, as Helm itself renders it, against Kubernetes' schemas."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
CHART = ROOT / "deploy" / "helm"
TOOLS = ROOT / ".venvs" / "helm" / "bin"
KUBERNETES = ("1.28", "1.34")
IMAGE = {"image": {"repository": "registry.example.org/colgraph"}}
PEER = {"namespaceSelector": {"matchLabels": {"team": "data"}}}
ALL: dict[str, Any] = {
    **IMAGE,
    "arguments": ["--airflow", "https://airflow.example.org"],
    "environment": [{"name": "OTEL_SERVICE_NAME", "value": "colgraph"}],
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "nodeSelector": {"disk": "ssd"},
    "prune": {"enabled": True},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "networkPolicy": {"enabled": True, "from": [PEER]},
}
SERVER = {"Deployment", "Service", "PodDisruptionBudget", "Job"}

pytestmark = pytest.mark.helm


def helm(command: str, values: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    release = ["lineage"] if command == "template" else []
    return subprocess.run(
        [TOOLS / "helm", command, *release, CHART, "--values", "-", *options],
        input=json.dumps(values),
        text=True,
        capture_output=True,
    )


def rendered(values: dict[str, Any], version: str) -> str:
    run = helm("template", values, "--kube-version", version)
    assert run.returncode == 0, run.stderr
    return run.stdout


def documents(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the chart renders, by kind."""
    return {document["kind"]: document for document in yaml.safe_load_all(rendered(values, "1.34"))}


def test_helm_finds_no_fault() -> None:
    run = helm("lint", ALL, "--strict")
    assert (run.returncode, "1 chart(s) linted, 0 chart(s) failed" in run.stdout) == (0, True)


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("values", [IMAGE, ALL], ids=["few", "all"])
def test_kubernetes_takes_what_it_renders(
    values: dict[str, Any], version: str, tmp_path: Path
) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(rendered(values, version))
    run = subprocess.run(
        [TOOLS / "kubernetes-validate", "--strict", "-k", version, file],
        capture_output=True,
        text=True,
    )
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    kinds = [document["kind"] for document in yaml.safe_load_all(file.read_text())]
    of_others = kinds.count("ServiceMonitor")  # Prometheus's operator has its schema
    assert said.count(" passed for resource ") == len(kinds) - of_others


def test_what_is_rendered_and_when() -> None:
    assert set(documents(IMAGE)) == SERVER
    assert set(documents(ALL)) == SERVER | {"CronJob", "ServiceMonitor", "NetworkPolicy"}
    assert set(documents({**IMAGE, "replicas": 1})) == SERVER - {"PodDisruptionBudget"}
    assert set(documents({**IMAGE, "migrate": {"enabled": False}})) == SERVER - {"Job"}


def test_the_nightly_prune_has_the_times() -> None:
    def arguments(**prune: str) -> list[str]:
        job = documents({**IMAGE, "prune": {"enabled": True, **prune}})["CronJob"]
        pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        return list(container["args"])

    assert arguments() == ["db", "prune", "--before", "now-400d"]
    reads = ["--reads-before", "now-90d"]
    assert arguments(readsBefore="now-90d") == ["db", "prune", "--before", "now-400d", *reads]


def test_only_the_server_is_behind_the_service_and_the_policy() -> None:
    of = documents(ALL)
    pods = {
        "server": of["Deployment"]["spec"]["template"],
        "migrate": of["Job"]["spec"]["template"],
        "prune": of["CronJob"]["spec"]["jobTemplate"]["spec"]["template"],
    }
    selectors = (
        of["Service"]["spec"]["selector"],
        of["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
        of["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    )
    for selector in selectors:
        selected = [
            name
            for name, pod in pods.items()
            if selector.items() <= pod["metadata"]["labels"].items()
        ]
        assert selected == ["server"]
    for pod in pods.values():
        (container,) = pod["spec"]["containers"]
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        store = container["env"][0]
        assert store["name"] == "COLGRAPH_STORE"
        assert store["valueFrom"]["secretKeyRef"] == {"name": "colgraph-store", "key": "url"}


def test_an_image_is_asked_for() -> None:
    run = helm("template", {}, "--kube-version", "1.34")
    assert run.returncode == 1
    assert "image.repository is required: an image made from deploy/Containerfile" in run.stderr
