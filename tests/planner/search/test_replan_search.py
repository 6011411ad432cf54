"""Planning again after a change: verified, bounds on the right side, nobody moves without a reason."""

from __future__ import annotations

from random import Random

import pytest

from models.edits.apply import apply_edits
from models.effective import EffectivePolicy, resolve_policy
from models.plan import Certificate, PlanResult, stage_entries
from models.policy import Policy
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.problem.limits import Limits
from planner.reduce.gang_classes import gang_classes
from planner.search import replan_search
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import SearchSettings
from planner.search.replan_search import effort_after
from planner.search.stages.presolve.startable import startable_demands
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_edits import random_edits
from planner.testing.random_snapshots import random_case
from planner.usecases.inputs.earlier_plan import unrelated
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20, workers=1, deterministic=True)


def _plan(
    snapshot: Snapshot, policy: EffectivePolicy, previous: PlanResult | None = None, **more: float
) -> PlanResult:
    return make_plan(
        snapshot,
        policy,
        LIMITS,
        guard=False,
        previous=previous,
        baseline=False,
        fixes=False,
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def always_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models take the way of large ones too."""
    monkeypatch.setattr(replan_search, "SMALL_MODEL", -1)


@pytest.mark.usefixtures("always_quick")
@pytest.mark.parametrize("part", range(4))
def test_quick_plans_hold_and_their_bounds_are_true(part: int) -> None:
    for seed in range(part, 28, 4):
        case = random_case(seed)
        policy = resolve_policy(case.snapshot, case.policy.policy)
        base = _plan(case.snapshot, policy)
        edited = apply_edits(
            case.snapshot, policy, random_edits(Random(f"again/{seed}"), case.snapshot)
        )
        again = _plan(edited.snapshot, edited.policy, base)
        assert again.verification is not None
        assert not again.verification.violations
        cold = _plan(edited.snapshot, edited.policy)
        for one, other in zip(again.certificate.tiers, cold.certificate.tiers, strict=True):
            if cold.certificate.status == "OPTIMAL" and one.bound is not None:
                better = max if one.sense == "max" else min
                assert better(one.bound, other.value) == one.bound, (seed, one.name)
            if one.value != other.value:
                break  # below, the bounds hold for other values above


@pytest.mark.usefixtures("always_quick")
def test_a_new_gang_of_a_high_rank_displaces_the_lowest_only() -> None:
    def cluster(*more: object) -> tuple[Snapshot, EffectivePolicy]:
        snapshot = snapshot_of(
            *(gpu_node(f"n-{number}") for number in range(4)),
            gpu_queue("q", deserved=32),
            work("high", 2, 8, created=1, priority=5),
            work("low", 1, 8, created=2),
            work("lower", 1, 8, created=3, priority=-5),
            *more,  # type: ignore[arg-type]
        )
        return snapshot, resolve_policy(snapshot, Policy())

    before = _plan(*cluster())
    after = _plan(*cluster(work("top", 1, 8, created=9, priority=9)), previous=before)
    started = {gang.name for gang in after.gangs if gang.decision == "start"}
    assert started == {"high", "low", "top"}
    where = {gang.name: {pods.node for pods in gang.pods} for gang in after.gangs}
    for gang in before.gangs:
        if gang.name in ("high", "low"):
            assert where[gang.name] == {pods.node for pods in gang.pods}
    told = after.certificate.earlier
    assert before.certificate.earlier is None
    assert told is not None
    assert (told.digest, told.searched) == (before.snapshot.digest, "changes")
    assert (told.started, told.kept, told.moved, told.waiting, told.gone, told.added) == (
        *(3, 2, 0, 1, 0),
        1,
    )


def test_the_certificate_tells_what_became_of_the_earlier_starts() -> None:
    """One node less, one gang more, one gone: a small model is searched as a whole."""

    def cluster(nodes: int, *gangs: str) -> tuple[Snapshot, EffectivePolicy]:
        snapshot = snapshot_of(
            *(gpu_node(f"n-{number}") for number in range(nodes)),
            gpu_queue("q", deserved=80),
            *(work(name, 1, 8, created=number) for number, name in enumerate(gangs)),
        )
        return snapshot, resolve_policy(snapshot, Policy())

    before = _plan(*cluster(4, "a", "b", "c"))
    now = _plan(*cluster(3, "a", "b", "d"), previous=before)
    told = now.certificate.earlier
    assert told is not None
    assert (told.started, told.gone, told.added, told.searched) == (3, 1, 1, "everything")
    assert told.kept + told.moved == 2
    assert told.waiting == 0
    assert (
        now.certificate.earlier
        == type(now).model_validate_json(now.model_dump_json()).certificate.earlier
    )


@pytest.mark.usefixtures("always_quick")
def test_effort_proves_what_relaxations_leave_open() -> None:
    """Two gangs of five GPUs do not share eight; the relaxation thinks that 1.6 of them do."""
    snapshot = snapshot_of(
        gpu_node("n-0"),
        gpu_queue("q", deserved=80),
        *(work(name, 1, 5, created=number) for number, name in enumerate("abc")),
    )
    policy = resolve_policy(snapshot, Policy())
    base = _plan(snapshot, policy)
    assert _plan(snapshot, policy, base, effort_s=20.0).certificate.status == "OPTIMAL"


def _search_of_three(limits: Limits) -> replan_search.ReplanSearch:
    """Three gangs on five kinds of nodes that admit the same pods, planned before."""
    snapshot = snapshot_of(
        *(gpu_node(f"n-{number}", cpu_milli=2000 + 1000 * number) for number in range(5)),
        gpu_queue("q", deserved=80),
        *(work(name, 2, 1, created=number) for number, name in enumerate("abc")),
    )
    policy = resolve_policy(snapshot, Policy())
    base = _plan(snapshot, policy)
    prepared = prepare(snapshot, policy, exact_least)
    placed_in = standings(prepared, startable_demands(prepared.problem, exact_fit, None), None)
    start = WarmStart.from_document(base, prepared, policy, 0.0).beginning(prepared, placed_in)
    return replan_search.ReplanSearch(
        prepared.problem,
        gang_classes(prepared.problem, placed_in),
        SearchSettings(limits=limits, start=start, stays=True, effort_s=0.0),
    )


@pytest.mark.usefixtures("always_quick")
def test_a_quick_plan_is_bounded_by_few_groups_of_nodes() -> None:
    """Five kinds of nodes that admit the same pods are one group; the plan is proved all the same."""
    search = _search_of_three(LIMITS)
    found = search.run()
    assert found.changes_only
    assert found.groups < len(search.grouping.uniform())
    assert [tier.bound for tier in found.tiers if tier.goal.name.endswith(".gpus")] == [6]


def test_long_searches_leave_time_for_bounds() -> None:
    """On a busy machine the seconds of searching ranks left none for the bounds of the ranks below."""
    search = _search_of_three(Limits(time_limit_s=100))
    search.started_at -= 10
    assert search._relaxing_left(0.5) == pytest.approx(replan_search.LEAST_S - 0.5)
    assert search._relaxing_left(replan_search.LEAST_S) <= 0


def test_the_effort_is_a_tenth_of_the_earlier_search() -> None:
    earlier = Certificate(seconds=30.0, stages=stage_entries({"solve": 20.0}))
    assert effort_after(earlier, deterministic=False) == pytest.approx(2.0)
    assert effort_after(Certificate(seconds=30.0), deterministic=False) == pytest.approx(3.0)
    assert effort_after(earlier, deterministic=True) == 0.0


def test_a_document_of_another_cluster_is_told_and_not_used() -> None:
    snapshot = snapshot_of(gpu_node("a"), gpu_queue("q", deserved=8), work("x", 1, 8, created=1))
    other = snapshot_of(gpu_node("b"), gpu_queue("q", deserved=8), work("y", 1, 8, created=1))
    policy = resolve_policy(snapshot, Policy())
    strange = _plan(other, resolve_policy(other, Policy()))
    found = _plan(snapshot, policy, strange)
    assert [one.code for one in found.snapshot.findings if one.code == "previous_unrelated"]
    assert "of its 1 gang 0 are here" in unrelated(strange, snapshot)[0].message
    assert found.summary.gangs_started == 1
    assert found.certificate.earlier is None
    assert not unrelated(found, snapshot)


def test_a_document_of_another_cluster_in_which_everything_waits_is_told_too() -> None:
    """It begins nothing, so that "0 of its 0 starts keep their nodes" would hide the wrong file."""
    snapshot = snapshot_of(gpu_node("a"), gpu_queue("q", deserved=8), work("x", 1, 8, created=1))
    other = snapshot_of(gpu_node("b"), gpu_queue("q", deserved=8), work("y", 2, 8, created=1))
    strange = _plan(other, resolve_policy(other, Policy()))
    assert strange.summary.gangs_started == 0
    assert [one.code for one in unrelated(strange, snapshot)] == ["previous_unrelated"]
    assert not unrelated(strange, other)
    assert not unrelated(PlanResult(), snapshot)


def test_counts_below_one_of_a_damaged_document_are_not_taken_over() -> None:
    """Three pods here and minus one there are two in all; the room of the other node would grow."""
    snapshot = snapshot_of(
        *(gpu_node(f"n{number}") for number in range(2)),
        gpu_queue("q", deserved=16),
        work("x", 2, 2, created=1),
    )
    policy = resolve_policy(snapshot, Policy())
    base = _plan(snapshot, policy)
    (entry,) = base.gangs
    (pods, *_) = (one for one in entry.pods if one.action == "place")
    damaged = tuple(
        pods.model_copy(update={"node": node, "count": count, "names": pods.names[:1]})
        for node, count in (("n0", 3), ("n1", -1))
    )
    told = base.model_copy(update={"gangs": (entry.model_copy(update={"pods": damaged}),)})
    prepared = prepare(snapshot, policy, exact_least)
    placed_in = standings(prepared, startable_demands(prepared.problem, exact_fit, None), None)
    for document, taken in ((base, 1), (told, 0)):
        warm = WarmStart.from_document(document, prepared, policy, 0.0)
        assert len(warm.beginning(prepared, placed_in).pods) == taken


@pytest.mark.usefixtures("always_quick")
def test_open_ranks_are_bounded_in_integers() -> None:
    """The relaxation starts one and a half gangs of two pods on three nodes; a search with nothing in its place one."""
    snapshot = snapshot_of(
        *(gpu_node(f"n-{number}") for number in range(3)),
        gpu_queue("q", deserved=80),
        *(work(name, 2, 5, created=number) for number, name in enumerate("abc")),
    )
    policy = resolve_policy(snapshot, Policy())
    again = _plan(snapshot, policy, _plan(snapshot, policy))
    gpus = [tier for tier in again.certificate.tiers if tier.name.endswith(".gpus")]
    assert (gpus[0].value, gpus[0].bound) == (10, 10)
    assert again.certificate.earlier is not None
    assert again.certificate.earlier.searched == "changes"


@pytest.mark.usefixtures("always_quick")
@pytest.mark.parametrize(("effort_s", "searched"), [(None, "changes"), (5.0, "everything")])
def test_only_effort_searches_beyond_what_has_changed(
    monkeypatch: pytest.MonkeyPatch, effort_s: float | None, searched: str
) -> None:
    """An earlier search of minutes left seconds in which most gangs moved for a little more."""
    monkeypatch.setattr(replan_search.ReplanSearch, "_enough_again", lambda *_: False)
    snapshot = snapshot_of(
        gpu_node("n-0"),
        gpu_queue("q", deserved=80),
        *(work(name, 1, 5, created=number) for number, name in enumerate("ab")),
    )
    policy = resolve_policy(snapshot, Policy())
    base = _plan(snapshot, policy)
    slow = base.certificate.model_copy(update={"stages": stage_entries({"solve": 100.0})})
    again = make_plan(
        snapshot,
        policy,
        Limits(time_limit_s=20, workers=1),
        guard=False,
        previous=base.model_copy(update={"certificate": slow}),
        effort_s=effort_s,
        baseline=False,
        fixes=False,
    )
    assert again.certificate.earlier is not None
    assert again.certificate.earlier.searched == searched
