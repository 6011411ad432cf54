"""Where GPUs are used, planned, free as whole nodes, free in fragments, or unavailable."""

from __future__ import annotations

from planner.report.plan_view import PlanView
from planner.report.rows import records, rest_note, whole
from planner.report.svg.gpu_map import MOST_NODES, gpu_map
from planner.report.svg.pools import pool_bars
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import counted

_COLUMNS = (
    Column("POOL"),
    Column("GPU MODEL"),
    Column("NODES", "nodes", numeric=True),
    Column("ALLOCATABLE", "GPUs", numeric=True),
    Column("USED", "GPUs", numeric=True),
    Column("PLANNED", "GPUs", numeric=True),
    Column("FREE WHOLE", "GPUs", numeric=True),
    Column("FRAGMENTS", "GPUs", numeric=True),
    Column("UNAVAILABLE", "GPUs", numeric=True),
)
_STATES = ("used", "planned", "free_whole", "free_fragment", "unavailable")


def gpu_map_section(view: PlanView, place: Place, limit: int) -> Section:
    """Sums per pool, and for pages the bars and the map."""
    nodes, pools = view.nodes, view.pools
    if not len(pools):
        return Section("gpu-map", "GPU map", lead="No node of the snapshot has GPUs.")
    figures = (
        Figure("GPUs by state and pool", lambda: pool_bars(pools)),
        Figure(_map_caption(view), lambda: gpu_map(nodes)),
    )
    return Section(
        "gpu-map",
        "GPU map",
        lead=_lead(view),
        figures=figures,
        tables=(_table(view, limit),),
        notes=_notes(view),
    )


def _lead(view: PlanView) -> str:
    sums = {state: int(view.pools[f"gpus_{state}"].sum()) for state in _STATES}
    return (
        f"Free after the plan: {counted(sums['free_whole'], 'GPU')} on wholly free nodes, "
        f"{counted(sums['free_fragment'], 'GPU')} in fragments beside used ones, and "
        f"{counted(sums['unavailable'], 'GPU')} on nodes that take no pods."
    )


def _map_caption(view: PlanView) -> str:
    count = int((view.nodes["gpus_allocatable"] > 0).sum())
    if count <= MOST_NODES:
        return "Nodes and their GPUs: one square is one GPU, one frame is one node"
    return (
        f"{count:,} nodes by picture: one frame stands for all nodes of a pool whose GPUs are in the same states; the "
        "number below it counts them"
    )


def _table(view: PlanView, limit: int) -> Table:
    rows = records(view.pools)
    cells = tuple(
        (
            row["pool"],
            row["gpu_models"] or "-",
            whole(row["nodes"]),
            whole(row["gpus_allocatable"]),
            *(whole(row[f"gpus_{state}"]) for state in _STATES),
        )
        for row in rows[:limit]
    )
    notes = rest_note(len(cells), len(rows), "pools", "nodes.csv (-o csv --out DIR)")
    return Table("GPUs by pool", _COLUMNS, cells, notes=notes)


def _notes(view: PlanView) -> tuple[str, ...]:
    nodes = view.nodes
    without = int((nodes["gpus_allocatable"] == 0).sum())
    over = int(nodes["gpus_overcommitted"].sum())
    found = [
        "Used: by the same number of GPUs before and after the plan. Planned: what the plan adds on the node. "
        "Fragment: free on a node on which other GPUs are used."
    ]
    if any(node.cards for node in view.result.nodes):
        found.append(
            "A card that carries shares counts as a used GPU, however little of it is taken."
        )
    if without:
        found.append(
            f"{counted(without, 'node')} without GPUs {'is' if without == 1 else 'are'} not drawn."
        )
    if over:
        found.append(
            f"Running pods hold {counted(over, 'GPU')} beyond what their nodes offer now (unhealthy devices)."
        )
    return tuple(found)
