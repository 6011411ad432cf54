"""A plan document with its frames, each made once and only when something shows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from models.plan import PlanResult
from planner.report import frames


@dataclass(frozen=True)
class PlanView:
    """What the sections of a report read.

    Attributes
    ----------
    result
        The document as it is shown (filtered where the reader asked for a part).
    """

    result: PlanResult

    @cached_property
    def gangs(self) -> pd.DataFrame:
        """All gangs."""
        return frames.gangs_frame(self.result)

    @cached_property
    def starts(self) -> pd.DataFrame:
        """Gangs that start."""
        return frames.starts_frame(self.gangs)

    @cached_property
    def changes(self) -> pd.DataFrame:
        """Gangs that the plan changes."""
        return frames.changes_frame(self.gangs)

    @cached_property
    def waits(self) -> pd.DataFrame:
        """Gangs that wait."""
        return frames.waits_frame(self.gangs)

    @cached_property
    def evictions(self) -> pd.DataFrame:
        """Gangs that lose pods, by rule."""
        return frames.evictions_frame(self.result)

    @cached_property
    def queues(self) -> pd.DataFrame:
        """All queues."""
        return frames.queues_frame(self.result)

    @cached_property
    def loans(self) -> pd.DataFrame:
        """Who borrows what from whom."""
        return frames.loans_frame(self.result)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """All nodes."""
        return frames.nodes_frame(self.result)

    @cached_property
    def pools(self) -> pd.DataFrame:
        """GPU states per pool."""
        return frames.pools_frame(self.nodes)

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """Tiers of the objective."""
        return frames.tiers_frame(self.result)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """Findings about the input."""
        return frames.findings_frame(self.result)

    @cached_property
    def reasons(self) -> pd.DataFrame:
        """Reasons of gangs."""
        return frames.reasons_frame(self.result)

    @cached_property
    def reason_totals(self) -> pd.DataFrame:
        """Reasons by code and queue."""
        return frames.reason_totals(self.reasons)

    @cached_property
    def reason_totals_by_code(self) -> pd.DataFrame:
        """Reasons by code."""
        return frames.reason_totals(self.reasons, by=("code",))

    @cached_property
    def policy(self) -> pd.DataFrame:
        """The effective policy."""
        return frames.policy_frame(self.result)

    @cached_property
    def stages(self) -> pd.DataFrame:
        """Seconds per stage."""
        return frames.stages_frame(self.result)
