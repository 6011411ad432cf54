"""What a greedy scheduler may evict of one gang: its surplus first, then the whole gang (Volcano's bundles)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.readiness import is_ready
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.verify.protection import exhausted_budget, why_protected
from planner.verify.readiness import stays_legal
from planner.verify.state import State

_SAFE, _WHOLE = 0, 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """Pods of one gang that go together.

    Attributes
    ----------
    safe
        The gang stays ready without them; otherwise it is given up (all pods that are left of it).
    """

    gang: Gang
    pods: tuple[Pod, ...]
    safe: bool


def bundles(state: State) -> list[Bundle]:
    """Safe and whole bundles of every gang of which nothing is protected; the whole one is the rest.

    A gang that is not ready, or restarts as a whole on an eviction, has a whole bundle only.
    """
    found: list[Bundle] = []
    for gang in state.snapshot.gangs:
        running = state.running_before(gang)
        open_pods = [pod for pod in running if not _closed(state, pod)]
        if not open_pods:
            continue
        safe = _safe_pods(state.snapshot, gang, running, open_pods)
        if safe:
            found.append(Bundle(gang, safe, safe=True))
        names = {pod.full_name for pod in safe}
        rest = tuple(pod for pod in running if pod.full_name not in names)
        if rest and len(open_pods) == len(running):
            found.append(Bundle(gang, rest, safe=False))
    return found


def _closed(state: State, pod: Pod) -> bool:
    return bool(why_protected(state, pod) or exhausted_budget(state, pod))


def _safe_pods(
    snapshot: Snapshot, gang: Gang, running: Sequence[Pod], open_pods: Iterable[Pod]
) -> tuple[Pod, ...]:
    """Surplus taken one pod after the other, the last names first, while the gang stays ready."""
    done = [pod for pod in snapshot.pods_of(gang) if pod.phase == "Succeeded"]
    if gang.restarts_on_eviction or not is_ready(gang, running, done):
        return ()
    left = list(running)
    for pod in sorted(open_pods, key=lambda one: one.full_name, reverse=True):
        rest = [one for one in left if one is not pod]
        if rest and stays_legal(gang, rest, running, done):
            left = rest
    names = {pod.full_name for pod in left}
    return tuple(pod for pod in running if pod.full_name not in names)


def in_order(
    found: Iterable[Bundle], gpus_by_bundle: dict[int, int], *, across: bool
) -> list[Bundle]:
    """Safe bundles first; then by priority (inside a queue), then most GPUs per pod, the youngest gang first."""

    def key(one: Bundle) -> tuple[int, int, float, str]:
        priority = 0 if across else one.gang.priority
        gain = gpus_by_bundle.get(id(one), 0) / len(one.pods)
        return (_SAFE if one.safe else _WHOLE, priority, -gain, one.gang.full_name)

    return sorted(found, key=key)
