"""A ground with the words for it: when its room is free, and which nodes are meant."""

from __future__ import annotations

from dataclasses import dataclass

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.ground import Ground
from planner.explain.units import Units


@dataclass(frozen=True, slots=True)
class View:
    """What a message about nodes needs.

    Attributes
    ----------
    before
        The same nodes before the plan, where ``ground`` is what the plan leaves.
    everywhere
        All nodes count, those that are closed to the gang's pods too.
    """

    ground: Ground
    units: Units
    before: Ground | None = None
    everywhere: bool = False

    @property
    def state(self) -> str:
        """The word after an amount: ``8 GPUs are free``."""
        return "left after the plan" if self.before else "free"

    def nodes(self, count: int) -> str:
        """``all 10 nodes``, ``the only node``, ``the 4 nodes it may use``."""
        if self.everywhere:
            return f"{counted(count, 'node')}, closed ones included"
        if count == len(self.ground.free):
            return all_nodes(count)
        return "the only node it may use" if count == 1 else f"the {count:,} nodes it may use"


@dataclass(frozen=True, slots=True)
class Shortage:
    """A reason, and the dimensions that are short: whoever holds those takes the room."""

    reason: Reason
    dimensions: frozenset[int]


def are(text: str) -> str:
    """The verb after an amount: ``1 GPU is``, ``8 GPUs are``, ``512 GiB memory is``."""
    singular = text.startswith("1 ") or text.endswith(("memory", "ephemeral-storage"))
    return "is" if singular and " and " not in text else "are"


def all_nodes(count: int) -> str:
    """``all 10 nodes``, ``the only node``."""
    return f"all {count:,} nodes" if count != 1 else "the only node"
