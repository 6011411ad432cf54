"""What a reader of a drill should know about its assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from models.findings import Finding
from models.gpu import gpus_in
from planner.drill.needs import Claimant
from planner.drill.prepare import PreparedDrill


def drill_findings(drill: PreparedDrill, *, leaves: bool) -> tuple[Finding, ...]:
    """Findings about the needs, and about the scheduler where somebody ``leaves``."""
    found = [*_nobody_evicts(drill)] if leaves else []
    for claimant in drill.claimants:
        found += _about(claimant)
        found += _entitlement(drill, claimant) if leaves else ()
    return tuple(found)


def _nobody_evicts(drill: PreparedDrill) -> Iterator[Finding]:
    config = drill.snapshot.scheduler
    evicting = {"reclaim", "gangreclaim", "preempt", "gangpreempt"}
    if config is None or evicting & set(config.actions) or drill.question.by_hand:
        return
    yield Finding(
        "drill_needs_reclaim",
        "warning",
        f"scheduler/{config.source}",
        f"the scheduler's actions ({', '.join(config.actions)}) evict nobody: the drill happens only by hand",
        "add reclaim (or gangreclaim) to the actions, or evict the listed pods yourself",
    )


def _about(claimant: Claimant) -> Iterator[Finding]:
    subject = f"need/{claimant.need.service}"
    if not claimant.pattern:
        yield Finding(
            "drill_shape_assumed",
            "info",
            subject,
            f"{claimant.need.service} has no pod with GPUs to take the shape from: pods of "
            f"{claimant.gpus} GPUs without other requests",
            "name GPUs per pod with per-pod=K",
        )
    if claimant.left_out:
        yield Finding(
            "drill_rules_left_out",
            "warning",
            subject,
            f"required rules of the pods of {claimant.need.service} are not modelled "
            f"({', '.join(claimant.left_out)}): there may be less room",
            "check the places in the list against them",
        )
    if not claimant.queue:
        yield Finding(
            "drill_outside_queues",
            "info",
            subject,
            f"pods of {claimant.need.service} are in no queue: shares of the victims' queues are not compared",
            "none needed",
        )


def _entitlement(drill: PreparedDrill, claimant: Claimant) -> Iterator[Finding]:
    """The queue asks for more GPUs than it deserves: Volcano reclaims nobody for the rest."""
    limits, prepared = drill.prepared.limits, drill.prepared
    queue = limits.queues.get(claimant.queue)
    if queue is None or queue.implicit or drill.question.by_hand or limits.proportional:
        return
    request = claimant.spec.request
    if not any(limits.has_deserved(queue.name, name) for name in request):
        return
    used = prepared.usage_below(queue.name)
    may = max(  # one dimension within what is deserved is enough
        int(limits.deserved(queue.name, name) - used.amount(name)) // amount
        for name, amount in request.items()
    )
    if may < claimant.pods:
        names = tuple(name for name in prepared.gpu_names if request.amount(name))
        deserved = int(sum(limits.deserved(queue.name, name) for name in names))
        have, wanted = gpus_in(used, names), claimant.pods * claimant.gpus
        back = max(may, 0) * claimant.gpus or "none"
        yield Finding(
            "drill_beyond_deserved",
            "warning",
            f"queue/{queue.name}",
            f"queue {queue.name} uses {have} GPUs, asks for {wanted} more and deserves {deserved}: Volcano may "
            f"reclaim for {back} of them; the rest needs free room or a person who evicts",
            f"raise its deserved GPUs to {have + wanted}",
        )
