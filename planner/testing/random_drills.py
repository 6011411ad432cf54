"""Random drills: a cluster in which somebody wants GPUs back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from models.drill import DrillQuestion, Need
from models.effective import EffectivePolicy, resolve_policy
from models.policy import OnlineService, Policy
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.testing.random_evictions import TEAM, evicting_case

GRACES = (None, 0, 4, 9, 9, 29, 30, 60)
SERVICE = "front"


@dataclass(frozen=True)
class DrillCase:
    """A snapshot, a policy and a question; ``name`` tells how to make it again."""

    name: str
    snapshot: Snapshot
    policy: EffectivePolicy
    question: DrillQuestion


def drill_case(seed: int, size: str = "crowded", queue_model: str | None = None) -> DrillCase:
    """The drill of a seed: grace periods per gang, sometimes per pod; a queue, a service or a gang needs GPUs."""
    case = evicting_case(seed, size, queue_model)
    rng = Random(f"drill/{size}/{queue_model}/{seed}")
    snapshot = _with_graces(rng, case.snapshot)
    keys = {key: getattr(case.policy.policy, key) for key in case.policy.origins}
    service = OnlineService(
        name=SERVICE,
        selector={TEAM: rng.choice(("blue", "green"))},
        grace_seconds=rng.choice((None, 3)),
        may_be_evicted=rng.random() < 0.5,
    )
    keys |= {
        "services": (service,) if rng.random() < 0.6 else (),
        "grace_seconds": rng.choice((30, 8)),
        "now": "2026-11-01T12:00:00Z",
        "pdb": rng.choice((None, True, False)),
    }
    policy = resolve_policy(snapshot, Policy(**{k: v for k, v in keys.items() if v is not None}))
    names = [one.name for one in snapshot.queues] + [one.name for one in keys["services"]] * 3
    names += [gang.full_name for gang in snapshot.gangs[:1]]
    needs = tuple(
        Need(service=name, gpus=rng.randint(1, 6), per_pod=rng.choice((None, None, 1, 2)))
        for name in rng.sample(sorted(set(names)), k=1 if rng.random() < 0.8 else 2)
    )
    question = DrillQuestion(
        needs=needs,
        deadline_seconds=rng.choice((5, 10, 30)),
        overhead_seconds=rng.choice((0, 1, 1)),
        by_hand=rng.random() < 0.3,
    )
    name = f"drill_case({seed}, {size!r}, {queue_model!r})"
    return DrillCase(name, snapshot, policy, question)


def _with_graces(rng: Random, snapshot: Snapshot) -> Snapshot:
    per_gang = {gang.full_name: rng.choice(GRACES) for gang in snapshot.gangs}

    def graced(pod: Pod) -> Pod:
        grace = per_gang.get(pod.gang) if rng.random() < 0.8 else rng.choice(GRACES)
        return replace(pod, spec=replace(pod.spec, grace_seconds=grace))

    return replace(snapshot, pods=tuple(map(graced, snapshot.pods)))
