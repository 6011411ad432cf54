from __future__ import annotations

from dataclasses import replace

import pytest

from models.edits.apply import apply_edits
from models.edits.catalogue import edit_from
from models.effective import EffectivePolicy, resolve_policy
from models.findings import InputError
from models.policy import Policy
from models.selectors import Taint
from models.snapshot import Snapshot
from models.workloads import RoleTemplate
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.usecases.planning import make_plan

PAIR = work("pair", pods=2, nodes=("n1", "n1"))
WAITS = work("waits", pods=2)


def base() -> tuple[Snapshot, EffectivePolicy]:
    pods = tuple(replace(p, spec=replace(p.spec, scheduling_gates=("g",))) for p in WAITS.pods)
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), PAIR, Work(WAITS.gang, pods))
    return snapshot, resolve_policy(snapshot, Policy(queue_model="capacity"))


def test_removed_pods_leave_their_node_and_a_gang_without_pods_has_finished() -> None:
    snapshot, policy = base()
    one = apply_edits(snapshot, policy, (edit_from({"remove_pods": {"pods": "ml/pair-0"}}),))
    assert "ml/pair-0" not in one.snapshot.pod_by_name
    assert not one.snapshot.gang_by_name["ml/pair"].finished
    both = edit_from({"remove_pods": {"pods": ["ml/pair-0", "ml/pair-1"]}})
    assert both.text() == "end 2 pods: ml/pair-0, ml/pair-1"
    after = apply_edits(snapshot, policy, (both,)).snapshot
    assert after.gang_by_name["ml/pair"].finished
    assert "ml/pair" in snapshot.pods_by_gang


def test_a_gang_that_has_finished_promises_no_pods_any_more() -> None:
    """As the readers leave finished Jobs: else the shares of ``proportion`` counted pods that never come."""
    gang = replace(PAIR.gang, templates=(RoleTemplate("w", PAIR.pods[0].spec, 2),))
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), Work(gang, PAIR.pods), WAITS)
    policy = resolve_policy(snapshot, Policy(queue_model="proportion"))
    edit = edit_from({"remove_pods": {"pods": ["ml/pair-0", "ml/pair-1"]}})
    after = apply_edits(snapshot, policy, (edit,))
    assert after.snapshot.gang_by_name["ml/pair"].templates == ()
    limits = Limits(time_limit_s=20, workers=1, deterministic=True)
    plan = make_plan(after.snapshot, after.policy, limits, guard=False)
    assert plan.verification is not None
    assert not plan.verification.violations


def test_an_unknown_pod_is_named_with_the_nearest() -> None:
    snapshot, policy = base()
    with pytest.raises(InputError, match="pair-9") as error:
        apply_edits(snapshot, policy, (edit_from({"remove_pods": {"pods": "ml/pair-9"}}),))
    assert "ml/pair-" in error.value.findings[0].remedy


def test_gates_are_removed_from_waiting_pods() -> None:
    snapshot, policy = base()
    edit = edit_from({"ungate": {"gangs": "ml/waits"}})
    after = apply_edits(snapshot, policy, (edit,)).snapshot
    assert all(not pod.spec.scheduling_gates for pod in after.pods_by_gang["ml/waits"])
    assert edit.text() == "remove the scheduling gates of gang ml/waits"


def test_tolerations_are_added() -> None:
    snapshot, policy = base()
    entry = {
        "gangs": "ml/waits",
        "tolerations": [{"key": "dedicated", "value": "x", "operator": "Equal"}],
    }
    edit = edit_from({"tolerate": entry})
    after = apply_edits(snapshot, policy, (edit,)).snapshot
    (pod, *_) = after.pods_by_gang["ml/waits"]
    assert pod.spec.tolerations[-1].tolerates(Taint("dedicated", "NoSchedule", "x"))
    assert edit.text() == "gang ml/waits tolerates dedicated=x"
    with pytest.raises(InputError, match="lists no toleration"):
        apply_edits(
            snapshot, policy, (edit_from({"tolerate": {"gangs": "ml/waits", "tolerations": []}}),)
        )
