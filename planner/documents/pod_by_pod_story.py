"""What a scheduler without gangs would make of a snapshot, in one sentence."""

from __future__ import annotations

from models.checks.wording import counted, names_text
from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from planner.simulate.pod_by_pod import place_pod_by_pod


def pod_by_pod_story(snapshot: Snapshot, policy: EffectivePolicy) -> str:
    """Which gangs would hold GPUs without being able to run; "" where none would."""
    found = place_pod_by_pod(snapshot, policy)
    stuck = [name for name in found.deadlocked_gangs if found.held_gpus[name]]
    if not stuck:
        return ""
    held = names_text([f"{name} ({counted(found.held_gpus[name], 'GPU')})" for name in stuck])
    gpus = counted(sum(found.held_gpus[name] for name in stuck), "GPU")
    who = counted(len(stuck), "gang")
    return (
        f"Placed pod by pod, without gangs, {who} would hold {gpus} for ever and never run: {held}"
    )
