"""Host ports: who holds them, and which a pod on the host's network takes."""

from __future__ import annotations

import io
from typing import Any

import pytest

from models.host_ports import HostPort
from models.readers import read_snapshot
from models.writers.anonymize import anonymize
from models.writers.snapshot_json import snapshot_to_json

_SSH = {"containerPort": 22, "hostPort": 22}


def _ports(*ports: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"containers": [{"ports": list(ports)}], **more}


@pytest.mark.parametrize(
    ("spec", "ports"),
    [
        (_ports({"containerPort": 22}), ()),
        (_ports(_SSH), (HostPort(22),)),
        (_ports({"hostPort": 53, "protocol": "UDP"}), (HostPort(53, "UDP"),)),
        (_ports({**_SSH, "hostIP": "10.0.0.1"}), (HostPort(22, ip="10.0.0.1"),)),
        (_ports({**_SSH, "hostIP": "0.0.0.0"}), (HostPort(22),)),
        (_ports(_SSH, {"hostPort": 8}, _SSH), (HostPort(8), HostPort(22))),
        (_ports({"containerPort": 22}, hostNetwork=True), (HostPort(22),)),
        (_ports({"containerPort": 22}, hostNetwork=False), ()),
        (
            {"containers": [{"ports": [_SSH]}, {"ports": [{"hostPort": 9}]}]},
            (HostPort(9), HostPort(22)),
        ),
        ({"initContainers": [{"ports": [_SSH]}]}, ()),
        ({"initContainers": [{"ports": [_SSH], "restartPolicy": "Always"}]}, (HostPort(22),)),
    ],
)
def test_ports_that_a_pod_takes_of_its_node(
    read: Any, objects: Any, spec: Any, ports: tuple[HostPort, ...]
) -> None:
    (pod,) = read(objects.pod("p", spec=spec)).pods
    assert pod.spec.host_ports == ports
    assert pod.spec.special_rules == ()


def test_a_template_on_the_hosts_network_takes_its_ports(read: Any, objects: Any) -> None:
    task = objects.task("worker", 2)
    task["template"]["spec"]["hostNetwork"] = True
    task["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 22}]
    (gang,) = read(objects.job("j", task)).gangs
    assert gang.templates[0].spec.host_ports == (HostPort(22),)


def test_addresses_get_new_names_and_come_back_from_a_file(read: Any, objects: Any) -> None:
    snapshot = read(objects.pod("p", spec=_ports({**_SSH, "hostIP": "10.9.8.7"})))
    hidden = anonymize(snapshot)
    text = snapshot_to_json(hidden)
    assert b"10.9.8.7" not in text
    (pod,) = read_snapshot(["-"], stdin=io.BytesIO(text)).pods
    assert pod.spec.host_ports == (HostPort(22, ip="address-1"),)
