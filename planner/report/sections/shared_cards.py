"""GPU cards that pods share: how full each is, in thousandths of a GPU or in memory."""

from __future__ import annotations

from collections import Counter

from models.plan import CardEntry, NodeEntry
from planner.report.plan_view import PlanView
from planner.report.rows import whole
from planner.report.svg.shared_cards import CardRow, card_map
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import counted

_UNITS = {"milliGpu": "milli-GPU", "memoryMib": "MiB of vGPU memory", "memory": "MiB of GPU memory"}


def has_shared_cards(view: PlanView) -> bool:
    """Some node has cards that pods share."""
    return any(node.cards for node in view.result.nodes)


def shared_cards_section(view: PlanView, place: Place, limit: int) -> Section:
    """Sums per pool and unit, and for pages every kind of node with its cards."""
    nodes = [node for node in view.result.nodes if node.cards]
    assumed = sum(card.assumed for node in nodes for card in node.cards)
    notes = (
        (f"{counted(assumed, 'card')} hold pods that do not tell their card: assumed.",)
        if assumed
        else ()
    )
    return Section(
        "shared-cards",
        "Shared GPU cards",
        lead=_lead(nodes),
        figures=(
            Figure(
                "Nodes and their shared cards: used now, planned, free; ×n stands for n nodes alike",
                lambda: card_map(_rows(nodes)),
            ),
        ),
        tables=(_table(nodes),),
        notes=notes,
    )


def _measure(card: CardEntry) -> str:
    return next((name for name in _UNITS if name in card.capacity), "")


def _lead(nodes: list[NodeEntry]) -> str:
    cards = [card for node in nodes for card in node.cards]
    states = Counter(_state(card) for card in cards)
    return (
        f"After the plan {counted(states['unused'], 'card')} of {len(cards):,} are unused, "
        f"{states['partly used']:,} partly used and {states['full']:,} full."
    )


def _state(card: CardEntry) -> str:
    name = _measure(card)
    after = card.after.get(name, 0)
    if not any(card.after.values()):
        return "unused"
    return "full" if after >= card.capacity.get(name, 0) else "partly used"


def _table(nodes: list[NodeEntry]) -> Table:
    columns = (
        Column("POOL"),
        Column("UNIT"),
        Column("CARDS", "cards", numeric=True),
        Column("USED NOW", numeric=True),
        Column("USED AFTER", numeric=True),
        Column("OF", numeric=True),
        Column("UNUSED", "cards", numeric=True),
        Column("PARTLY USED", "cards", numeric=True),
        Column("FULL", "cards", numeric=True),
    )
    groups: dict[tuple[str, str], list[CardEntry]] = {}
    for node in nodes:
        for card in node.cards:
            groups.setdefault((node.pool, _measure(card)), []).append(card)
    cells = []
    for (pool, name), cards in sorted(groups.items()):
        states = Counter(_state(card) for card in cards)
        amounts = (
            len(cards),
            sum(card.before.get(name, 0) for card in cards),
            sum(card.after.get(name, 0) for card in cards),
            sum(card.capacity.get(name, 0) for card in cards),
            *(states[one] for one in ("unused", "partly used", "full")),
        )
        cells.append((pool, _UNITS.get(name, name), *(whole(amount) for amount in amounts)))
    return Table("Shared cards per pool", columns, tuple(cells))


def _rows(nodes: list[NodeEntry]) -> list[CardRow]:
    """Nodes whose cards are equally full, counted together; the most numerous first."""
    groups: Counter[tuple[str, tuple[tuple[float, float], ...]]] = Counter()
    example: dict[tuple[str, tuple[tuple[float, float], ...]], str] = {}
    for node in nodes:
        loads = []
        for card in node.cards:
            name = _measure(card)
            size = max(card.capacity.get(name, 0), 1)
            loads.append((card.before.get(name, 0) / size, card.after.get(name, 0) / size))
        key = (node.pool, tuple(sorted(loads, reverse=True)))
        groups[key] += 1
        example.setdefault(key, node.name)
    return [
        CardRow(pool, example[pool, loads], number, loads)
        for (pool, loads), number in groups.most_common()
    ]
