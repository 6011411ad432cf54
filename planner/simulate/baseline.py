"""The baseline beside a plan: what Volcano would do, verified like a plan."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from models.effective import EffectivePolicy
from models.entries import gang_entries
from models.gpu import gpus_in, whole_gpu_names
from models.placement import Placement
from models.plan import Baseline, PlanResult, Reason, RuleViolation, TradedGang
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.simulate.candidates import left_out
from planner.simulate.volcano import VolcanoScheduler
from planner.verify.beforehand import Beforehand
from planner.verify.check import verify
from planner.verify.tiers import tier_values

_NOT_ASKED = (RuleId.VICTIM_NEEDED, RuleId.NO_UNDOING)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GreedyRun:
    """What a scheduler does that serves one gang after the other.

    Attributes
    ----------
    gpus
        GPUs of the placed pods, less those of the victims.
    started
        Full names of the gangs that were not ready and received pods.
    tiers
        Value of every tier of the objective, known of runs that were verified.
    """

    placements: tuple[Placement, ...]
    gpus: int
    started: tuple[str, ...]
    victims: tuple[Pod, ...] = ()
    node_order: str = ""
    tiers: Mapping[str, int] = field(default_factory=dict)


def scheduler_run(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    *,
    evicting: bool = True,
    ruled: Snapshot | None = None,
) -> GreedyRun:
    """What Volcano does with the snapshot.

    ``evicting``: use the evictions that the policy allows. ``ruled``: see
    :class:`planner.simulate.volcano.VolcanoScheduler`.
    """
    scheduler = VolcanoScheduler(snapshot, policy, ruled)
    placements, victims = scheduler.run(evicting=bool(policy.evict) and evicting)
    return GreedyRun(
        placements=placements,
        gpus=_placed_gpus(snapshot, policy, placements) - _gpus(policy, victims),
        started=tuple(sorted({one.gang for one in placements} & scheduler.waiting)),
        victims=victims,
        node_order=scheduler.weights.words,
    )


def verified_run(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    ruled: Snapshot | None = None,
    beforehand: Beforehand | None = None,
) -> GreedyRun | None:
    """What a greedy gang scheduler would do, with the values of its tiers; None where it fails verification.

    That is logged. A greedy scheduler may evict more than is needed, or what comes back at once: these two rules are
    not asked of it.
    """
    run = scheduler_run(snapshot, policy, ruled=ruled)
    plan, found = _broken_rules(snapshot, policy, run, beforehand)
    if (
        found and run.victims
    ):  # gangs served later may take the entitlement on which earlier evictions rest
        run = scheduler_run(snapshot, policy, evicting=False, ruled=ruled)
        plan, found = _broken_rules(snapshot, policy, run, beforehand)
    if found:
        first = found[0]
        _log.warning(
            "no baseline: the greedy plan breaks %d rules, first %s at %s: %s",
            len(found),
            first.rule,
            first.object,
            first.message,
        )
        return None
    known = beforehand or Beforehand(snapshot, policy)
    return replace(run, tiers=tier_values(known.state(snapshot, policy, plan)))


def baseline_of(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    ruled: Snapshot | None = None,
    run: GreedyRun | None = None,
) -> Baseline | None:
    """The figures of a verified greedy run, of ``run`` where it is known; None where there is none.

    ``gpus_after`` counts whole GPUs of the running pods of every scheduler and of the placed pods.
    """
    run = run or verified_run(snapshot, policy, ruled)
    if run is None:
        return None
    return Baseline(
        gpus_after=_running_gpus(snapshot, policy) + run.gpus,
        gangs_started=len(run.started),
        pods_evicted=len(run.victims),
        node_order=run.node_order,
        gangs_left_out=left_out(ruled or snapshot, policy),
    )


def with_trade(
    figures: Baseline | None,
    run: GreedyRun | None,
    snapshot: Snapshot,
    policy: EffectivePolicy,
    placed: Iterable[Placement],
    starts: Collection[str],
) -> Baseline | None:
    """The figures with the gangs that only one side starts: the plan with these placements and starts, or the run."""
    if figures is None or run is None:
        return figures
    theirs = set(run.started)
    return figures.model_copy(
        update={
            "only_plan": _traded(snapshot, policy, placed, set(starts) - theirs),
            "only_baseline": _traded(snapshot, policy, run.placements, theirs - set(starts)),
        }
    )


def _traded(
    snapshot: Snapshot, policy: EffectivePolicy, placed: Iterable[Placement], names: Collection[str]
) -> tuple[TradedGang, ...]:
    pods: dict[str, list[Placement]] = {name: [] for name in names}
    for one in placed:
        if one.gang in pods:
            pods[one.gang].append(one)
    found = [
        TradedGang(
            name=name,
            gpus=_placed_gpus(snapshot, policy, own),
            priority=snapshot.gang_by_name[name].priority,
        )
        for name, own in pods.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.gpus, -one.priority, one.name)))


def _broken_rules(
    snapshot: Snapshot, policy: EffectivePolicy, run: GreedyRun, beforehand: Beforehand | None
) -> tuple[PlanResult, list[RuleViolation]]:
    """The run as a document, and the rules that it breaks."""
    gone = [pod.full_name for pod in run.victims]
    entries = gang_entries(snapshot, run.placements, reasons=_reasons(snapshot), evicted=gone)
    plan = PlanResult(gangs=entries)
    violations = verify(snapshot, policy, plan, beforehand).violations
    return plan, [one for one in violations if one.rule not in _NOT_ASKED]


def _reasons(snapshot: Snapshot) -> dict[str, tuple[Reason, ...]]:
    """The document wants a reason for every gang that waits; a greedy scheduler knows only one."""
    reason = (Reason(code="cluster_capacity", message="found no room when its turn came"),)
    return dict.fromkeys((gang.full_name for gang in snapshot.gangs), reason)


def _running_gpus(snapshot: Snapshot, policy: EffectivePolicy) -> int:
    return _gpus(policy, (pod for pod in snapshot.pods if pod.running))


def _gpus(policy: EffectivePolicy, pods: Iterable[Pod]) -> int:
    names = whole_gpu_names(policy.policy.gpu_models)
    return sum(gpus_in(pod.spec.request, names) for pod in pods)


def _placed_gpus(
    snapshot: Snapshot, policy: EffectivePolicy, placements: Iterable[Placement]
) -> int:
    names = whole_gpu_names(policy.policy.gpu_models)
    total = 0
    for one in placements:
        for name in one.names:
            total += gpus_in(snapshot.pod_by_name[name].spec.request, names)
        promised = one.count - len(one.names)
        if promised:
            template = snapshot.gang_by_name[one.gang].template(one.role)
            request = template.spec.request if template else {}
            total += promised * gpus_in(request, names)
    return total
