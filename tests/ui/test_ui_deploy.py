from __future__ import annotations

from pathlib import Path

import yaml

from ui.launch import parse_launch

MANIFEST = Path(__file__).resolve().parents[2] / "deploy" / "dashboard.yaml"


def objects():
    return {one["kind"]: one for one in yaml.safe_load_all(MANIFEST.read_text(encoding="utf-8"))}


def test_the_service_account_has_no_rights_and_no_token():
    found = objects()
    assert not {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"} & set(found)
    assert found["ServiceAccount"]["automountServiceAccountToken"] is False
    pod = found["Deployment"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == found["ServiceAccount"]["metadata"]["name"]
    assert pod["automountServiceAccountToken"] is False


def test_every_container_is_locked_down_and_limited():
    pod = objects()["Deployment"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in pod["containers"]:
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert {"cpu", "memory"} <= set(container["resources"]["limits"])


def test_only_the_proxy_is_reachable():
    found = objects()
    dashboard, proxy = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert "ports" not in dashboard
    assert "--host=localhost" in dashboard["args"]
    (port,) = proxy["ports"]
    assert found["Service"]["spec"]["ports"][0]["targetPort"] == port["name"]
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert found["Service"]["spec"]["selector"] == labels
    allowed = found["NetworkPolicy"]["spec"]["ingress"][0]["ports"]
    assert allowed == [{"protocol": "TCP", "port": port["containerPort"]}]


def test_the_command_line_is_one_that_the_dashboard_takes():
    args = objects()["Deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    server = ("--host", "--port", "--no-browser")
    started = parse_launch([one for one in args if not one.startswith(server)])
    assert started.fault == ""
    assert started.read_only
    assert started.history.startswith("sqlite:///")
    assert started.paths == ("/data/snapshot",)
