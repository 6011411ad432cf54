"""Each rule that protects running pods, in the smallest cluster where it binds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import Node, PodDisruptionBudget
from models.effective import resolve_policy
from models.plan import GangEntry, Reason
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.usecases.planning import make_plan

BOTH = ("preempt", "reclaim")


def gangs_of(*parts: Node | Queue | Work | Snapshot, **keys: object) -> dict[str, GangEntry]:
    whole = parts[0]
    snapshot = whole if isinstance(whole, Snapshot) else snapshot_of(*parts)  # type: ignore[arg-type]
    values = {"queue_model": "capacity", "evict": BOTH, **keys}
    policy = resolve_policy(snapshot, Policy.model_validate(values))
    limits = Limits(time_limit_s=20, workers=1, deterministic=True)
    result = make_plan(snapshot, policy, limits, guard=False)
    return {one.name: one for one in result.gangs}


def protection(entry: GangEntry) -> Reason:
    assert entry.decision == "wait"
    return next(one for one in entry.reasons if one.code == "protected_victims")


def words(entry: GangEntry) -> set[str]:
    return {row["what"] for row in protection(entry).data["protections"]}


def marked(one: Work, value: str = "false") -> Work:
    pods = [replace(pod, annotations={"volcano.sh/preemptable": value}) for pod in one.pods]
    return Work(one.gang, tuple(pods))


def never(one: Work) -> Work:
    pods = [replace(p, spec=replace(p.spec, preemption_policy="Never")) for p in one.pods]
    return Work(one.gang, tuple(pods))


OLD = work("old", gpus=8, nodes=("n1",))
HIGH = work("high", gpus=8, priority=10)
NODE = gpu_node("n1")


def test_a_mark_protects() -> None:
    found = gangs_of(NODE, gpu_queue("q"), marked(OLD), HIGH)
    assert words(found["high"]) == {"volcano.sh/preemptable: false"}
    assert {one.code for one in found["high"].reasons} == {"cluster_capacity", "protected_victims"}
    row = protection(found["high"]).data["protections"][0]
    assert row == {
        "what": "volcano.sh/preemptable: false",
        "tooFew": False,
        "pods": 1,
        "amounts": {"cpu": 1000, GPU: 8},
        "gangs": ["ml/old"],
        "gangsTotal": 1,
    }
    held = next(one for one in found["high"].reasons if one.code == "cluster_capacity")
    assert held.data["heldBy"]["queues"] == {"q": 8}
    assert held.data["heldBy"]["gangs"] == {"ml/old": 8}


def test_equal_priority_protects() -> None:
    found = gangs_of(NODE, gpu_queue("q"), OLD, work("new", gpus=8))
    assert words(found["new"]) == {"of its own queue with no lower priority"}


def test_without_evictions_nobodys_protection_is_the_reason() -> None:
    found = gangs_of(NODE, gpu_queue("q"), OLD, HIGH, evict=())
    assert {one.code for one in found["high"].reasons} == {"cluster_capacity"}


def test_a_policy_that_does_not_preempt_protects() -> None:
    found = gangs_of(NODE, gpu_queue("q"), OLD, HIGH, evict=("reclaim",))
    assert words(found["high"]) == {"of its own queue, which the policy does not preempt"}


def test_a_policy_that_does_not_reclaim_protects() -> None:
    queues = (gpu_queue("q", deserved=0), gpu_queue("r", deserved=8))
    found = gangs_of(NODE, *queues, OLD, work("new", gpus=8, queue="r"), evict=("preempt",))
    assert words(found["new"]) == {"of queue q, from which the policy does not reclaim"}


def test_a_queue_that_is_not_reclaimable_protects() -> None:
    queues = (replace(gpu_queue("q", deserved=0), reclaimable=False), gpu_queue("r", deserved=8))
    found = gangs_of(NODE, *queues, OLD, work("new", gpus=8, queue="r"))
    assert words(found["new"]) == {"of queue q, which is not reclaimable"}


def test_a_queue_within_its_share_keeps_it() -> None:
    queues = (gpu_queue("q", deserved=8), gpu_queue("r", deserved=8))
    found = gangs_of(NODE, *queues, OLD, work("new", gpus=8, queue="r"))
    assert words(found["new"]) == {"of queue q, while queue q is within what it deserves"}


def test_a_queue_beyond_its_own_share_reclaims_nothing() -> None:
    queues = (gpu_queue("q", deserved=0), gpu_queue("r", deserved=4))
    found = gangs_of(NODE, *queues, OLD, work("new", gpus=8, queue="r"))
    (what,) = words(found["new"])
    assert what.startswith("of other queues, while queue r would be above what it deserves (8 of 4")


def test_a_guarantee_protects() -> None:
    keeps = replace(gpu_queue("q", deserved=2), guarantee=Resources({GPU: 8}))
    queues = (keeps, gpu_queue("r", deserved=8))
    node = gpu_node("n1", 16)
    mine = work("mine", gpus=8, nodes=("n1",), queue="r")
    found = gangs_of(node, *queues, OLD, mine, work("new", gpus=8, queue="r"), evict=("reclaim",))
    assert "protected_victims" in {one.code for one in found["new"].reasons}


def test_a_guarantee_that_a_whole_gang_would_break_is_named() -> None:
    queues = (replace(gpu_queue("q"), guarantee=Resources({GPU: 6})), gpu_queue("r", deserved=2))
    found = gangs_of(NODE, *queues, OLD, work("new", gpus=2, queue="r"), evict=("reclaim",))
    (what,) = words(found["new"])
    assert what == "of which too few may be evicted: queue q keeps its guarantee of 6 GPUs"


def test_a_whole_gang_that_is_more_than_was_borrowed_is_told() -> None:
    queues = (gpu_queue("q", deserved=2), gpu_queue("r", deserved=2))
    old = work("old", pods=4, nodes=("n1",) * 4)
    new = work("new", gpus=2, queue="r")
    found = gangs_of(gpu_node("n1", 4), *queues, old, new, evict=("reclaim",))
    (what,) = words(found["new"])
    assert what == (
        "of which too few may be evicted: "
        "queue q gives back only what is above the 2 GPUs that it deserves"
    )


def test_a_budget_protects() -> None:
    labelled = Work(OLD.gang, tuple(replace(pod, labels={"app": "a"}) for pod in OLD.pods))
    snapshot = snapshot_of(NODE, gpu_queue("q"), labelled, HIGH)
    budget = PodDisruptionBudget("ml", "keep", LabelSelector(match_labels=(("app", "a"),)), 0)
    snapshot = replace(snapshot, disruption_budgets=(budget,))
    found = gangs_of(snapshot, pdb=True)
    (what,) = words(found["high"])
    assert what == "under PodDisruptionBudget ml/keep, which lets go 0 of them"
    assert gangs_of(snapshot, pdb=False)["high"].decision == "start"


def test_a_gang_that_never_preempts_says_so() -> None:
    found = gangs_of(NODE, gpu_queue("q"), OLD, never(HIGH))
    assert words(found["high"]) == {"that it may not evict, its preemptionPolicy is Never"}


def test_a_service_protects() -> None:
    service = {"name": "chat", "queue": "q"}
    found = gangs_of(NODE, gpu_queue("q"), OLD, HIGH, services=[service])
    assert words(found["high"]) == {"online service chat"}
    assert protection(found["high"]).message.endswith("1 pod with 8 GPUs of online service chat")


def test_one_protected_pod_keeps_a_gang_whole() -> None:
    pair = work("pair", pods=2, gpus=4, nodes=("n1", "n1"))
    first = replace(pair.pods[0], annotations={"volcano.sh/preemptable": "false"})
    found = gangs_of(NODE, gpu_queue("q"), Work(pair.gang, (first, pair.pods[1])), HIGH)
    assert words(found["high"]) == {"volcano.sh/preemptable: false"}


def test_a_reclaim_that_would_be_undone_is_protected() -> None:
    queues = tuple(Queue(name, deserved=Resources({GPU: 4, "cpu": 4000})) for name in ("q", "r"))
    node = gpu_node("n1", cpu_milli=8000)
    old = _asks(work("old", gpus=5, nodes=("n1",)), 3000)
    new = _asks(work("new", gpus=4, queue="r"), 5000)
    found = gangs_of(node, *queues, old, new, evict=("reclaim",))
    reasons = [one for one in found["new"].reasons if one.code == "protected_victims"]
    assert [one.data.get("gangs") for one in reasons] == [["ml/old"]]
    assert "would be undone at once" in reasons[0].message


def _asks(one: Work, cpu_milli: int) -> Work:
    def changed(pod):  # type: ignore[no-untyped-def]
        request = Resources({**pod.spec.request, "cpu": cpu_milli})
        return replace(pod, spec=replace(pod.spec, request=request))

    return Work(one.gang, tuple(changed(pod) for pod in one.pods))


def test_a_full_queue_limit_is_made_room_in_by_evictions_too() -> None:
    nodes = (gpu_node("n1"), gpu_node("n2"))
    found = gangs_of(*nodes, gpu_queue("q", capability=8), marked(OLD), HIGH)
    assert {one.code for one in found["high"].reasons} == {"quota", "protected_victims"}
    assert protection(found["high"]).data["protections"][0]["gangs"] == ["ml/old"]


@pytest.mark.parametrize("gpus", [9, 17])
def test_what_never_fits_is_not_blamed_on_protection(gpus: int) -> None:
    found = gangs_of(NODE, gpu_queue("q"), marked(OLD), work("big", gpus=gpus, priority=10))
    assert {one.code for one in found["big"].reasons} == {"never_fits"}


def test_pods_that_the_plan_evicts_for_others_protect_too() -> None:
    """Without the start that evicts them, they would be in the way of a gang that may not evict them."""
    queues = (gpu_queue("q", deserved=8), gpu_queue("r", deserved=0))
    found = gangs_of(NODE, *queues, OLD, HIGH, work("new", gpus=4, queue="r"))
    assert found["old"].decision == "evict"
    assert {one.code for one in found["new"].reasons} == {
        "cluster_capacity", "lower_priority", "protected_victims",
    }  # fmt: skip
    (row,) = protection(found["new"]).data["protections"]
    assert row["gangs"] == ["ml/old"]
    assert row["what"].startswith("of other queues, while queue r would be above what it deserves")
