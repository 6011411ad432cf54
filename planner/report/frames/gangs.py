"""One row per gang: what the plan does with it, where, and why it waits."""

from __future__ import annotations

from typing import Any

import pandas as pd

from models.plan import GangEntry, PlanResult
from models.use import GangUse
from planner.report.frames.build import frame_of
from planner.report.hostlist import hostlist
from planner.report.text import clean, seconds_between

COLUMNS = {
    "namespace": "object",
    "gang": "object",
    "kind": "object",
    "queue": "object",
    "priority": "Int64",
    "decision": "object",
    "min_member_pods": "Int64",
    "pods_before": "Int64",
    "pods_after": "Int64",
    "pods_pending": "Int64",
    "gpus": "Int64",
    "waited_seconds": "Int64",
    "startable": "boolean",
    "tier_class": "object",
    "rank": "Int64",
    "node_count": "Int64",
    "nodes": "object",
    "topology": "object",
    "domains": "object",
    "gpu_models": "object",
    "reason_codes": "object",
    "why": "object",
    "created": "object",
    "milli_gpus": "Int64",
    "idle_seconds": "Int64",
    "worked_permille": "Int64",
}
CHANGED = ("start", "grow", "shrink", "move", "evict")


def gangs_frame(result: PlanResult) -> pd.DataFrame:
    """All gangs in the order of the document.

    ``nodes`` are those of newly placed or moved pods (host-list notation), of running pods where nothing is placed.
    ``domains`` tells how many domains of each topology level hold the gang's pods (``2 leaf, 1 spine``).
    ``reason_codes`` are joined by commas; ``why`` holds all messages in the same
    order, one per line, and as the only text already without control characters. ``idle_seconds`` and
    ``worked_permille`` are measured (:class:`models.use.GangUse`), missing where nothing was.
    """
    use = {one.gang: one for one in result.use.gangs} if result.use is not None else {}
    models = {node.name: node.gpu_model for node in result.nodes}
    as_of = result.snapshot.as_of
    rows = [_row(gang, models, as_of, use.get(gang.full_name)) for gang in result.gangs]
    return frame_of(rows, COLUMNS)


def starts_frame(gangs: pd.DataFrame) -> pd.DataFrame:
    """Gangs that start, most GPUs first."""
    return _largest_first(gangs[gangs["decision"] == "start"])


def changes_frame(gangs: pd.DataFrame) -> pd.DataFrame:
    """Every gang that the plan changes (start, grow, shrink, move, evict), starts first, most GPUs first."""
    chosen = gangs[gangs["decision"].isin(CHANGED)]
    order = chosen["decision"].map({name: place for place, name in enumerate(CHANGED)})
    return _largest_first(chosen.assign(_order=order), ["_order"]).drop(columns="_order")


def waits_frame(gangs: pd.DataFrame) -> pd.DataFrame:
    """Gangs that wait, highest priority first, then most GPUs."""
    chosen = gangs[gangs["decision"] == "wait"]
    return chosen.sort_values(
        ["priority", "gpus", "queue", "namespace", "gang"],
        ascending=[False, False, True, True, True],
        kind="stable",
    ).reset_index(drop=True)


def lacking_frame(gangs: pd.DataFrame) -> pd.DataFrame:
    """Running gangs of which pods wait after the plan, beyond their minimum; highest priority first."""
    chosen = gangs[gangs["pods_pending"] > 0]
    return chosen.sort_values(
        ["priority", "queue", "namespace", "gang"],
        ascending=[False, True, True, True],
        kind="stable",
    ).reset_index(drop=True)


def longest_waits(waits: pd.DataFrame, count: int) -> pd.DataFrame:
    """The gangs that have waited longest; unknown waits last."""
    order = ["waited_seconds", "gpus"]
    return waits.sort_values(order, ascending=False, kind="stable", na_position="last").head(count)


def _largest_first(frame: pd.DataFrame, before: list[str] | None = None) -> pd.DataFrame:
    keys = [*(before or []), "gpus", "queue", "namespace", "gang"]
    ascending = [key != "gpus" for key in keys]
    return frame.sort_values(keys, ascending=ascending, kind="stable").reset_index(drop=True)


def _row(
    gang: GangEntry, models: dict[str, str], as_of: str, use: GangUse | None
) -> dict[str, Any]:
    fresh = {pod.node for pod in gang.pods if pod.node and pod.action in ("place", "move")}
    nodes = fresh or {pod.node for pod in gang.pods if pod.node and pod.action == "keep"}
    return {
        "namespace": gang.namespace,
        "gang": gang.full_name,
        "kind": gang.kind,
        "queue": gang.queue,
        "priority": gang.priority,
        "decision": gang.decision,
        "min_member_pods": gang.min_member,
        "pods_before": gang.pods_before,
        "pods_after": gang.pods_after,
        "pods_pending": gang.pods_pending,
        "gpus": gang.gpus,
        "waited_seconds": seconds_between(gang.created, as_of),
        "startable": gang.startable,
        "tier_class": gang.tier_class,
        "rank": gang.rank,
        "node_count": len(nodes),
        "nodes": hostlist(nodes),
        "topology": gang.topology,
        "domains": ", ".join(f"{count} {level}" for level, count in gang.domains.items()),
        "gpu_models": ", ".join(sorted({models.get(node, "") for node in nodes} - {""})),
        "reason_codes": ", ".join(reason.code for reason in gang.reasons),
        "why": "\n".join(_sentence(clean(reason.message)) for reason in gang.reasons),
        "created": gang.created,
        "milli_gpus": milli_gpus(gang),
        "idle_seconds": use.idle_s if use else None,
        "worked_permille": use.worked_permille if use else None,
    }


def milli_gpus(gang: GangEntry) -> int:
    """Thousandths of GPUs: what is exact where shares or slices exist, else the whole GPUs."""
    return 1000 * gang.gpus if gang.milli_gpus is None else gang.milli_gpus


def _sentence(message: str) -> str:
    """A message with a capital first letter (unless it starts with a name) and a full stop."""
    text = message.strip()
    if not text:
        return ""
    first = text.split(maxsplit=1)[0]
    start = text[0].upper() + text[1:] if first.isalpha() else text
    return start if start.endswith((".", "!", "?")) else f"{start}."
