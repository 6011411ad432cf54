from __future__ import annotations

from pathlib import Path

import yaml

from ui.launch import parse_launch

MANIFEST = Path(__file__).resolve().parents[2] / "deploy" / "dashboard.yaml"


def documents(name):
    return list(yaml.safe_load_all((MANIFEST.parent / name).read_text(encoding="utf-8")))


def objects():
    return {one["kind"]: one for one in documents(MANIFEST.name)}


def test_the_service_account_has_the_rights_of_the_nightly_run_and_no_others():
    """It reads the running cluster; the one file of rights is that of the nightly run."""
    found = objects()
    assert not {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"} & set(found)
    pod = found["Deployment"]["spec"]["template"]["spec"]
    account = found["ServiceAccount"]["metadata"]["name"]
    assert pod["serviceAccountName"] == account
    bound = [one for one in documents("cronjob.yaml") if one["kind"].endswith("Binding")]
    assert len(bound) == 2
    for one in bound:
        assert account in {subject["name"] for subject in one["subjects"]}
    allowed = found["NetworkPolicy"]["spec"]["egress"][0]["ports"]
    assert {"protocol": "TCP", "port": 6443} in allowed


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


def test_the_command_line_is_one_that_the_dashboard_takes(tmp_path):
    args = objects()["Deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    server = ("--host", "--port", "--no-browser", "--read-every")
    (tmp_path / "policy.yaml").write_text("timezone: Europe/Berlin\n", encoding="utf-8")
    here = [one.replace("--policy=/etc/gangplan", f"--policy={tmp_path}") for one in args]
    started = parse_launch([one for one in here if not one.startswith(server)])
    assert started.fault == ""
    assert started.read_only
    assert started.history.startswith("sqlite:///")
    assert started.paths == ("cluster:",)
    assert "--read-every=10m" in args


def test_the_dashboard_reads_the_volume_of_the_nights_as_the_user_who_wrote_them():
    job = {one["kind"]: one for one in documents("cronjob.yaml")}
    nightly = job["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    pod = objects()["Deployment"]["spec"]["template"]["spec"]
    (claim,) = [
        one["persistentVolumeClaim"]["claimName"]
        for one in pod["volumes"]
        if "persistentVolumeClaim" in one
    ]
    assert claim == job["PersistentVolumeClaim"]["metadata"]["name"]
    for key in ("runAsUser", "runAsGroup", "fsGroup"):
        assert pod["securityContext"][key] == nightly["securityContext"][key]
    (near,) = nightly["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    wanted = near["podAffinityTerm"]["labelSelector"]["matchLabels"].items()
    assert wanted <= objects()["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    output = yaml.safe_load(job["ConfigMap"]["data"]["nightly.yaml"])["output"]
    mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    assert mounts["nights"] == output
    policy = next(one for one in pod["containers"][0]["args"] if one.startswith("--policy="))
    assert Path(policy.partition("=")[2]).parent == Path(mounts["config"])
    assert Path(policy).name in job["ConfigMap"]["data"]


def test_the_image_has_the_dashboard():
    lines = (MANIFEST.parent / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (install,) = [line for line in lines if "pip install" in line]
    assert "ui" in install.partition("[")[2].partition("]")[0].split(",")
