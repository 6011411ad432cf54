"""``node_selection`` and ``time_window``: predicates close nodes that would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from models.checks.wording import counted, names_text
from models.plan import Reason
from planner.encode.prepared import Prepared
from planner.explain.ground import Ground
from planner.explain.parts import Part, parts_of
from planner.problem.placement import BoolArray, Demand

SELECTION, WINDOW = "node_selection", "time_window"
_ZONE, _CLOSED = "revocable zone ", " is closed now"


class ClosedNodes:
    """Which nodes the predicates close to which shapes, and with what words."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._table = prepared.shapes
        self._signatures = np.array(self._table.signatures, dtype=np.int64)
        self._known: dict[tuple[Ground, tuple[int, ...], str], dict[str, int]] = {}

    @property
    def everywhere(self) -> BoolArray:
        """All nodes open to all shapes."""
        return np.ones_like(self._prepared.problem.admits)

    def opened(self, code: str) -> BoolArray:
        """``admits`` with the nodes opened that are closed for this code's reasons only."""
        return self._opened(lambda text: text.startswith(f"{code}:"))

    def _opened(self, opens: Callable[[str], bool]) -> BoolArray:
        rows = [[not text or opens(text) for text in row] for row in self._table.closed]
        if not rows or not self._signatures.size:
            return self._prepared.problem.admits
        opened = np.array(rows, dtype=np.bool_)[np.array(self._table.profile_of)]
        found: BoolArray = opened[:, self._signatures]
        return found

    @cached_property
    def has_windows(self) -> bool:
        """A revocable zone is closed now to some pods that are marked for it."""
        return any(text.startswith(f"{WINDOW}:") for row in self._table.closed for text in row)

    def window_reason(self, demand: Demand, opened: Ground) -> Reason:
        """Closed zones whose nodes have room for pods of the gang on the opened ground."""
        found = self._useful(demand, range(len(demand.items)), opened, f"{WINDOW}:")
        zones = {
            text.removeprefix(_ZONE).removesuffix(_CLOSED): nodes for text, nodes in found.items()
        }
        windows = self._prepared.policy.policy.revocable_zones or {}
        words = [
            f"{counted(nodes, 'node')} of {_ZONE}{zone} ({_window(windows.get(zone))})"
            for zone, nodes in zones.items()
        ]
        message = f"needs nodes that are closed now: {names_text(words)}"
        data = {"zones": zones, "windows": {zone: windows.get(zone, "") for zone in zones}}
        return Reason(code=WINDOW, message=message, data=data)

    def too_few_open(self, demand: Demand, restricted: Ground, opened: Ground) -> Reason:
        """The open nodes would not do even when empty; both grounds are empty."""
        short = restricted.short_parts(demand)
        part = short[0] if short else parts_of(demand)[-1]
        closed = self._useful(demand, part.items, opened, "")
        nodes, total = self._open_nodes(demand, part.items), len(opened.free)
        fit = restricted.most(demand, part)
        data = {
            "openNodes": nodes,
            "nodes": total,
            "podsNeeded": part.need,
            "podsFitEmpty": fit,
            "closed": dict(closed),
        }
        held = f"{nodes:,} of {counted(total, 'node')} {_are(nodes)} open to its pods{part.where}"
        if nodes == 0 and total == 1:
            held = f"the only node is closed to its pods{part.where}"
        elif nodes == 0:
            held = f"none of the {total:,} nodes is open to its pods{part.where}"
        elif short and fit == 0:
            held += ", and none is large enough for one even when empty"
        elif short:
            held += (
                f" and {_hold(nodes)} {fit:,} of the {part.need:,} that it needs, even when empty"
            )
        else:
            held += ", and they are too small even when empty"
        message = f"{held}; closed: {_listed(closed)}"
        return Reason(code=SELECTION, message=message, data=data)

    def all_closed(self, demand: Demand, part: Part, opened: Ground) -> Reason:
        """Nodes are large enough for these pods, and every one of them is closed to them."""
        closed = self._useful(demand, part.items, opened, "")
        message = (
            f"all nodes that are large enough for one of its pods{part.where} are closed to it: "
            f"{_listed(closed)}"
        )
        return Reason(code=SELECTION, message=message, data={"closed": dict(closed)})

    def room_elsewhere(self, demand: Demand, opened: Ground, *, after_plan: bool) -> Reason:
        """The open nodes are large enough, but only closed ones have room now."""
        closed = self._useful(demand, range(len(demand.items)), opened, "")
        message = (
            f"room for it is {_state(after_plan)} on nodes that are closed to it: {_listed(closed)}"
        )
        return Reason(code=SELECTION, message=message, data={"closed": dict(closed)})

    def _open_nodes(self, demand: Demand, items: Iterable[int]) -> int:
        shapes = [demand.items[item].shape for item in items]
        return int(self._prepared.problem.admits[shapes].any(axis=0).sum())

    def _useful(
        self, demand: Demand, items: Iterable[int], opened: Ground, prefix: str
    ) -> dict[str, int]:
        """Words to number of closed nodes on which pods of the items would fit; most nodes first."""
        shapes = tuple(dict.fromkeys(demand.items[item].shape for item in items))
        key = (opened, shapes, prefix)
        if key not in self._known:
            self._known[key] = self._count(shapes, opened, prefix)
        return self._known[key]

    def _count(self, shapes: Sequence[int], opened: Ground, prefix: str) -> dict[str, int]:
        found: Counter[str] = Counter()
        seen = np.zeros(len(opened.free), dtype=np.bool_)
        for shape in shapes:
            closed = ~self._prepared.problem.admits[shape] & (opened.per_node(shape) > 0) & ~seen
            seen |= closed
            row = self._table.closed[self._table.profile_of[shape]]
            signatures, counts = np.unique(self._signatures[closed], return_counts=True)
            for signature, nodes in zip(signatures, counts, strict=True):
                if row[signature].startswith(prefix):
                    found[row[signature].partition(":")[2]] += int(nodes)
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _window(window: str | None) -> str:
    return f"open {window} UTC" if window else "no window is set"


def _state(after_plan: bool) -> str:
    return "left after the plan" if after_plan else "free"


def _are(nodes: int) -> str:
    return "is" if nodes == 1 else "are"


def _hold(nodes: int) -> str:
    return "holds" if nodes == 1 else "hold"


def _listed(closed: dict[str, int]) -> str:
    """``5 nodes (no label gpu=h100) and 3 nodes (cordoned)``."""
    return names_text([f"{counted(nodes, 'node')} ({text})" for text, nodes in closed.items()])
