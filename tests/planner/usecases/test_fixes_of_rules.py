"""Changes of rules that keep gangs from nodes and victims: budgets, node groups, affinities; each is confirmed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import PodDisruptionBudget
from models.edits.catalogue import edit_from
from models.edits.edit import EditError, Situation
from models.effective import resolve_policy
from models.explanation import ExplainedGang
from models.policy import Policy
from models.queues import NodeGroupRules
from models.selectors import Expression, LabelSelector, NodeSelectorTerm
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.usecases.explain.explaining import Question, explain_gangs

GROUP = "volcano.sh/nodegroup-name"
LIMITS = Limits(time_limit_s=40, deterministic=True, workers=1)


def explained(snapshot: Snapshot, **keys: object) -> ExplainedGang:
    policy = resolve_policy(snapshot, Policy.model_validate({"queue_model": "capacity", **keys}))
    document = explain_gangs(snapshot, policy, LIMITS, Question(("ml/high",)), guard=False)
    return document.gangs[0]


def changes(one: ExplainedGang, kind: str) -> list[str]:
    return [fix.text for fix in one.fixes if fix.kind == kind]


def budgeted(pods: int, allowed: int, asked: int) -> Snapshot:
    """A full node whose pods stand under one budget, and a gang of higher priority."""
    low = [work(f"low{i}", nodes=("n1",)) for i in range(pods)]
    marked = [
        Work(one.gang, tuple(replace(pod, labels={"app": "x"}) for pod in one.pods)) for one in low
    ]
    high = work("high", asked, priority=10)
    snapshot = snapshot_of(gpu_node("n1", pods), gpu_queue("q"), *marked, high)
    selector = LabelSelector(match_labels=(("app", "x"),))
    budget = PodDisruptionBudget("ml", "x", selector, allowed)
    return replace(snapshot, disruption_budgets=(budget,))


@pytest.mark.parametrize(("allowed", "asked"), [(0, 1), (1, 2), (1, 4), (2, 3)])
def test_a_budget_allows_just_enough(allowed: int, asked: int) -> None:
    found = explained(budgeted(4, allowed, asked), evict=("preempt",), pdb=True)
    text = f"let PodDisruptionBudget ml/x allow {asked} disruption{'s' if asked > 1 else ''} instead of {allowed}"
    assert changes(found, "raise_budget") == [text]


def test_an_affinity_is_dropped() -> None:
    term = NodeSelectorTerm(match_expressions=(Expression("pool", "In", ("none",)),))
    high = work("high")
    pods = tuple(replace(pod, spec=replace(pod.spec, node_affinity=(term,))) for pod in high.pods)
    snapshot = snapshot_of(gpu_node("n1", 2), gpu_queue("q"), Work(high.gang, pods))
    found = explained(snapshot)
    assert changes(found, "drop_affinity") == ["drop its required node affinity"]


def test_a_node_group_is_opened_for_the_queue() -> None:
    nodes = [replace(gpu_node(f"n{i}", 2), labels={GROUP: f"g{i}"}) for i in (1, 2)]
    queue = replace(gpu_queue("q"), node_groups=NodeGroupRules(required=("g1",)))
    held = work("held", gpus=2, nodes=("n1",), priority=20)
    snapshot = snapshot_of(*nodes, queue, held, work("high", gpus=2))
    found = explained(snapshot, nodegroup=True)
    assert changes(found, "open_node_group") == ["let queue q use node group g2"]
    edit = next(fix for fix in found.fixes if fix.kind == "open_node_group").edits[0]
    assert edit == {"set_queue": {"queue": "q", "node_groups": ["g1", "g2"]}}


def _situation() -> Situation:
    snapshot = budgeted(2, 1, 1)
    return Situation(snapshot, resolve_policy(snapshot, Policy()))


def test_a_budget_edit_and_its_way_back() -> None:
    edit = edit_from({"set_budget": {"budget": "ml/x", "allowed": "+2"}})
    changed = edit.apply(_situation())
    assert changed.snapshot.disruption_budgets[0].disruptions_allowed == 3
    (back,) = edit.inverse(_situation()) or ()
    assert back.apply(changed).snapshot == _situation().snapshot


@pytest.mark.parametrize(
    "content", [{"budget": "ml/y", "allowed": 1}, {"budget": "ml/x", "allowed": "-9"}]
)
def test_wrong_budget_edits_are_refused(content: dict[str, object]) -> None:
    with pytest.raises(EditError):
        edit_from({"set_budget": content}).apply(_situation())


def test_node_groups_of_a_queue_are_replaced() -> None:
    queue = replace(gpu_queue("q"), node_groups=NodeGroupRules(("g1",), (), ("g2",)))
    snapshot = snapshot_of(gpu_node("n1"), queue)
    situation = Situation(snapshot, resolve_policy(snapshot, Policy()))
    edit = edit_from({"set_queue": {"queue": "q", "node_groups": ["g1", "g2"]}})
    rules = edit.apply(situation).snapshot.queues[0].node_groups
    assert rules is not None
    assert (rules.required, rules.anti_required) == (("g1", "g2"), ())
    assert "node_groups" in edit.text()
    gone = edit_from({"set_queue": {"queue": "q", "node_groups": None}})
    assert gone.apply(situation).snapshot.queues[0].node_groups is None


@pytest.mark.parametrize(("queue", "created"), [("gone", 1), ("Research", 0), ("a<b>", 0)])
def test_a_missing_queue_is_created_only_under_a_name_that_kubernetes_takes(
    queue: str, created: int
) -> None:
    high = work("high")
    lost = Work(replace(high.gang, queue=queue), high.pods)
    found = explained(snapshot_of(gpu_node("n1", 2), gpu_queue("q"), lost))
    assert len(changes(found, "open_queue")) == created
    assert [one.code for one in found.reasons] == ["queue_closed"]
