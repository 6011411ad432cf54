"""``explain``: what is shown was planned, and the gang starts."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from models.edits.scenario import parse_scenario
from models.effective import EffectivePolicy, resolve_policy
from models.explanation import ExplainedGang, Explanations
from models.findings import UsageError
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.problem.progress import Progress
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.gangs_by_hand import roles
from planner.testing.random_evictions import evicting_case
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import random_case
from planner.usecases.explain.explaining import Question, explain_gangs
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=30, workers=1, deterministic=True)
NODE = gpu_node("n1")
OLD = work("old", gpus=8, nodes=("n1",))
HIGH = work("high", gpus=8, priority=10)


def explain(
    *parts: object, gangs: tuple[str, ...] = ("ml/high",), **keys: object
) -> dict[str, ExplainedGang]:
    snapshot = parts[0] if isinstance(parts[0], Snapshot) else snapshot_of(*parts)  # type: ignore[arg-type]
    document = answered(snapshot, Question(gangs), **keys)
    return {one.name: one for one in document.gangs}


def answered(snapshot: Snapshot, question: Question, **keys: object) -> Explanations:
    values = {"queue_model": "capacity", "evict": (), **keys}
    policy = resolve_policy(snapshot, Policy.model_validate(values))
    return explain_gangs(snapshot, policy, LIMITS, question, guard=False)


def kinds(one: ExplainedGang) -> list[str]:
    return [fix.kind for fix in one.fixes]


def test_a_full_node_has_several_ways_out() -> None:
    high = explain(NODE, gpu_queue("q"), OLD, HIGH)["high"]
    assert kinds(high) == ["allow_evictions", "wait_for_gangs", "end_pods", "add_nodes"]
    assert high.fixes[0].text == "let the policy preempt"
    assert high.complete
    assert high.tried == high.candidates
    assert high.sentence == "it waits: its minimum of 1 pod and 8 GPUs is not placed"
    assert high.proof.startswith("It cannot start beside this plan because of the missing room")
    assert all(fix.basis == "planned in full" for fix in high.fixes)


def test_what_a_plan_does_not_confirm_is_not_shown() -> None:
    """Another gang of higher priority takes every node but the last: one node more is not enough."""
    rival = work("rival", gpus=8, priority=20)
    found = explain(NODE, gpu_queue("q"), OLD, HIGH, rival)
    nodes = next(fix for fix in found["high"].fixes if fix.kind == "add_nodes")
    assert nodes.data["nodes"] == 2
    assert nodes.text == "add 2 nodes like n1 (16 GPUs)"
    assert nodes.starts == ("ml/rival",)


def test_a_gang_of_pieces_may_ask_for_fewer_members() -> None:
    big = work("big", pods=3, gpus=8)
    found = explain(NODE, gpu_node("n2"), gpu_queue("q"), big, gangs=("ml/big",))
    fix = next(fix for fix in found["big"].fixes if fix.kind == "lower_min_member")
    assert fix.text == "lower its minMember from 3 to 2"


def test_a_gang_of_roles_gives_up_the_role_that_is_too_many() -> None:
    """One worker finds no node; the minimum of workers and minMember go down together and still bind."""
    big = roles("big", 4, driver=(1, 1, 1), worker=(3, 3, 8))
    nodes = (gpu_node("n1"), gpu_node("n2"), gpu_node("n3", 2))
    found = explain(*nodes, gpu_queue("q"), big, gangs=("ml/big",))["big"]
    fix = next(fix for fix in found.fixes if fix.kind == "lower_min_member")
    assert fix.text == "lower the minimum of role worker from 3 to 2 and minMember from 4 to 3"
    assert fix.edits == (
        {"set_gang": {"gangs": "ml/big", "min_member": 3, "role_minimum": {"worker": 2}}},
    )


def test_several_roles_give_up_pods_where_one_is_not_enough() -> None:
    """Four GPUs for 3 × 2 and 3 × 2: a pod of each stays."""
    big = roles("big", 6, a=(3, 3, 2), b=(3, 3, 2))
    found = explain(gpu_node("n1", 4), gpu_queue("q"), big, gangs=("ml/big",))["big"]
    fix = next(fix for fix in found.fixes if fix.kind == "lower_min_member")
    assert fix.data == {"minMember": 2, "minimum of a": 1, "minimum of b": 1}


def test_a_minimum_above_the_sum_of_the_roles_goes_down_first() -> None:
    big = roles("big", 4, a=(3, 1, 2), b=(3, 1, 2))
    found = explain(gpu_node("n1", 6), gpu_queue("q"), big, gangs=("ml/big",))["big"]
    fix = next(fix for fix in found.fixes if fix.kind == "lower_min_member")
    assert fix.text == "lower minMember from 4 to 3"


def test_minima_of_roles_go_down_to_the_pods_that_exist() -> None:
    few = roles("few", 5, a=(1, 1, 1), b=(3, 4, 1))
    found = explain(NODE, gpu_queue("q"), few, gangs=("ml/few",))["few"]
    assert [fix.text for fix in found.fixes] == [
        "lower the minimum of role b from 4 to 3 and minMember from 5 to 4"
    ]


def test_a_selector_is_dropped_and_nodes_added_where_one_is_not_enough() -> None:
    big = work("big", pods=3, gpus=8)
    chosen = tuple(
        replace(pod, spec=replace(pod.spec, node_selector=(("gpu", "h200"),))) for pod in big.pods
    )
    nodes = (NODE, gpu_node("n2"))
    found = explain(*nodes, gpu_queue("q"), Work(big.gang, chosen), gangs=("ml/big",))["big"]
    assert [fix.text for fix in found.fixes] == [
        "drop its node selector gpu=h200, and add 1 node like n1 (8 GPUs)",
        "add 3 nodes like n2 with gpu=h200",
    ]


def test_a_guarantee_is_left_alone_where_new_nodes_raise_the_limit() -> None:
    """The limit is the cluster less guarantees of others; with a node more it is large enough."""
    holder = replace(gpu_queue("other"), guarantee=Resources({GPU: 8}))
    mate = work("mate", gpus=8, queue="other", nodes=("n2",))
    nodes = (NODE, gpu_node("n2"))
    found = explain(*nodes, gpu_queue("q", capability=8), holder, OLD, mate, HIGH)["high"]
    assert "raise the capability of queue q by 8 GPUs, and add 1 node like n1 (8 GPUs)" in [
        fix.text for fix in found.fixes
    ]


def test_a_limit_is_raised_by_what_is_missing() -> None:
    found = explain(NODE, gpu_queue("q", capability=4), HIGH)
    fix = found["high"].fixes[0]
    assert fix.kind == "raise_capability"
    assert fix.text == "raise the capability of queue q by 4 GPUs"
    assert fix.edits == ({"set_queue": {"queue": "q", "capability": {"nvidia.com/gpu": "+4"}}},)


def test_a_closed_queue_is_opened() -> None:
    closed = Queue("c", state="Closed")
    found = explain(NODE, closed, work("shut", queue="c"), gangs=("ml/shut",))
    assert "open_queue" in kinds(found["shut"])


def test_gates_are_removed_and_missing_pods_not_asked_for() -> None:
    gated = work("gated")
    pods = tuple(replace(p, spec=replace(p.spec, scheduling_gates=("g",))) for p in gated.pods)
    few = work("few", pods=2, minimum=4)
    found = explain(NODE, gpu_queue("q"), Work(gated.gang, pods), few, gangs=("ml/gated", "ml/few"))
    assert kinds(found["gated"]) == ["ungate"]
    assert [fix.text for fix in found["few"].fixes] == ["lower its minMember from 4 to 2"]


def test_protected_pods_may_be_marked() -> None:
    marked = tuple(replace(p, annotations={"volcano.sh/preemptable": "false"}) for p in OLD.pods)
    found = explain(NODE, gpu_queue("q"), Work(OLD.gang, marked), HIGH, evict=("preempt",))
    assert "make_preemptable" in kinds(found["high"])


def test_a_gang_that_starts_or_runs_says_so() -> None:
    nodes = (NODE, gpu_node("n2"))
    found = explain(*nodes, gpu_queue("q"), OLD, HIGH, gangs=("ml/high", "ml/old"))
    assert found["high"].sentence == "it starts: 1 pod on n2"
    assert found["old"].sentence == "it runs and stays: 1 pod on n1"
    assert found["high"].fixes == found["old"].fixes == ()
    assert found["high"].proof == ""


def test_an_unknown_gang_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'ml/high'"):
        explain(NODE, gpu_queue("q"), HIGH, gangs=("ml/hihg",))
    with pytest.raises(UsageError, match="name a gang"):
        explain(NODE, gpu_queue("q"), HIGH, gangs=())


def test_a_name_without_namespace_and_a_choice_by_queue() -> None:
    assert "high" in explain(NODE, gpu_queue("q"), OLD, HIGH, gangs=("high",))
    snapshot = snapshot_of(NODE, gpu_queue("q"), OLD, HIGH)
    document = answered(snapshot, Question(queues=("q",)))
    assert [one.full_name for one in document.gangs] == ["ml/high"]
    with pytest.raises(UsageError, match="is not in the namespaces"):
        answered(snapshot, Question(gangs=("ml/high",), queues=("r",)))


def test_a_stop_keeps_what_is_confirmed() -> None:
    snapshot = snapshot_of(NODE, gpu_queue("q"), OLD, HIGH)
    policy = resolve_policy(snapshot, Policy(queue_model="capacity"))
    stop, told = threading.Event(), []

    def sink(progress: Progress) -> None:
        if progress.message:
            told.append(progress.message)
        if len(told) == 2:
            stop.set()

    question = Question(("ml/high",))
    document = explain_gangs(
        snapshot, policy, LIMITS, question, guard=False, stop=stop, on_progress=sink
    )
    (high,) = document.gangs
    assert high.fixes
    assert not high.complete
    assert high.tried < high.candidates
    assert told[0].startswith("planning change 1 of")


def test_the_base_is_not_changed_and_scenarios_read_back() -> None:
    snapshot = snapshot_of(NODE, gpu_queue("q"), OLD, HIGH)
    for fix in explain(snapshot)["high"].fixes:
        scenario = parse_scenario(dict(fix.scenario), source="fix")
        assert scenario.name == f"start ml/high: {fix.text}"
        assert scenario.edits
    assert snapshot == snapshot_of(NODE, gpu_queue("q"), OLD, HIGH)


def _starts(snapshot: Snapshot, policy: EffectivePolicy, one: ExplainedGang) -> None:
    for fix in one.fixes:
        situation = parse_scenario(dict(fix.scenario), source="fix").applied(snapshot, policy)
        result = make_plan(situation.snapshot, situation.policy, LIMITS, guard=False)
        decision = {entry.full_name: entry.decision for entry in result.gangs}[one.full_name]
        assert decision in ("start", "keep", "grow"), (one.full_name, fix.text)


@pytest.mark.parametrize("seed", range(8))
def test_scenarios_of_random_clusters_start_their_gang(seed: int) -> None:
    case = evicting_case(seed, "tiny") if seed % 2 else random_case(seed)
    waiting = Question(queues=tuple(sorted({gang.queue for gang in case.snapshot.gangs})))
    document = explain_gangs(case.snapshot, case.policy, LIMITS, waiting, guard=False)
    for one in document.gangs:
        assert one.decision == "wait" or (one.decision in ("keep", "grow") and one.reasons)
        _starts(case.snapshot, case.policy, one)
