"""Nodes as frames of one square per GPU, by pool; many nodes are drawn by picture with their number."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from planner.report.svg.canvas import STATE_WORDS, Canvas, shortened

#: Nodes with GPUs up to which each is drawn.
MOST_NODES = 400
#: Frames drawn in all when nodes are grouped by picture.
MOST_PICTURES = 600
#: GPUs of a node up to which each is a square; larger nodes become a bar.
MOST_CELLS = 64
_WIDTH, _CELL, _STEP, _GAP = 1080, 9, 11, 14
_LABELLED = 120
_STATES = [f"gpus_{css.replace('-', '_')}" for css in STATE_WORDS]


@dataclass(frozen=True, slots=True)
class Tile:
    """One frame: a node, or nodes that look the same; GPUs per state."""

    label: str
    title: str
    counts: tuple[int, ...]

    @property
    def columns(self) -> int:
        """Squares side by side."""
        gpus = sum(self.counts)
        return 8 if gpus > 8 else 4

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the frame."""
        gpus = min(sum(self.counts), MOST_CELLS)
        rows = max(1, -(-gpus // self.columns))
        return self.columns * _STEP + 5, rows * _STEP + 5


def gpu_map(nodes: pd.DataFrame) -> str:
    """The map; nodes without GPUs are left out."""
    with_gpus = nodes[nodes["gpus_allocatable"] > 0]
    single = len(with_gpus) <= MOST_NODES
    labelled = not single or len(with_gpus) <= _LABELLED
    canvas = Canvas(_WIDTH)
    y = canvas.legend(2, STATE_WORDS) + 6
    left = MOST_PICTURES
    hidden = 0
    for pool, members in with_gpus.groupby("pool", sort=True):
        tiles = node_tiles(members) if single else _picture_tiles(members)
        hidden += max(0, len(tiles) - left)
        y = _draw_pool(canvas, str(pool), members, tiles[: max(0, left)], y, labelled=labelled)
        left -= len(tiles)
    if hidden:
        canvas.text(
            0,
            y + 10,
            f"{hidden:,} further pictures are not drawn; nodes.csv lists every node.",
            "small",
        )
    description = "Nodes by pool; the state of every GPU is in the tooltips and in nodes.csv."
    return canvas.markup("GPU map of the nodes", description)


def node_tiles(members: pd.DataFrame) -> list[Tile]:
    """One frame per node, by name."""
    ordered = members.sort_values("node", kind="stable")
    counts = ordered[_STATES].itertuples(index=False, name=None)
    marks = zip(ordered["node"], ordered["conditions"], counts, strict=True)
    return [
        Tile(name, f"{name}: {_words(found)}{f' ({conditions})' if conditions else ''}", found)
        for name, conditions, found in ((n, c, tuple(map(int, f))) for n, c, f in marks)
    ]


def _picture_tiles(members: pd.DataFrame) -> list[Tile]:
    pictures = (
        members.groupby(_STATES, sort=False).size().sort_values(ascending=False, kind="stable")
    )
    tiles = []
    for key, count in pictures.items():
        counts = tuple(int(value) for value in key) if isinstance(key, tuple) else (int(str(key)),)
        tiles.append(Tile(f"× {count:,}", f"{count:,} nodes, each: {_words(counts)}", counts))
    return tiles


def _words(counts: tuple[int, ...]) -> str:
    parts = [
        f"{count} {words}"
        for count, words in zip(counts, STATE_WORDS.values(), strict=True)
        if count
    ]
    return f"{sum(counts)} GPUs, {', '.join(parts)}"


def _draw_pool(
    canvas: Canvas,
    pool: str,
    members: pd.DataFrame,
    tiles: list[Tile],
    y: float,
    *,
    labelled: bool,
) -> float:
    gpus = int(members["gpus_allocatable"].sum())
    canvas.text(
        0, y + 12, f"{shortened(pool, 60)}: {len(members):,} nodes, {gpus:,} GPUs", "strong"
    )
    y += 22
    x = 0.0
    line = 0.0
    for tile in tiles:
        width, height = tile.size
        room = max(width, 62) if labelled else width
        if x + room > _WIDTH:
            x, y = 0.0, y + line + _GAP
            line = 0.0
        draw_tile(canvas, tile, x, y, labelled=labelled)
        line = max(line, height + (12 if labelled else 0))
        x += room + (_GAP if labelled else 6)
    return y + line + _GAP + 6


def draw_tile(canvas: Canvas, tile: Tile, x: float, y: float, *, labelled: bool) -> None:
    """Draw a frame with its squares, and its label below."""
    width, height = tile.size
    canvas.open_group(tile.title)
    canvas.rect(x, y, width, height, "frame")
    if sum(tile.counts) > MOST_CELLS:
        _draw_bar(canvas, tile, x + 2.5, y + 2.5)
    else:
        _draw_cells(canvas, tile, x + 3.5, y + 3.5)
    if labelled:
        canvas.text(x, y + height + 11, shortened(tile.label, 12), "tiny")
    canvas.close_group()


def _draw_cells(canvas: Canvas, tile: Tile, x: float, y: float) -> None:
    place = 0
    for css, count in zip(STATE_WORDS, tile.counts, strict=True):
        corners = []
        for _ in range(count):
            row, column = divmod(place, tile.columns)
            corners.append((x + column * _STEP, y + row * _STEP))
            place += 1
        canvas.cells(corners, _CELL, f"s-{css}")


def _draw_bar(canvas: Canvas, tile: Tile, x: float, y: float) -> None:
    width, height = tile.size
    total = sum(tile.counts)
    for css, count in zip(STATE_WORDS, tile.counts, strict=True):
        if count:
            canvas.rect(x, y, (width - 5) * count / total, height - 5, f"s-{css}")
            x += (width - 5) * count / total
