"""Host ports as room on nodes.

Of every port and protocol a node has one per address that some pod names. A pod with an address takes that one, a pod
without takes all of them; where nobody names one, all addresses are one. That is the scheduler's rule exactly
(Kubernetes ``NodePorts``): two pods conflict where port and protocol are equal and the addresses too, or one is any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from planner.encode.pod_rules.faces import Faces
from planner.encode.pod_rules.stance import Stance
from planner.problem.rule_names import port_room

_NAMED: Final = 3
"""Ports that the words of a room list."""

Users = frozenset[int]
"""Faces that take a port."""


class Ports:
    """Sets stances for host ports; ``rooms`` holds what nodes have.

    Ports of the same users are one room, and those of fewer users are none of their own.
    """

    def __init__(
        self,
        faces: Faces,
        nodes: tuple[str, ...],
        stances: dict[int, Stance],
        largest: Mapping[str, int],
    ) -> None:
        self.rooms: dict[str, dict[str, int]] = {}
        self._faces, self._largest = faces, largest
        for users, ports in self._widest():
            name = port_room(_words(ports))
            self.rooms[name] = dict.fromkeys(nodes, 1)
            for index in users:
                stances.setdefault(index, Stance()).asks[name] = 1

    def _widest(self) -> Iterator[tuple[Users, list[str]]]:
        """Sets of users that no other set contains, with their ports in words."""
        ports: dict[Users, list[str]] = {}
        for words, users in self._places():
            if self._meet(users):
                ports.setdefault(users, []).append(words)
        kept: dict[int, list[Users]] = {}
        for users in sorted(ports, key=len, reverse=True):
            if not any(users <= other for other in kept.get(min(users), ())):
                for index in users:
                    kept.setdefault(index, []).append(users)
                yield users, ports[users]

    def _places(self) -> Iterator[tuple[str, Users]]:
        """What a node has one of, in words, and who takes it."""
        found: dict[tuple[int, str], dict[str, set[int]]] = {}
        for index, face in enumerate(self._faces.all):
            for one in face.spec.host_ports:
                by_address = found.setdefault((one.port, one.protocol), {})
                by_address.setdefault(one.ip, set()).add(index)
        for (port, protocol), by_address in sorted(found.items()):
            anywhere = by_address.pop("", set())
            for ip, users in sorted(by_address.items()) or [("", set())]:
                address = f"{ip}:" if ip else ""
                yield f"{address}{port}/{protocol}", frozenset(users | anywhere)

    def _meet(self, users: Users) -> bool:
        """One of them waits, and two pods may be on one node."""
        faces = [self._faces.all[index] for index in users]
        waits = any(face.waiting and face.pods for face in faces)
        several = sum(face.pods + face.nodes.total() for face in faces) > 1
        return waits and several and not self._faces.never_together(users, self._largest)


def _words(ports: list[str]) -> str:
    """``22/TCP``, ``22/TCP or 80/TCP``, with the number of others where there are many."""
    named = ports[:_NAMED]
    if len(ports) > _NAMED:
        more = len(ports) - _NAMED
        named.append(f"{more:,} other{'' if more == 1 else 's'}")
    *first, last = named
    return f"{', '.join(first)} or {last}" if first else last
