"""Host ports of a pod, as the scheduler's ``NodePorts`` counts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from models.readers.fields import count, flag, mappings, text

Port = tuple[int, str, str]
"""Port, protocol, address of the node ("" for all)."""

_ALL_ADDRESSES: Final = "0.0.0.0"


def host_ports(raw: Mapping[str, Any]) -> list[Port]:
    """Ports of a pod specification, ascending, each once.

    Containers and sidecars (init containers that restart always) hold ports; init steps hold none when the pod runs.
    Before Kubernetes 1.34 (1.33 with its patches) the scheduler overlooked sidecars, and their pods failed on the node.
    On the host's network every port of a container is one of the node: the API server writes it into pods, templates of
    custom resources do not say it.
    """
    found = set()
    shares_network: bool | None = None
    for container in _holders(raw):
        for port in mappings(container, "ports"):
            number = count(port, "hostPort")
            if not number:
                if shares_network is None:
                    shares_network = flag(raw, "hostNetwork") or False
                number = count(port, "containerPort") if shares_network else 0
            if number:
                ip = text(port, "hostIP")
                known = "" if ip == _ALL_ADDRESSES else ip
                found.add((number, text(port, "protocol") or "TCP", known))
    return sorted(found)


def _holders(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from mappings(raw, "containers")
    for one in mappings(raw, "initContainers"):
        if one.get("restartPolicy") == "Always":
            yield one
