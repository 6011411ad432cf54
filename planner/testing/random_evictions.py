"""Random cases in which gangs can start only at the expense of running ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from models.cluster import PodDisruptionBudget
from models.effective import with_keys
from models.queues import Queue
from models.selectors import LabelSelector
from models.snapshot import PodUse, Snapshot
from models.workloads import Gang, Pod
from planner.testing.random_nodes import ZONE
from planner.testing.random_sizes import SIZES
from planner.testing.random_snapshots import (
    AS_OF,
    QUEUE_MODELS,
    RandomCase,
    build_snapshot,
    policy_for,
)

MARK = "volcano.sh/preemptable"
TEAM = "team"
_NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def evicting_case(seed: int, size: str = "crowded", queue_model: str | None = None) -> RandomCase:
    """Snapshot and policy of a seed with ``evict`` set; without a queue model the seed chooses it.

    Some cases use budgets, checkpoints, another order of harm, ``ancestor_reclaim_level``, sla or the scope cluster.
    """
    model = queue_model or QUEUE_MODELS[seed % len(QUEUE_MODELS)]
    rng = Random(f"evictions/{size}/{model}/{seed}")
    snapshot = _with_victims(rng, build_snapshot(rng, SIZES[size], model), SIZES[size].rare)
    keys: dict[str, object] = {
        "evict": rng.choice((("preempt",), ("reclaim",), ("preempt", "reclaim"))),
        "pdb": rng.random() < 0.25,
    }
    if model == "hierarchy":
        keys["ancestor_reclaim_level"] = rng.choice((0, 0, 1, 2))
    keys.update(
        rng.choice(
            (
                {},
                {},
                {},
                {"sla": True},
                {"priority_scope": "cluster"},
                {"objective": "throughput"},
                {"harm": ("lost_work", "gangs", "pods", "moves", "domains")},
                {"harm": ("pods", "gangs", "domains", "moves", "lost_work")},
                {"checkpoint": ({"interval_seconds": 600, "restart_seconds": 60},)},
                {"revocable_zones": {ZONE: "11:30-13:00"}},
            )
        )
    )
    name = f"evicting_case({seed}, {size!r}, {model!r})"
    return RandomCase(name, snapshot, policy_for(snapshot, model, **keys))


def idle_case(seed: int, size: str = "crowded") -> RandomCase:
    """The eviction case of a seed with measured use of GPUs, under a policy that prefers idle holders as victims."""
    case = evicting_case(seed, size)
    rng = Random(f"idle/{size}/{seed}")
    harm = rng.choice((("idle", "gangs"), ("gangs", "idle"), ("idle", "lost_work", "pods")))
    policy = with_keys(case.policy, {"harm": harm}, origin="file")
    snapshot = replace(case.snapshot, use=_measured(rng, case.snapshot))
    return RandomCase(f"idle_case({seed}, {size!r})", snapshot, policy)


def _measured(rng: Random, snapshot: Snapshot) -> tuple[PodUse, ...]:
    """Gangs of which all pods are idle, some, or none; one pod in ten is not measured."""
    idle = {gang.full_name for gang in snapshot.gangs if rng.random() < 0.5}
    found = []
    for pod in snapshot.pods:
        if not pod.running or rng.random() < 0.1:
            continue
        span = 7200 if pod.gang in idle and rng.random() < 0.9 else rng.choice((0, 3599, None))
        found.append(PodUse(pod.full_name, 7200, 0, 7200, span))
    return tuple(sorted(found, key=lambda one: one.pod))


def _with_victims(rng: Random, snapshot: Snapshot, rare: float) -> Snapshot:
    """Start times, marks, budgets, gangs that never preempt or restart as a whole, queues not to be reclaimed."""
    gangs = tuple(_gang(rng, gang, rare) for gang in snapshot.gangs)
    never = {gang.full_name for gang in gangs if rng.random() < rare}
    pods = tuple(_pod(rng, pod, never, rare) for pod in snapshot.pods)
    allowed = rng.choice((0, 1, 1, 2))
    budget = PodDisruptionBudget(
        "ml", "team", LabelSelector(match_labels=((TEAM, "blue"),)), allowed
    )
    return replace(
        snapshot,
        gangs=tuple(_never_preempting(gang, never) for gang in gangs),
        pods=pods,
        queues=tuple(_queue(rng, queue, rare) for queue in snapshot.queues),
        disruption_budgets=(budget,),
        as_of=AS_OF,
    )


def _gang(rng: Random, gang: Gang, rare: float) -> Gang:
    if gang.kind == "Job" and rng.random() < 4 * rare:
        return replace(gang, restarts_on_eviction=True)
    return gang


def _never_preempting(gang: Gang, never: set[str]) -> Gang:
    if gang.full_name not in never:
        return gang
    templates = tuple(
        replace(one, spec=replace(one.spec, preemption_policy="Never")) for one in gang.templates
    )
    return replace(gang, templates=templates if gang.kind == "Job" else gang.templates)


def _queue(rng: Random, queue: Queue, rare: float) -> Queue:
    return replace(queue, reclaimable=rng.random() > rare)


def _pod(rng: Random, pod: Pod, never: set[str], rare: float) -> Pod:
    annotations, labels = dict(pod.annotations), dict(pod.labels)
    if pod.gang and rng.random() < rare:
        where = annotations if rng.random() < 0.5 else labels
        where[MARK] = rng.choice(("false", "false", "true"))
    if rng.random() < 0.3:
        labels[TEAM] = rng.choice(("blue", "green"))
    spec = pod.spec
    if pod.gang in never:
        spec = replace(spec, preemption_policy="Never")
    started = ""
    if pod.node and pod.phase == "Running" and rng.random() > rare:
        moment = _NOW - timedelta(seconds=rng.choice((60, 900, 3600, 3600, 7200)))
        started = moment.isoformat().replace("+00:00", "Z")
    return replace(pod, annotations=annotations, labels=labels, spec=spec, started=started)
