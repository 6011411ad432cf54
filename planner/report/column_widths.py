"""How wide the columns of a terminal table are, so that nothing is cut and long texts get the room."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from planner.report.tables import Column

_GROWS, _STAYS = 3, 2


def column_widths(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int, gap: int
) -> list[int]:
    """Width per column in characters; with ``gap`` between columns they fill at most ``width`` where that is possible.

    Numbers are never broken. Names of up to a quarter of the width are kept on one line as long as a third of the
    width is left for columns that grow. The other texts share what is left: those that need less than their share get
    what they need, columns that grow get half as much again as others of the rest. No column is narrower than its
    heading, so a very narrow terminal gets lines that are wider than itself, but whole.
    """
    wanted = [
        _natural(column, [row[place] for row in rows]) for place, column in enumerate(columns)
    ]
    least = [max(cell_len(column.heading), cell_len(column.unit)) for column in columns]
    fixed = {place for place, column in enumerate(columns) if column.numeric}
    names = {
        place
        for place, column in enumerate(columns)
        if not column.numeric and not column.grows and wanted[place] <= width // 4
    }
    left = width - gap * (len(columns) - 1) - sum(wanted[place] for place in fixed)
    if left - sum(wanted[place] for place in names) >= width // 3:
        left -= sum(wanted[place] for place in names)
        fixed |= names
    shared = [place for place in range(len(columns)) if place not in fixed]
    weights = {place: _GROWS if columns[place].grows else _STAYS for place in shared}
    return [
        wanted[place] if place in fixed else width_of
        for place, width_of in enumerate(_shared(wanted, least, weights, left))
    ]


def _shared(
    wanted: Sequence[int], least: Sequence[int], weights: dict[int, int], left: int
) -> list[int]:
    """Part what is left by weight; who needs less gives the rest to the others, who is at its heading stays there."""
    found = list(wanted)
    open_places = dict(weights)
    while open_places:
        share = left / sum(open_places.values())
        room = {place: int(share * weight) for place, weight in open_places.items()}
        settled = {place: wanted[place] for place in room if wanted[place] <= room[place]}
        settled = settled or {place: least[place] for place in room if least[place] > room[place]}
        settled = settled or room
        for place, width in settled.items():
            found[place] = width
            left -= width
            del open_places[place]
    return found


def _natural(column: Column, cells: Sequence[str]) -> int:
    lines = (line for cell in cells for line in cell.split("\n"))
    return max([cell_len(column.heading), cell_len(column.unit), *map(cell_len, lines)])
