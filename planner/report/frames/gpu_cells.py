"""Where each GPU is drawn on the map of a page, and how full nodes are where there are too many to draw."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.frames.build import frame_of
from planner.report.frames.nodes import GPU_STATES

MOST_NODES = 400
"""Nodes that one map draws; more are grouped, or shown page by page."""
LABELLED_NODES = 60
"""Nodes up to which each has its name below."""
MOST_CELLS = 16
"""GPUs of a node up to which each is a square; a larger node shows its states in proportion."""
MAP_WIDTH = 880
_STEP, _CELL, _ROWS, _KEY_STEP = 15, 13, 2, 150
_COLUMNS = {
    "pool": "object",
    "node": "object",
    "state": "object",
    "label": "object",
    "kind": "object",
    **dict.fromkeys(("x", "x2", "y", "y2", "gpus_allocatable", "gpus_free"), "Int64"),
}


def gpu_cells(nodes: pd.DataFrame) -> pd.DataFrame:
    """One row per GPU (``kind`` ``gpu``), node label (``node``), pool title (``pool``) and state in the key (``key``).

    Places are in pixels.

    ``nodes`` is a nodes frame; nodes without GPUs are left out, callers pass at most :data:`MOST_NODES`.
    """
    shown = nodes[nodes["gpus_allocatable"] > 0]
    labelled = len(shown) <= LABELLED_NODES
    rows: list[dict[str, Any]] = []
    top = _key(rows)
    for pool, members in shown.groupby("pool", sort=True):
        title = f"{pool} ({len(members):,})"
        rows.append({"kind": "pool", "pool": pool, "label": title, "x": 0, "y": top + 14})
        top = _pool(rows, members.to_dict("records"), top + 24, labelled=labelled) + 12
    return frame_of(rows, _COLUMNS)


def _key(rows: list[dict[str, Any]]) -> int:
    """The key of the map: one square per state, ``kind`` ``key``; its height."""
    for place, state in enumerate(GPU_STATES):
        x = place * _KEY_STEP
        rows.append({"kind": "key", "state": state, "x": x, "x2": x + _CELL, "y": 0, "y2": _CELL})
    return 2 * _STEP


def map_height(cells: pd.DataFrame) -> int:
    """Height of a map in pixels."""
    return int(max(cells["y2"].max() if cells["y2"].notna().any() else 0, cells["y"].max())) + 18


def _pool(
    rows: list[dict[str, Any]], members: list[dict[Any, Any]], top: int, *, labelled: bool
) -> int:
    squares = [min(int(node["gpus_allocatable"]), MOST_CELLS) for node in members]
    wide = max(-(-count // _ROWS) for count in squares) * _STEP + 10
    step = max(wide, 104) if labelled else wide
    high = _ROWS * _STEP + (18 if labelled else 8)
    per_row = max(1, MAP_WIDTH // step)
    for place, (node, count) in enumerate(zip(members, squares, strict=True)):
        row, column = divmod(place, per_row)
        _node(rows, node, count, (column * step, top + row * high), labelled=labelled)
    return top + (-(-len(members) // per_row)) * high


def _node(
    rows: list[dict[str, Any]],
    node: dict[Any, Any],
    count: int,
    corner: tuple[int, int],
    *,
    labelled: bool,
) -> None:
    x, y = corner
    free = sum(int(node[state]) for state in GPU_STATES[2:])
    common = {
        "pool": node["pool"],
        "node": node["node"],
        "gpus_allocatable": int(node["gpus_allocatable"]),
        "gpus_free": free,
    }
    across = -(-count // _ROWS)
    for place, state in enumerate(_states(node, count)):
        line, column = divmod(place, across)
        left, upper = x + column * _STEP, y + line * _STEP
        rows.append(
            {
                **common,
                "kind": "gpu",
                "state": state,
                "x": left,
                "x2": left + _CELL,
                "y": upper,
                "y2": upper + _CELL,
            }
        )
    if labelled:
        name = str(node["node"])
        short = name if len(name) <= 16 else f"…{name[-15:]}"
        rows.append({**common, "kind": "node", "label": short, "x": x, "y": y + 2 * _STEP + 9})


def _states(node: dict[Any, Any], count: int) -> list[str]:
    """State per square; a node with more GPUs than squares is drawn in proportion."""
    total = int(node["gpus_allocatable"])
    states: list[str] = []
    seen = 0
    for state in GPU_STATES:
        seen += int(node[state])
        states += [state] * (seen * count // total - len(states))
    return states


def occupancy_frame(nodes: pd.DataFrame) -> pd.DataFrame:
    """Number of nodes per pool and free GPUs per node (whole and fragments; ``closed`` nodes count as 0 free)."""
    shown = nodes[nodes["gpus_allocatable"] > 0]
    free = shown["gpus_free_whole"] + shown["gpus_free_fragment"]
    counted = shown.assign(gpus_free=free).groupby(["pool", "gpus_free"], sort=True).size()
    return counted.rename("nodes").reset_index()
