"""Tidy tables of a plan document; the command line, CSV, HTML and the pages all read these.

A frame holds one fact per row, exact integers in base units, and its columns carry their unit in the name
(``gpus``, ``cpu_milli``, ``memory_bytes``, ``pods``). Texts are as in the document; whoever shows them cleans them.
"""

from planner.report.frames.classes import gang_classes
from planner.report.frames.evictions import evictions_frame
from planner.report.frames.gangs import (
    changes_frame,
    gangs_frame,
    longest_waits,
    starts_frame,
    waits_frame,
)
from planner.report.frames.loans import loans_frame
from planner.report.frames.nodes import nodes_frame, pools_frame
from planner.report.frames.pods import pods_frame
from planner.report.frames.proof import policy_frame, rules_frame, stages_frame, tiers_frame
from planner.report.frames.queues import queues_frame
from planner.report.frames.reasons import findings_frame, reason_totals, reasons_frame

__all__ = [
    "changes_frame",
    "evictions_frame",
    "findings_frame",
    "gang_classes",
    "gangs_frame",
    "loans_frame",
    "longest_waits",
    "nodes_frame",
    "pods_frame",
    "policy_frame",
    "pools_frame",
    "queues_frame",
    "reason_totals",
    "reasons_frame",
    "rules_frame",
    "stages_frame",
    "starts_frame",
    "tiers_frame",
    "waits_frame",
]
