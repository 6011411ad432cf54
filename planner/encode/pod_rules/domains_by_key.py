"""Nodes by the value of a topology key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from models.cluster import Node

HOSTNAME: Final = "kubernetes.io/hostname"


class KeyDomains:
    """Domains of every topology key that a rule names, found once per key.

    A node without the label is in no domain of the key; without a hostname label its name stands for it.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = tuple(nodes)
        self.nodes = tuple(node.name for node in self._nodes)
        self._of: dict[str, dict[str, str]] = {}
        self._members: dict[str, dict[str, list[str]]] = {}

    def of(self, key: str) -> dict[str, str]:
        """Node name to domain; nodes outside all domains are absent."""
        if key not in self._of:
            found: dict[str, str] = {}
            for node in self._nodes:
                value = node.labels.get(key, node.name if key == HOSTNAME else None)
                if value is not None:
                    found[node.name] = value
            self._of[key] = found
        return self._of[key]

    def members(self, key: str) -> dict[str, list[str]]:
        """Domain to its nodes."""
        if key not in self._members:
            found: dict[str, list[str]] = {}
            for node, domain in self.of(key).items():
                found.setdefault(domain, []).append(node)
            self._members[key] = found
        return self._members[key]

    def single(self, key: str) -> bool:
        """Every domain is one node."""
        return len(self.members(key)) == len(self.of(key))

    def around(self, key: str, nodes: Iterable[str]) -> set[str]:
        """All nodes that share a domain with one of these."""
        of, members = self.of(key), self.members(key)
        domains = {of[node] for node in nodes if node in of}
        return {node for domain in domains for node in members[domain]}
