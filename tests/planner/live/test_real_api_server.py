"""The same against a real kube-apiserver with 1,000 nodes: opt in with ``GANGPLAN_API_SERVER``.

``GANGPLAN_API_SERVER=build`` builds one from the Go module beside this file (minutes; needs Go and its proxy); a path
names a binary. It needs etcd (Debian's package ``etcd-server``) and kubectl, with which the same cluster is exported.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urllib3
import yaml

from models.readers import read_snapshot
from models.readers.kinds import KINDS
from planner.usecases.cluster_access import examine_cluster
from planner.usecases.inputs.inputs import read_inputs

ROOT = Path(__file__).resolve().parents[3]
WANTED = os.environ.get("GANGPLAN_API_SERVER", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
    pytest.mark.skipif(not WANTED, reason="GANGPLAN_API_SERVER is not set"),
    pytest.mark.skipif(
        bool(WANTED) and not (shutil.which("etcd") and shutil.which("kubectl")),
        reason="etcd and kubectl are needed (apt-get install etcd-server kubernetes-client)",
    ),
]
ADMIN, READER = "admin-token", "reader-token"
ACCOUNT = "system:serviceaccount:gangplan:gangplan"
CLUSTER_WIDE = {"Queue", "HyperNode"}
VOLCANO = ".volcano.sh"
# They would change what is loaded: tolerations, taints, accounts, priorities.
ADMISSION_OFF = "ServiceAccount,DefaultTolerationSeconds,TaintNodesByCondition,Priority,LimitRanger,RuntimeClass"
UP_WITHIN_S = 120.0


class RealCluster:
    """A running kube-apiserver, spoken to as its administrator."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.pool = urllib3.PoolManager(cert_reqs="CERT_NONE", maxsize=16)

    def send(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        answer = self.pool.request(method, self.url + path, body=data, headers=headers)
        found: dict[str, Any] = json.loads(answer.data)
        assert answer.status < 300, (path, found)
        return found

    def kubeconfig(self, token: str) -> Path:
        found = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": token,
            "clusters": [
                {"name": "c", "cluster": {"server": self.url, "insecure-skip-tls-verify": True}}
            ],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": token, "context": {"cluster": "c", "user": "u"}}],
        }
        path = self.folder / f"{token}.json"
        path.write_text(json.dumps(found))
        return path


def binary(folder: Path) -> str:
    if WANTED != "build":
        return WANTED
    built = folder / "kube-apiserver"
    subprocess.run(
        ["go", "build", "-o", str(built), "."],
        cwd=Path(__file__).with_name("apiserver"),
        check=True,
    )
    return str(built)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    folder = tmp_path_factory.mktemp("apiserver")
    client, peer, port = free_port(), free_port(), free_port()
    key, public = folder / "sa.key", folder / "sa.pub"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    made = ["openssl", "rsa", "-in", key, "-pubout", "-out", public]
    subprocess.run(made, check=True, capture_output=True)
    tokens = folder / "tokens.csv"
    tokens.write_text(f'{ADMIN},admin,1,"system:masters"\n{READER},{ACCOUNT},2,"authenticated"\n')
    etcd = [
        "etcd",
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls=http://127.0.0.1:{client}",
        f"--advertise-client-urls=http://127.0.0.1:{client}",
        f"--listen-peer-urls=http://127.0.0.1:{peer}",
        f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
        f"--initial-cluster=default=http://127.0.0.1:{peer}",
    ]
    server = [
        binary(folder),
        f"--etcd-servers=http://127.0.0.1:{client}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder / 'certs'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={public}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        f"--disable-admission-plugins={ADMISSION_OFF}",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
    ]
    processes: list[subprocess.Popen[bytes]] = []
    with (folder / "log").open("wb") as log:
        try:
            for words in (etcd, server):
                processes += [subprocess.Popen(words, cwd=folder, stdout=log, stderr=log)]
            found = RealCluster(f"https://127.0.0.1:{port}", folder)
            wait_until_up(found, processes, folder / "log")
            load(found)
            yield found
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait(timeout=60)


def wait_until_up(
    cluster: RealCluster, processes: list[subprocess.Popen[bytes]], log: Path
) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while True:
        assert all(one.poll() is None for one in processes), log.read_text()[-2000:]
        assert time.monotonic() < end, log.read_text()[-2000:]
        try:
            headers = {"Authorization": f"Bearer {ADMIN}"}
            url = f"{cluster.url}/readyz"
            answer = cluster.pool.request("GET", url, headers=headers, retries=False)
            if answer.status == 200:
                return
        except urllib3.exceptions.HTTPError:
            pass
        time.sleep(0.5)


