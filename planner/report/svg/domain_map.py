"""Domains, their nodes and GPUs: one line per domain of the finest level, under the wider domain that holds it."""

from __future__ import annotations

import pandas as pd

from planner.report.svg.canvas import STATE_WORDS, Canvas, shortened
from planner.report.svg.gpu_map import Tile, draw_tile, node_tiles

#: Nodes with GPUs up to which each is drawn; beyond, every domain is one bar.
MOST_NODES = 400
#: Domains that are drawn at most.
MOST_DOMAINS = 800
_WIDTH, _LEFT, _GAP = 1080, 150, 6
_BAR_WIDTH, _BAR_HEIGHT = 620, 11
_STATES = [f"gpus_{css.replace('-', '_')}" for css in STATE_WORDS]


def domain_map(nodes: pd.DataFrame) -> str:
    """The map; nodes without GPUs are left out, those without a domain come last."""
    with_gpus = nodes[nodes["gpus_allocatable"] > 0]
    single = len(with_gpus) <= MOST_NODES
    canvas = Canvas(_WIDTH)
    y = canvas.legend(2, STATE_WORDS) + 6
    ordered = with_gpus.assign(_none=with_gpus["domain"] == "")
    groups = list(ordered.groupby(["_none", "domain"], sort=True))
    most = max((int(members["gpus_allocatable"].sum()) for _, members in groups), default=1)
    before = None
    for (_, path), members in groups[:MOST_DOMAINS]:
        wide, _, name = str(path).rpartition("/")
        if wide != before and wide:
            y += 8
            canvas.text(0, y + 12, shortened(wide, 80), "strong")
            y += 20
        before = wide
        y = _line(canvas, name or "outside all domains", members, y, single=single, most=most)
    if len(groups) > MOST_DOMAINS:
        told = f"{len(groups) - MOST_DOMAINS:,} further domains are not drawn; nodes.csv lists every node."
        canvas.text(0, y + 12, told, "small")
    description = (
        "Domains with their nodes; the state of every GPU is in the tooltips and in nodes.csv."
    )
    return canvas.markup("Map of domains, nodes and GPUs", description)


def _line(
    canvas: Canvas, name: str, members: pd.DataFrame, y: float, *, single: bool, most: int
) -> float:
    """One domain; returns the y below it."""
    sums = [int(members[state].sum()) for state in _STATES]
    canvas.open_group(f"{name}: {len(members):,} nodes, {_words(sums)}")
    canvas.text(0, y + 14 if single else y + 9, shortened(name, 22), "label")
    canvas.close_group()
    if single:
        return _nodes(canvas, node_tiles(members), y)
    _bar(canvas, sums, most, y)
    canvas.text(
        _LEFT + _BAR_WIDTH + 10, y + 9, f"{len(members):,} nodes, {sum(sums):,} GPUs", "small"
    )
    return y + _BAR_HEIGHT + 5


def _nodes(canvas: Canvas, tiles: list[Tile], y: float) -> float:
    x, high = float(_LEFT), 0.0
    for tile in tiles:
        width, height = tile.size
        if x + width > _WIDTH:
            x, y, high = float(_LEFT), y + high + _GAP, 0.0
        draw_tile(canvas, tile, x, y, labelled=False)
        x += width + _GAP
        high = max(high, height)
    return y + high + _GAP


def _bar(canvas: Canvas, sums: list[int], most: int, y: float) -> None:
    """States in proportion; the longest bar is the domain with most GPUs."""
    x = float(_LEFT)
    for css, count in zip(STATE_WORDS, sums, strict=True):
        if count:
            width = _BAR_WIDTH * count / max(most, 1)
            canvas.rect(x, y, width, _BAR_HEIGHT, f"s-{css}")
            x += width


def _words(sums: list[int]) -> str:
    parts = [
        f"{count:,} {words}"
        for count, words in zip(sums, STATE_WORDS.values(), strict=True)
        if count
    ]
    return f"{sum(sums):,} GPUs: {', '.join(parts)}"
