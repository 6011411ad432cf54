"""How large a model would be, before it is built; what it leaves to approximation, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.checks.wording import counted
from models.findings import BackendError
from planner.model.build import BuiltModel
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup
from planner.runtime.machine import memory_limit_bytes

ROWS_PER_CELL = 6
"""Rows in which pods of a shape on a group stand, on average: room, counts, sizes, balance."""
BYTES_PER_ENTRY = 400
"""Memory of a non-zero entry in rows, solver and search together, measured on models of 20,000 to 60,000 columns."""
MEMORY_SHARE = 0.5
"""Part of this process's memory that a model may take."""
MOST_ENTRIES = 20_000_000
"""Non-zero entries beyond which building alone would take minutes, whatever memory there is."""
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class ModelSize:
    """An estimate from above of a model's columns and non-zero entries."""

    columns: int
    entries: int

    @property
    def memory_bytes(self) -> int:
        """What building and solving would take."""
        return self.entries * BYTES_PER_ENTRY


def estimated(classes: Sequence[GangClass], groups: Sequence[NodeGroup]) -> ModelSize:
    """Size of the model over these classes and groups: gangs and their domains, pods on groups."""
    shapes = sorted({item.shape for one in classes for item in one.example.items})
    cells = sum(len(shapes) - [group.fits[shape] for shape in shapes].count(0) for group in groups)
    gangs = sum(
        (1 + len(one.example.choices or ())) * (1 + len(one.example.items)) for one in classes
    )
    return ModelSize(cells + gangs, ROWS_PER_CELL * (cells + gangs))


def refuse_too_large(classes: Sequence[GangClass], groups: Sequence[NodeGroup]) -> None:
    """Raise BackendError where the model would not fit into this process's memory, or be too large to build."""
    size = estimated(classes, groups)
    memory = memory_limit_bytes()
    allowed = None if memory is None else int(MEMORY_SHARE * memory)
    if size.entries <= MOST_ENTRIES and (allowed is None or size.memory_bytes <= allowed):
        return
    has = "" if allowed is None else f" of {allowed / GIB:,.1f} GiB that a model may take here"
    raise BackendError(
        f"the model would be too large: about {size.columns:,} columns and {size.entries:,} entries, "
        f"{size.memory_bytes / GIB:,.1f} GiB{has} ({counted(len(classes), 'class', 'classes')} of gangs that the rules "
        f"tell apart, {counted(len(groups), 'group')} of nodes); plan part of it with -q or -n, give the process more "
        "memory, or let gangs ask for fewer different nodes"
    )


def approximations(built: BuiltModel) -> tuple[str, ...]:
    """What the model simplifies, sentence by sentence; its bounds hold for the cluster all the same."""
    mixed = [group for group in built.form.groups if not group.uniform]
    found = []
    if mixed:
        nodes = sum(group.size for group in mixed)
        found.append(
            f"{counted(nodes, 'node')} that are not alike are planned in {counted(len(mixed), 'group')}, whose room is "
            "taken as one; pods were brought to single nodes afterwards"
        )
    if built.loose:
        found.append(
            "gangs that have to stay inside one topology domain are bounded by what domains hold, and were brought to "
            "domains one by one afterwards"
        )
    return tuple(found)
