"""Drills worked out by hand: who leaves, when, what blocks the rest, what would help."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from models.cluster import Node, PodDisruptionBudget, SchedulerConfig
from models.drill import DrillResult, Need
from models.effective import resolve_policy
from models.findings import UsageError
from models.host_ports import HostPort
from models.pod_terms import PodAffinityTerm
from models.policy import Policy
from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.selectors import LabelSelector
from models.snapshot import PodUse, Snapshot
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU

NOW = "2026-11-01T12:00:00Z"
CHAT = gpu_queue("chat", deserved=32)
LENT = gpu_queue("batch", deserved=0)


def graced(one: Work, seconds: int | None, **changes: object) -> Work:
    """The same work with a grace period, and other fields of its pods."""
    pods = tuple(
        replace(pod, spec=replace(pod.spec, grace_seconds=seconds), **changes) for pod in one.pods
    )
    return Work(one.gang, pods)


def batch(name: str, pods: int, gpus: int, nodes: tuple[str, ...], **more: object) -> Work:
    return work(name, pods, gpus, queue="batch", nodes=nodes, **more)  # type: ignore[arg-type]


def drill(
    snapshot: Snapshot,
    gpus: int,
    deadline: int = 30,
    *,
    by_hand: bool = False,
    need: Need | None = None,
    **keys: object,
) -> DrillResult:
    policy = resolve_policy(snapshot, Policy.model_validate({"now": NOW, **keys}))
    asked = need or Need(service="chat", gpus=gpus)
    question = drill_question([asked], deadline_seconds=deadline, policy=policy, by_hand=by_hand)
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_drill(snapshot, policy, question, limits)


def codes(result: DrillResult) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in result.holders:
        found[one.code] = found.get(one.code, 0) + one.gpus
    return found


def changes(result: DrillResult, code: str) -> list[tuple[tuple[str, ...], int, bool]]:
    return [(one.objects, one.gain, one.in_time) for one in result.changes if one.code == code]


def test_the_default_grace_period_misses_a_deadline_of_thirty_seconds_by_the_overhead() -> None:
    """Kubernetes' 30 s and the scheduler's cycle of 1 s make 31 s: nothing of that kind is back within 30 s."""
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, batch("train", 1, 8, ("n1",)))
    result = drill(snapshot, 8)
    assert (result.summary.gpus_in_time, result.summary.last_second) == (0, 31)
    assert [one.second for one in result.leaving] == [31]
    assert changes(result, "shorter_grace") == [(("ml/train",), 8, True)]
    assert changes(result, "lend_less") == [(("ml/train",), 8, True)]
    assert changes(result, "more_time") == [((), 8, True)]
    assert drill(snapshot, 8, 31).summary.in_time


def test_free_gpus_count_first_and_nobody_leaves_for_them() -> None:
    nodes = (gpu_node("n1"), gpu_node("n2"))
    snapshot = snapshot_of(*nodes, CHAT, LENT, graced(batch("train", 1, 8, ("n1",)), 5))
    result = drill(snapshot, 8)
    assert (result.summary.in_time, result.summary.last_second) == (True, 0)
    assert not result.leaving
    more = drill(snapshot, 12)
    assert [(one.second, one.gpus) for one in more.places] == [(0, 8), (6, 4)]
    assert more.summary.gpus_free == 8


def test_room_for_a_pod_of_eight_is_room_on_one_node() -> None:
    """Four free GPUs on each of two nodes are no room for a pod of eight."""
    works = [graced(batch(f"w{n}", 1, 4, (f"n{n}",)), 5) for n in (1, 2)]
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), CHAT, LENT, *works)
    assert drill(snapshot, 8).summary.pods_evicted == 0
    whole = drill(snapshot, 8, need=Need(service="chat", gpus=8, per_pod=8))
    assert (whole.summary.pods_evicted, whole.summary.last_second) == (1, 6)


def test_the_shape_is_that_of_the_running_pods_and_the_need_is_rounded_up() -> None:
    chat = work("chat", 1, 4, queue="chat", nodes=("n1",))
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), CHAT, LENT, chat)
    [need] = drill(snapshot, 6).needs
    assert (need.pattern, need.gpus_per_pod, need.pods) == ("ml/chat-0", 4, 2)
    assert need.request == Resources({CPU: 1000, GPU: 4})
    [other] = drill(snapshot, 6, need=Need(service="chat", gpus=6, per_pod=6)).needs
    assert other.request == Resources({CPU: 1500, GPU: 6})


def test_surplus_leaves_before_a_gang_is_given_up() -> None:
    elastic = graced(batch("elastic", 8, 1, ("n1",) * 8, minimum=4), 5)
    small = graced(batch("small", 4, 1, ("n2",) * 4), 5)
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2", 4), CHAT, LENT, elastic, small)
    result = drill(snapshot, 4)
    assert [(one.gang, one.decision, one.pods) for one in result.gangs] == [
        ("ml/elastic", "shrink", 4)
    ]
    assert drill(snapshot, 5).summary.gangs_evicted == 1


def test_a_gang_with_one_slow_pod_leaves_whole_and_its_fast_pods_are_back_in_time() -> None:
    two = batch("two", 2, 4, ("n1", "n2"))
    slow, fast = two.pods
    mixed = Work(
        two.gang,
        (
            replace(slow, spec=replace(slow.spec, grace_seconds=120)),
            replace(fast, spec=replace(fast.spec, grace_seconds=10)),
        ),
    )
    snapshot = snapshot_of(gpu_node("n1", 4), gpu_node("n2", 4), CHAT, LENT, mixed)
    result = drill(snapshot, 4)
    assert result.summary.in_time
    assert [(one.second, one.in_time) for one in result.leaving] == [(11, True), (121, False)]
    assert result.gangs[0].decision == "evict"


def test_terminating_pods_hold_their_node_and_count_down_already() -> None:
    leaving = batch("old", 1, 8, ("n1",))
    ends = "2026-11-01T12:00:20Z"
    gone = graced(leaving, 300, terminating=True, ends=ends)
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, gone)
    result = drill(snapshot, 8)
    assert (result.summary.in_time, result.summary.last_second) == (True, 20)
    assert not result.leaving
    late = drill(snapshot, 8, 19)
    assert (late.summary.gpus_in_time, late.summary.last_second) == (0, 20)
    assert codes(late) == {"terminating_late": 8}


def test_overdue_terminating_pods_are_not_counted_on() -> None:
    stuck = graced(batch("old", 1, 8, ("n1",)), 5, terminating=True, ends="2026-11-01T11:59:00Z")
    result = drill(snapshot_of(gpu_node("n1"), CHAT, LENT, stuck), 8)
    assert (result.summary.gpus_back, codes(result)) == (0, {"terminating_overdue": 8})
    unknown = graced(batch("old", 1, 8, ("n1",)), 5, terminating=True)
    assert drill(snapshot_of(gpu_node("n1"), CHAT, LENT, unknown), 8).summary.last_second == 5


def test_marked_pods_stay_and_taking_the_mark_off_would_help() -> None:
    mark = {"volcano.sh/preemptable": "false"}
    kept = graced(batch("kept", 1, 8, ("n1",)), 60, annotations=mark)
    result = drill(snapshot_of(gpu_node("n1"), CHAT, LENT, kept), 8)
    assert codes(result) == {"mark": 8}
    assert changes(result, "preemptable") == [(("ml/kept",), 8, True)]
    assert "grace period of 29 s" in result.changes[0].message


def test_a_queue_gives_back_what_it_borrows_and_no_more() -> None:
    """Two pods of four GPUs, four deserved: the first leaves while the queue is above, the second stays."""
    borrower = gpu_queue("batch", deserved=4)
    works = [graced(batch(f"w{n}", 1, 4, ("n1",)), 5) for n in (1, 2)]
    snapshot = snapshot_of(gpu_node("n1"), CHAT, borrower, *works)
    result = drill(snapshot, 8)
    assert (result.summary.gpus_back, codes(result)) == (4, {"deserved": 4})
    assert changes(result, "by_hand") == [((), 4, True)]
    assert drill(snapshot, 8, by_hand=True).summary.in_time
    cut = snapshot_of(gpu_node("n1"), CHAT, replace(LENT, guarantee=Resources({GPU: 6})), *works)
    assert codes(drill(cut, 8)) == {"guarantee": 8}


def test_a_queue_that_is_not_reclaimable_keeps_its_pods() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"), CHAT, replace(LENT, reclaimable=False), graced(batch("w", 1, 8, ("n1",)), 5)
    )
    result = drill(snapshot, 8)
    assert codes(result) == {"reclaimable": 8}
    assert changes(result, "reclaimable") == [(("batch",), 8, True)]


@pytest.mark.parametrize(("keys", "left"), [({}, 0), ({"pdb": True}, 0), ({"pdb": False}, 8)])
def test_disruption_budgets_hold_unless_a_person_switches_them_off(
    keys: dict[str, bool], left: int
) -> None:
    one = graced(batch("w", 1, 8, ("n1",)), 5, labels={"app": "w"})
    budget = PodDisruptionBudget("ml", "w", LabelSelector((("app", "w"),)), 0)
    snapshot = replace(snapshot_of(gpu_node("n1"), CHAT, LENT, one), disruption_budgets=(budget,))
    result = drill(snapshot, 8, **keys)
    assert result.summary.gpus_back == left
    if not left:
        assert codes(result) == {"budget": 8}
        assert changes(result, "budget") == [(("ml/w",), 8, True)]


def test_pods_of_a_service_that_may_not_be_evicted_stay() -> None:
    other = graced(batch("front", 1, 8, ("n1",)), 5, labels={"app": "front"})
    service = {"name": "front", "selector": {"app": "front"}}
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, other)
    assert codes(drill(snapshot, 8, services=[service])) == {"protected": 8}
    open_one = {**service, "may_be_evicted": True}
    assert drill(snapshot, 8, services=[open_one]).summary.in_time


def test_a_service_of_another_scheduler_has_no_queue_and_compares_no_shares() -> None:
    front = work("front", 1, 8, nodes=("n2",))
    pods = tuple(
        replace(p, gang="", labels={"app": "front"}, spec=replace(p.spec, scheduler_name="kube"))
        for p in front.pods
    )
    borrower = gpu_queue("batch", deserved=8)
    base = snapshot_of(
        gpu_node("n1"), gpu_node("n2"), borrower, graced(batch("w", 1, 8, ("n1",)), 5)
    )
    snapshot = replace(base, pods=tuple(sorted((*base.pods, *pods), key=lambda p: p.full_name)))
    service = {"name": "front", "selector": {"app": "front"}, "overhead_seconds": 3}
    result = drill(snapshot, 8, need=Need(service="front", gpus=8), services=[service])
    assert (result.summary.last_second, result.shares) == (8, False)
    assert "drill_outside_queues" in {one.code for one in result.snapshot.findings}


def test_the_limit_of_the_queue_caps_what_comes_back() -> None:
    capped = gpu_queue("chat", deserved=4, capability=4)
    snapshot = snapshot_of(gpu_node("n1"), capped, LENT)
    result = drill(snapshot, 8)
    assert (result.summary.gpus_in_time, codes(result)) == (4, {"queue_limit": 4})
    assert changes(result, "capability") == [(("chat",), 4, True)]


def test_a_closed_queue_takes_nothing() -> None:
    result = drill(snapshot_of(gpu_node("n1"), Queue("chat", state="Closed"), LENT), 8)
    assert (result.summary.gpus_in_time, codes(result)) == (0, {"closed_node": 8})


def test_cpus_may_be_what_is_short() -> None:
    chat = work("chat", 1, 4, queue="chat", nodes=("n2",))
    hungry = Work(
        chat.gang,
        tuple(
            replace(p, spec=replace(p.spec, request=Resources({CPU: 60000, GPU: 4})))
            for p in chat.pods
        ),
    )
    snapshot = snapshot_of(gpu_node("n1", cpu_milli=50000), gpu_node("n2"), CHAT, LENT, hungry)
    result = drill(snapshot, 4)
    assert codes(result) == {"fragment": 12, "own": 4}
    assert {one.object for one in result.holders if one.code == "fragment"} == {"CPUs"}


def test_lost_work_counts_from_the_last_checkpoint_and_decides_between_equals() -> None:
    old = graced(batch("old", 1, 8, ("n1",)), 5, started="2026-11-01T10:00:00Z")
    new = graced(batch("new", 1, 8, ("n2",)), 5, started="2026-11-01T11:50:00Z")
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), CHAT, LENT, old, new)
    result = drill(snapshot, 8)
    assert [(one.gang, one.lost_gpu_seconds) for one in result.gangs] == [("ml/new", 8 * 600)]
    saving = [{"interval_seconds": 3600, "restart_seconds": 60}]
    saved = drill(snapshot, 8, checkpoint=saving)
    assert [(one.gang, one.lost_gpu_seconds) for one in saved.gangs] == [("ml/old", 8 * 60)]


def test_the_fewest_gangs_with_a_shorter_grace_are_found_together() -> None:
    works = [graced(batch(f"w{n}", 2, 4, (f"n{n}",) * 2), 60) for n in (1, 2, 3)]
    nodes = [gpu_node(f"n{n}") for n in (1, 2, 3)]
    result = drill(snapshot_of(*nodes, CHAT, LENT, *works), 16)
    together = [one for one in changes(result, "shorter_grace") if one[2]]
    assert len(together) == 1
    assert len(together[0][0]) == 2
    assert [gain for _, gain, enough in changes(result, "shorter_grace") if not enough] == [8] * 3


def test_two_needs_share_the_nodes() -> None:
    snapshot = snapshot_of(
        gpu_node("n1"),
        gpu_node("n2"),
        CHAT,
        gpu_queue("web", deserved=8),
        LENT,
        graced(batch("w", 1, 8, ("n1",)), 5),
    )
    policy = resolve_policy(snapshot, Policy(now=NOW))
    needs = [Need(service="chat", gpus=8, per_pod=8), Need(service="web", gpus=4)]
    question = drill_question(needs, deadline_seconds=30, policy=policy)
    result = make_drill(snapshot, policy, question, Limits(deterministic=True, workers=1))
    assert result.summary.in_time
    assert {(one.service, one.node) for one in result.places} in (
        {("chat", "n1"), ("web", "n2")},
        {("chat", "n2"), ("web", "n1")},
    )


def test_an_overcommitted_node_gives_room_only_when_the_excess_is_gone() -> None:
    works = [graced(batch(f"w{n}", 1, 4, ("n1",)), 5) for n in (1, 2, 3)]
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, *works)
    result = drill(snapshot, 4)
    assert (result.summary.in_time, result.summary.pods_evicted) == (True, 2)


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ([], "at least one need"),
        ([Need(service="chat", gpus=1), Need(service="chat", gpus=2)], "there twice"),
        ([Need(service="chta", gpus=1)], "did you mean 'chat'"),
        ([Need(service="tran", gpus=1)], "did you mean 'ml/train'"),
        ([Need(service="zzz", gpus=1)], "the policy has none"),
        ([Need(service="chat", gpus=1, gpu_model="H1000")], "tells no GPU model of any of them"),
        ([Need(service="chat", gpus=1, pools=("x",))], "no node with GPUs has the pool"),
        ([Need(service="chat", gpus=1, labels={"a": "b"})], "no node with GPUs has the label"),
    ],
)
def test_wrong_needs_are_wrong_use(needs: list[Need], words: str) -> None:
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, batch("train", 1, 8, ("n1",)))
    policy = resolve_policy(snapshot, Policy(now=NOW))
    with pytest.raises(UsageError, match=words):
        make_drill(
            snapshot,
            policy,
            drill_question(needs, deadline_seconds=30, policy=policy),
            Limits(deterministic=True, workers=1),
        )


def test_memory_and_pod_slots_count_too() -> None:
    node = gpu_node("n1", pods=1)
    small = Work(batch("tiny", 1, 0, ("n1",)).gang, graced(batch("tiny", 1, 0, ("n1",)), 5).pods)
    snapshot = snapshot_of(node, CHAT, LENT, small)
    assert node.allocatable.amount(PODS) == 1
    assert node.allocatable.amount(MEMORY) > 0
    result = drill(snapshot, 8, need=Need(service="chat", gpus=8, per_pod=8), by_hand=True)
    assert (result.summary.in_time, result.summary.pods_evicted) == (True, 1)


def test_only_nodes_of_the_kind_that_was_asked_for_count() -> None:
    def labelled(name: str, model: str, pool: str, zone: str) -> Node:
        labels = {"nvidia.com/gpu.product": model, "pool": pool, "zone": zone}
        return replace(gpu_node(name), labels=labels)

    nodes = (
        labelled("n1", "H100", "big", "a"),
        labelled("n2", "H100", "small", "b"),
        labelled("n3", "A100", "small", "a"),
    )
    snapshot = snapshot_of(*nodes, CHAT, LENT)
    for fields, expected in (
        ({"gpu_model": "H100"}, {"n1", "n2"}),
        ({"pools": ("small",)}, {"n2", "n3"}),
        ({"labels": {"zone": "a"}}, {"n1", "n3"}),
        ({"gpu_model": "H100", "pools": ("big", "small"), "labels": {"zone": "b"}}, {"n2"}),
    ):
        need = Need.model_validate({"service": "chat", "gpus": 24, "per_pod": 8, **fields})
        result = drill(snapshot, 24, need=need)
        assert {one.node for one in result.places} == expected
        assert result.needs[0].nodes == len(expected)
    service = {"name": "front", "queue": "chat", "pools": ["big"]}
    named = drill(snapshot, 8, need=Need(service="front", gpus=8), services=[service])
    assert {one.node for one in named.places} == {"n1"}


def test_a_search_that_is_stopped_at_once_still_gives_a_verified_drill() -> None:
    works = [graced(batch(f"w{n}", 1, 8, (f"n{n}",)), 5) for n in (1, 2, 3)]
    snapshot = snapshot_of(*(gpu_node(f"n{n}") for n in (1, 2, 3)), CHAT, LENT, *works)
    policy = resolve_policy(snapshot, Policy(now=NOW))
    asked = drill_question([Need(service="chat", gpus=16)], deadline_seconds=30, policy=policy)
    stop = threading.Event()
    stop.set()
    result = make_drill(snapshot, policy, asked, Limits(deterministic=True, workers=1), stop=stop)
    assert result.summary.in_time  # the first answer needs no search
    assert result.summary.pods_evicted == 2
    assert not result.certificate.reproducible
    assert result.verification is not None
    assert result.verification.violations == ()


def warned(result: DrillResult) -> set[str]:
    return {one.code for one in result.snapshot.findings}


def test_who_asks_for_more_than_it_deserves_is_told_if_somebody_leaves_for_it() -> None:
    works = [graced(batch(f"w{n}", 1, 8, (f"n{n}",)), 5) for n in (1, 2)]
    few = gpu_queue("chat", deserved=8)
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), few, LENT, *works)
    assert warned(drill(snapshot, 8)) == {"drill_shape_assumed"}
    result = drill(snapshot, 16)
    assert warned(result) == {"drill_shape_assumed", "drill_beyond_deserved"}
    [told] = [one for one in result.snapshot.findings if one.code == "drill_beyond_deserved"]
    assert "asks for 16 more and deserves 8: Volcano may reclaim for 8 of them" in told.message
    assert warned(drill(snapshot, 16, by_hand=True)) == {"drill_shape_assumed"}
    free = snapshot_of(gpu_node("n1"), gpu_node("n2"), few, LENT)
    assert warned(drill(free, 16)) == {"drill_shape_assumed"}


def test_rules_of_the_pattern_that_are_not_modelled_are_told() -> None:
    chat = work("chat", 1, 4, queue="chat", nodes=("n1",))
    apart = PodAffinityTerm("kubernetes.io/hostname", LabelSelector())
    pods = tuple(
        replace(p, spec=replace(p.spec, pod_anti_affinity=(apart,), host_ports=(HostPort(22),)))
        for p in chat.pods
    )
    snapshot = snapshot_of(gpu_node("n1"), CHAT, LENT, Work(chat.gang, pods))
    result = drill(snapshot, 4)
    assert result.summary.in_time
    [told] = [one for one in result.snapshot.findings if one.code == "drill_rules_left_out"]
    assert "hostPort, podAntiAffinity" in told.message


def test_a_scheduler_that_evicts_nobody_is_told() -> None:
    config = SchedulerConfig("volcano-system/conf", actions=("enqueue", "allocate"))
    one = graced(batch("w", 1, 8, ("n1",)), 5)
    snapshot = replace(snapshot_of(gpu_node("n1"), CHAT, LENT, one), scheduler=config)
    assert "drill_needs_reclaim" in warned(drill(snapshot, 8))
    evicting = replace(config, actions=("enqueue", "allocate", "reclaim"))
    assert "drill_needs_reclaim" not in warned(drill(replace(snapshot, scheduler=evicting), 8))


def test_an_idle_holder_leaves_first_where_the_policy_says_so() -> None:
    """Both are back in time; the idle one has worked for eleven hours before, the other one for one hour."""
    works = [
        graced(batch("idle", 1, 8, ("n1",)), 5, started="2026-11-01T01:00:00Z"),
        graced(batch("busy", 1, 8, ("n2",)), 5, started="2026-11-01T11:00:00Z"),
    ]
    snapshot = snapshot_of(gpu_node("n1"), gpu_node("n2"), CHAT, LENT, *works)
    use = (PodUse("ml/busy-0", 3600, 900, 0, 0), PodUse("ml/idle-0", 7200, 0, 7200, 7200))
    assert {one.full_name for one in snapshot.pods} == {one.pod for one in use}
    snapshot = replace(snapshot, use=use)
    usual = drill(snapshot, 8)
    assert [one.gang for one in usual.leaving] == ["ml/busy"]
    named = drill(snapshot, 8, harm=("idle", "gangs", "pods", "moves", "lost_work", "domains"))
    assert [one.gang for one in named.leaving] == ["ml/idle"]
    assert named.summary.in_time
    assert named.verification is not None
    assert named.verification.violations == ()
