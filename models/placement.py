"""Placed pods: what a scheduler, ours or a baseline, decides."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """Pods of one gang and role that go to one node.

    Attributes
    ----------
    gang
        Full name of the gang.
    names
        Full names of the pods that exist; pods that their controller has not created yet are only counted.
    count
        Pods in all, ``>= len(names)``.
    """

    gang: str
    role: str
    node: str
    count: int
    names: tuple[str, ...] = ()
