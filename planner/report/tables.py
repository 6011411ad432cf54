"""What a report shows, before it is known where: tables, figures and sections of plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

if TYPE_CHECKING:
    import pandas as pd

Place = Literal["table", "wide", "page"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: heading, unit (second line of the heading), and how it behaves when room is scarce.

    Attributes
    ----------
    needs_width
        Terminal width in characters below which the column is left out (with a note); 0 = always there.
    grows
        Takes the room that is left and wraps.
    """

    heading: str
    unit: str = ""
    numeric: bool = False
    needs_width: int = 0
    grows: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text under columns.

    Attributes
    ----------
    empty
        The sentence that stands in place of a table without rows.
    notes
        Lines below the table: what is not shown and where all of it is, what a word means.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = "Nothing to show."
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One number of the strip at the top, value with unit."""

    label: str
    value: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart for pages: ``draw`` returns SVG markup that is safe to embed as it is."""

    caption: str
    draw: Callable[[], str]


@dataclass(frozen=True)
class Section:
    """A part of a report; ``numbered`` puts its points in order."""

    anchor: str
    title: str
    lead: str = ""
    points: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    numbered: bool = False


@dataclass(frozen=True)
class Report:
    """One result ready for every format.

    Attributes
    ----------
    name
        Base name of its files (``plan``, ``inspect``, ``compare``).
    document
        What JSON and YAML hold.
    sections
        Place and row limit to sections; tables with more rows than the limit are grouped or say what is missing.
    frames
        File stem to tidy frame, for the CSV set.
    figures
        Charts right below the key figures of a page.
    footer
        As-of time, digests, versions: one line each.
    """

    name: str
    title: str
    sentence: str
    document: BaseModel
    sections: Callable[[Place, int], Sequence[Section]]
    frames: Callable[[], Mapping[str, pd.DataFrame]]
    key_figures: tuple[KeyFigure, ...] = ()
    figures: tuple[Figure, ...] = ()
    footer: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
