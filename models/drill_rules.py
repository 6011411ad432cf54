"""The rules of a drill: one id for the check, the sentence and the tests."""

from __future__ import annotations

from enum import StrEnum


class DrillRule(StrEnum):
    """Stable names of the rules that a drill must satisfy."""

    NEED = "drill_need"
    LEAVER = "drill_leaver"
    PROTECTED = "drill_protected"
    GANG = "drill_gang"
    BUDGET = "drill_budget"
    SHARE = "drill_share"
    TIME = "drill_time"
    NODE = "drill_node"
    ROOM = "drill_room"
    QUEUE_LIMIT = "drill_queue_limit"
    NEEDED = "drill_needed"
    FIGURES = "drill_figures"


SENTENCES: dict[DrillRule, str] = {
    DrillRule.NEED: "Every need is the one that was asked, with the shape of the pod it names and no pod too many.",
    DrillRule.LEAVER: "Who leaves is running, listed once, and is where and whose the document says.",
    DrillRule.PROTECTED: "Nobody leaves who is protected, is the claimant's own, or whose queue may not be taken from.",
    DrillRule.GANG: "A gang loses surplus only, or is given up whole.",
    DrillRule.BUDGET: "No disruption budget loses more pods than it allows.",
    DrillRule.SHARE: "The queues of who leaves keep their guarantee and give only what is above deserved.",
    DrillRule.TIME: "A pod's room is free after the overhead and its whole grace period; the list is in that order.",
    DrillRule.NODE: "Pods get room only on nodes that are open to them, of the kind that was asked for.",
    DrillRule.ROOM: "At every second the pods that have room fit beside those that still hold the node.",
    DrillRule.QUEUE_LIMIT: "The claimant's queue and its ancestors stay within their limits.",
    DrillRule.NEEDED: "Nobody leaves for nothing.",
    DrillRule.FIGURES: "Every figure follows from the lists.",
}
