"""Random snapshots that are valid: every object could stand in an export."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from models.cluster import PriorityClass
from models.effective import EffectivePolicy, resolve_policy
from models.policy import Policy
from models.queues import DEFAULT_QUEUE
from models.resources import CPU, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.random_gangs import ENDS, GangFactory
from planner.testing.random_nodes import GPU, ZONE, Occupancy, random_nodes
from planner.testing.random_queues import leaves_of, random_queues
from planner.testing.random_sizes import SIZES, Size

QUEUE_MODELS = ("capacity", "hierarchy", "proportion")
CLASSES = (PriorityClass("high", 1000), PriorityClass("normal", 100))
AS_OF = "2026-11-01T12:00:00Z"


@dataclass(frozen=True)
class RandomCase:
    """A snapshot with a policy that suits its queues; ``name`` tells how to make it again."""

    name: str
    snapshot: Snapshot
    policy: EffectivePolicy


def random_snapshot(seed: int, size: str = "tiny", queue_model: str = "capacity") -> Snapshot:
    """The snapshot of a seed; equal arguments give equal snapshots.

    Parameters
    ----------
    size
        ``tiny`` (1-4 nodes, for enumeration), ``twins`` (as tiny, most nodes and gangs alike) or ``small`` (10-30
        nodes, 20-60 gangs).
    queue_model
        ``capacity``, ``hierarchy`` (capacity with a queue tree) or ``proportion``.
    """
    return build_snapshot(Random(f"{size}/{queue_model}/{seed}"), SIZES[size], queue_model)


def random_case(seed: int, size: str = "tiny", queue_model: str | None = None) -> RandomCase:
    """Snapshot and policy of a seed; without a queue model the seed chooses it.

    About one case in nine each uses sla, priority_scope cluster, objective throughput, node groups, an open or a
    closed revocable zone.
    """
    model = queue_model or QUEUE_MODELS[seed % len(QUEUE_MODELS)]
    rng = Random(f"policy/{size}/{seed}")
    flags: dict[str, object] = dict(
        rng.choice(
            (
                {},
                {},
                {},
                {"sla": True},
                {"priority_scope": "cluster"},
                {"objective": "throughput"},
                {"nodegroup": True},
                {"revocable_zones": {ZONE: "11:30-13:00"}},
                {"revocable_zones": {ZONE: "22:00-06:00"}},
            )
        )
    )
    snapshot = random_snapshot(seed, size, model)
    name = f"random_case({seed}, {size!r}, {model!r})"
    return RandomCase(name, snapshot, policy_for(snapshot, model, **flags))


def policy_for(snapshot: Snapshot, queue_model: str, **keys: object) -> EffectivePolicy:
    """Effective policy for one of :data:`QUEUE_MODELS`, without evictions; further policy keys by name."""
    values = {
        "queue_model": "proportion" if queue_model == "proportion" else "capacity",
        "hierarchy": queue_model == "hierarchy",
        "evict": (),
        **keys,
    }
    return resolve_policy(snapshot, Policy.model_validate(values))


def build_snapshot(rng: Random, size: Size, queue_model: str) -> Snapshot:
    """Draw a snapshot; ``rng`` may be one that a property test controls."""
    nodes = random_nodes(rng, size)
    queues = random_queues(
        rng,
        size,
        nodes,
        proportion=queue_model == "proportion",
        hierarchy=queue_model == "hierarchy",
    )
    occupancy = Occupancy(nodes)
    gangs: list[Gang] = []
    pods: list[Pod] = list(_other_pods(rng, size, occupancy))
    holders = list(leaves_of(queues)) * 3 + [DEFAULT_QUEUE] * (queue_model != "proportion")
    factory = GangFactory(rng, size, occupancy, holders)
    for prefix, count in (
        ("run", rng.randint(*size.running)),
        ("wait", rng.randint(*size.waiting)),
    ):
        for place in range(count):
            gang, members = factory.make(f"{prefix}-{place:02}", running=prefix == "run")
            gangs.append(gang)
            pods += members
    if rng.random() < size.rare:
        gang, members = factory.implicit("lone")
        gangs.append(gang)
        pods += members
    return Snapshot(
        nodes=nodes,
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        gangs=tuple(sorted(gangs, key=lambda gang: gang.full_name)),
        queues=queues,
        priority_classes=CLASSES,
        as_of=AS_OF,
    )


def _other_pods(rng: Random, size: Size, occupancy: Occupancy) -> list[Pod]:
    """Pods of another scheduler: they hold nodes and belong to no gang; some are on their way out."""
    found = []
    for place in range(rng.randint(*size.other_pods)):
        amounts = {CPU: rng.choice((100, 500, 1000))}
        if rng.random() < 0.3:
            amounts[GPU] = 1
        spec = PodSpec(request=Resources(amounts), scheduler_name="default-scheduler")
        node = occupancy.take(rng, spec)
        if node is not None:
            leaving = rng.random() < size.rare
            pod = Pod("web", f"web-{place:02}", spec, node=node, phase="Running")
            ends = ENDS if leaving else ""
            found.append(replace(pod, terminating=leaving, ends=ends))
    return found
