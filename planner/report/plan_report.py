"""A plan document made ready for every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from models.plan import PlanResult
from planner.report.reproduce import command_line
from planner.report.sections.footer import plan_footer
from planner.report.sections.headline import headline, key_figures, warnings
from planner.report.selection import select, selection_note
from planner.report.svg.ladder import ladder
from planner.report.tables import Figure, Place, Report, Section

if TYPE_CHECKING:
    import pandas as pd

    from planner.report.plan_view import PlanView


def plan_report(
    result: PlanResult,
    *,
    namespaces: Sequence[str] = (),
    queues: Sequence[str] = (),
    command: str = "",
) -> Report:
    """Prepare a plan; frames are made when a format asks for them, so that JSON needs no pandas.

    Parameters
    ----------
    command
        Command line that made the plan, for the appendix; worked out from the document where it is empty.
    """
    shown = select(result, namespaces=namespaces, queues=queues)
    reproduce = command or command_line(result)
    view = _lazy_view(shown)

    def sections(place: Place, limit: int) -> Sequence[Section]:
        from planner.report.sections.plan import plan_sections

        return plan_sections(view(), place, limit, command=reproduce)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.csv_frames import plan_frames

        return plan_frames(view())

    note = selection_note(shown)
    return Report(
        name="plan",
        title="Capacity plan",
        sentence=headline(result),
        document=shown,
        sections=sections,
        frames=frames,
        key_figures=key_figures(result),
        figures=(
            Figure("GPUs allocated, of all allocatable ones (frame)", lambda: ladder(result)),
        ),
        footer=plan_footer(result),
        warnings=(*warnings(result), *((note,) if note else ())),
    )


def _lazy_view(result: PlanResult) -> Callable[[], PlanView]:
    @cache
    def make() -> PlanView:
        from planner.report.plan_view import PlanView

        return PlanView(result)

    return make
