"""One self-contained HTML file: inline style, SVG charts, no script, no network."""

from __future__ import annotations

from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from planner.report.tables import Figure, Report, Table
from planner.report.text import clean

#: A page stays below this many bytes, so that it can be mailed.
MOST_BYTES = 1_900_000
#: Rows of one table before gangs are grouped by class; the next number is tried where a page grows too large.
ROW_LIMITS = (2_000, 1_000, 500, 250, 120, 60, 30)
_SHORT = 26
_FEW_COLUMNS = 4
_MARKED_COLUMNS = frozenset({"DECISION", "SEVERITY", "BEFORE", "AFTER"})
_MARKED = frozenset({"start", "grow", "evict", "error"})


def html_page(report: Report) -> str:
    """The page; tables are grouped earlier than at 2,000 rows where the file would get too large otherwise."""
    page = ""
    for limit in ROW_LIMITS:
        page = _page(report, limit)
        if len(page.encode()) < MOST_BYTES:
            break
    return page


def _page(report: Report, limit: int) -> str:
    return (
        _environment()
        .from_string(_text("report.html.j2"))
        .render(
            report=report,
            sections=report.sections("page", limit),
            style=Markup(_text("style.css")),
            grouped_below="" if limit == ROW_LIMITS[0] else f"{limit:,}",
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters.update(
        visible=clean,
        lines=_lines,
        css=_css,
        drawn=_drawn,
        column_classes=_column_classes,
        slim=_slim,
    )
    return environment


@cache
def _text(name: str) -> str:
    return resources.files("planner.report").joinpath("templates", name).read_text("utf-8")


def _column_classes(table: Table) -> list[str]:
    """Classes: ``n`` numbers, ``g`` takes the room, ``k`` stays on one line, ``w`` keeps words whole, ``m`` marked."""
    found = []
    for place, column in enumerate(table.columns):
        if column.numeric:
            found.append("n")
        elif column.grows:
            found.append("g")
        elif column.heading in _MARKED_COLUMNS:
            found.append("k m")
        else:
            longest = max((len(row[place]) for row in table.rows), default=0)
            longest_word = max(
                (len(word) for row in table.rows for word in row[place].split()), default=0
            )
            found.append("k" if longest <= _SHORT else "w" if longest_word <= _SHORT else "")
    return found


def _slim(table: Table) -> bool:
    return len(table.columns) <= _FEW_COLUMNS and not any(column.grows for column in table.columns)


def _lines(text: str) -> str:
    return clean(text, keep_newlines=True)


def _css(column_class: str, value: str) -> Markup:
    marked = column_class.startswith("k m") and value in _MARKED
    names = column_class.removesuffix(" m") + (f" c-{value}" if marked else "")
    return Markup(f' class="{names}"') if names else Markup("")


def _drawn(figure: Figure) -> Markup:
    return Markup(figure.draw())
