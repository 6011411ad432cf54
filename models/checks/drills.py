"""What is told about a reclaim drill."""

from __future__ import annotations

from models.checks.check import Check

DRILLS = (
    Check(
        "drill_needs_reclaim",
        "warning",
        "Pods leave in the drill, but the scheduler's actions evict nobody: the drill happens only by hand.",
        "add reclaim (or gangreclaim) to the actions, or evict the listed pods yourself",
    ),
    Check(
        "drill_beyond_deserved",
        "warning",
        "Pods leave, and the claimant's queue asks for more than it deserves: Volcano reclaims nobody for the rest.",
        "raise what the queue deserves, or evict by hand",
    ),
    Check(
        "drill_rules_left_out",
        "warning",
        "The claimant's pods have required rules (affinity, spread, …) that a drill does not model.",
        "check the places in the list against them",
    ),
    Check(
        "drill_shape_assumed",
        "info",
        "The claimant has no pod with GPUs to take the shape from; pods of one GPU without other requests are assumed.",
        "name GPUs per pod with per-pod=K",
    ),
    Check(
        "drill_outside_queues",
        "info",
        "The claimant's pods are in no queue: shares of the victims' queues are not compared.",
        "none needed",
    ),
)
