"""Which frames the CSV set of a plan holds."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from planner.report.frames import pods_frame
from planner.report.plan_view import PlanView


def plan_frames(view: PlanView) -> Mapping[str, pd.DataFrame]:
    """File stem to frame; every gang, pod, queue, node, reason, tier and finding of the document."""
    return {
        "gangs": view.gangs,
        "pods": pods_frame(view.result),
        "queues": view.queues,
        "nodes": view.nodes,
        "reasons": view.reasons,
        "tiers": view.tiers,
        "findings": view.findings,
    }