def load(cluster: RealCluster) -> None:
    """CRDs of Volcano's kinds, the rights of ``deploy/``, and a generated cluster."""
    for kind in KINDS:
        if kind.group.endswith(VOLCANO):
            cluster.send(
                "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(kind)
            )
    file = cluster.folder / "generated.json.gz"
    words = ["--nodes", "1000", "--gangs", "150", "--queues", "12", "--pods", "4000"]
    made = [sys.executable, str(ROOT / "benchmarks" / "generate.py"), *words, "--out", str(file)]
    subprocess.run([*made, "--topology"], check=True, capture_output=True, cwd=ROOT)
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        objects: list[dict[str, Any]] = json.load(stream)["items"]
    rights = yaml.safe_load_all((ROOT / "deploy" / "cronjob.yaml").read_text(encoding="utf-8"))
    spaces = {one["metadata"].get("namespace") for one in objects} | {"gangplan", "volcano-system"}
    for name in sorted(filter(None, spaces - {"default", "kube-system"})):
        about = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        cluster.send("POST", "/api/v1/namespaces", about)
    for one in rights:
        if one["apiVersion"].startswith("rbac"):
            cluster.send("POST", f"{rbac_path(one)}", one)
    time.sleep(3)  # definitions are served a moment after they are there
    first = [one for one in objects if one["kind"] != "Pod"]
    with ThreadPoolExecutor(12) as workers:
        list(workers.map(lambda one: create(cluster, one), first))
        pods = [one for one in objects if one["kind"] == "Pod"]
        list(workers.map(lambda one: create(cluster, one), pods))


def definition(kind: Any) -> dict[str, Any]:
    name = f"{kind.resource}.{kind.group}"
    scope = "Cluster" if kind.kind in CLUSTER_WIDE else "Namespaced"
    parts = {"plural": kind.resource, "kind": kind.kind, "singular": kind.kind.lower()}
    any_field = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": kind.version, "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": name,
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"},
        },
        "spec": {
            "group": kind.group,
            "scope": scope,
            "names": parts,
            "versions": [{**version, "schema": {"openAPIV3Schema": any_field}}],
        },
    }


def rbac_path(one: dict[str, Any]) -> str:
    plural = f"{one['kind'].lower()}s"
    space = one["metadata"].get("namespace")
    inside = f"/namespaces/{space}" if space else ""
    return f"/apis/{one['apiVersion']}{inside}/{plural}"


def create(cluster: RealCluster, one: dict[str, Any]) -> None:
    """Create an object as a real cluster would have it: with images, limits, and its status."""
    group, _, version = one["apiVersion"].rpartition("/")
    resources = {(k.group, k.kind): k.resource for k in KINDS} | {("", "ConfigMap"): "configmaps"}
    resource = resources[group, one["kind"]]
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    space = one["metadata"].get("namespace")
    namespaced = one["kind"] not in CLUSTER_WIDE | {"Node", "PriorityClass"}
    inside = f"/namespaces/{space or 'default'}" if namespaced else ""
    path = f"{root}{inside}/{resource}"
    raw = json.loads(json.dumps(one))
    for key in ("uid", "resourceVersion", "creationTimestamp", "generation"):
        raw["metadata"].pop(key, None)
    for number, owner in enumerate(raw["metadata"].get("ownerReferences", ())):
        owner.setdefault("uid", f"00000000-0000-0000-0000-{number:012}")
        owner.setdefault("apiVersion", "v1")
    if one["kind"] == "Pod":
        complete(raw["spec"])
    made = cluster.send("POST", path, raw)
    if one["kind"] == "Pod" and one.get("status"):
        status = {**made["status"], **one["status"]}
        made["status"] = status
        cluster.send("PUT", f"{path}/{made['metadata']['name']}/status", made)


def complete(spec: dict[str, Any]) -> None:
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        container.setdefault("image", "none")
        amounts = container.get("resources", {}).get("requests", {})
        limits = {name: value for name, value in amounts.items() if "/" in name}
        if limits:
            container["resources"].setdefault("limits", limits)


def test_the_cluster_is_the_same_as_its_export_by_kubectl(
    cluster: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read with the rights of ``deploy/`` and no others; exported by the script beside them."""
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig(ADMIN)))
    export = cluster.folder / "export.json"
    with export.open("wb") as out:
        subprocess.run([ROOT / "deploy" / "export-cluster.sh"], check=True, stdout=out, timeout=300)
    from_files = read_snapshot([export])
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig(READER)))
    live = read_inputs(["cluster:"])
    assert len(live.nodes) == 1000
    assert len(live.pods) == 4000
    assert live.gangs
    assert live.queues
    assert live.scheduler is not None
    assert [one for one in live.findings if one.code.endswith(("forbidden", "hidden"))] == []
    assert live.digest == from_files.digest
    assert ", Kubernetes v" in live.sources[0].name


def test_doctor_tells_a_right_that_is_taken_away(
    cluster: RealCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig(READER)))
    whole = examine_cluster()
    assert whole.can_plan
    assert not [one for one in whole.kinds if one.access in ("forbidden", "failed")]
    path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/gangplan-read"
    role = cluster.send("GET", path)
    kept = [rule for rule in role["rules"] if "policy" not in rule["apiGroups"]]
    changed = cluster.send("PUT", path, {**role, "rules": kept})
    time.sleep(2)  # the authorizer follows the change
    try:
        (missing,) = [one for one in examine_cluster().kinds if one.access == "forbidden"]
        assert missing.resource == "poddisruptionbudgets.policy"
        (finding,) = [one for one in read_inputs(["cluster:"]).findings if "forbidden" in one.code]
        assert "resources: [poddisruptionbudgets], verbs: [list]" in finding.remedy
    finally:
        cluster.send("PUT", path, {**changed, "rules": role["rules"]})
