"""How far gangs are spread over topology domains, with a map of domains, nodes and GPUs."""

from __future__ import annotations

from models.plan import GangEntry, Tier
from planner.report.plan_view import PlanView
from planner.report.rows import rest_note
from planner.report.svg.domain_map import MOST_NODES, domain_map
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, counted, ratio_percent

_LEVELS = (
    Column("LEVEL"),
    Column("VALUE", "pods x domains", numeric=True),
    Column("BOUND", "pods x domains", numeric=True),
    Column("GAP", numeric=True),
    Column("SPREAD", "gangs in more than one", numeric=True),
)
_GANGS = (
    Column("GANG"),
    Column("QUEUE"),
    Column("GPUS", "GPUs", numeric=True),
    Column("ASKS FOR"),
    Column("DOMAINS", grows=True),
)


def has_topology(view: PlanView) -> bool:
    """Some node of the document has a domain."""
    return any(node.domain for node in view.result.nodes)


def topology_section(view: PlanView, place: Place, limit: int) -> Section:
    """Value, bound and gap per level, the gangs that are spread, and for pages the map."""
    nodes = view.nodes
    placed = [gang for gang in view.result.gangs if gang.domains and gang.decision == "start"]
    spread = [gang for gang in placed if any(count > 1 for count in gang.domains.values())]
    return Section(
        "topology",
        "Topology",
        lead=_lead(placed, spread),
        figures=(Figure(_caption(view), lambda: domain_map(nodes)),),
        tables=(_levels(view, placed), _spread(spread, limit)),
        notes=(
            "A gang counts once for every domain of the level that holds a pod of it, times the pods of its minimum; "
            "gangs with a networkTopology count, and where the policy names topology_labels every gang of two pods or "
            "more.",
        ),
    )


def _lead(placed: list[GangEntry], spread: list[GangEntry]) -> str:
    if not placed:
        return "No gang starts."
    asking = [gang for gang in spread if gang.topology]
    one = len(placed) - len(spread)
    return (
        f"Of {counted(len(placed), 'gang')} that {'starts' if len(placed) == 1 else 'start'}, {one:,} "
        f"{'is' if one == 1 else 'are'} inside one domain of every level and {len(spread):,} spread over several; "
        f"{len(asking):,} of these {'asks' if len(asking) == 1 else 'ask'} for a topology."
    )


def _caption(view: PlanView) -> str:
    count = int((view.nodes["gpus_allocatable"] > 0).sum())
    if count <= MOST_NODES:
        return "Domains, nodes and GPUs: one line is one domain, one frame is one node, one square is one GPU"
    return "Domains and their GPUs: one bar is one domain, its length the GPUs of its nodes"


def _levels(view: PlanView, placed: list[GangEntry]) -> Table:
    rows = []
    for tier in view.result.certificate.tiers:
        if tier.name.startswith("domains."):
            level = tier.name.partition(".")[2]
            several = sum(gang.domains.get(level, 0) > 1 for gang in placed)
            rows.append((level, f"{tier.value:,}", *_proof(tier), f"{several:,}"))
    return Table(
        "Domains by level", _LEVELS, tuple(rows), "No tier of the objective counts domains."
    )


def _proof(tier: Tier) -> tuple[str, str]:
    if tier.bound is None or tier.gap is None:
        return DASH, DASH
    return f"{tier.bound:,}", ratio_percent(tier.gap)


def _spread(spread: list[GangEntry], limit: int) -> Table:
    ordered = sorted(
        spread, key=lambda gang: (not gang.topology, -max(gang.domains.values()), gang.full_name)
    )
    cells = tuple(
        (
            gang.full_name,
            gang.queue,
            f"{gang.gpus:,}",
            gang.topology or "nothing",
            domains_text(gang),
        )
        for gang in ordered[:limit]
    )
    notes = rest_note(len(cells), len(ordered), "gangs", "gangs.csv (-o csv --out DIR)")
    return Table("Gangs over several domains", _GANGS, cells, "None.", notes)


def domains_text(gang: GangEntry) -> str:
    """``2 of level leaf, 1 of level spine``."""
    return ", ".join(f"{count:,} of level {level}" for level, count in gang.domains.items())
