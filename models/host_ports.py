"""Ports of a node that a pod takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class HostPort:
    """One port; ``ip`` is "" for every address of the node."""

    port: int
    protocol: str = "TCP"
    ip: str = ""
