"""Scenarios planned from one base and set beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.edits.catalogue import edit_from
from models.edits.scenario import Scenario
from models.effective import resolve_policy
from models.findings import InputError, NoPlanInTimeError
from models.readers import read_snapshot
from planner.report.whatif.document import ScenarioOutcome
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.plan_documents import read_plan
from planner.usecases.whatif import base as base_module
from planner.usecases.whatif.base import Base, plan_scenario, read_base_plan
from planner.usecases.whatif.files import keep_files, read_scenario, read_sweep
from planner.usecases.whatif.scenarios import document_of, plan_scenarios, prepare_scenarios
from planner.verify.check import verify


def _outcome(base: Base, *entries: dict[str, object]) -> ScenarioOutcome:
    return plan_scenario(base, Scenario("s", tuple(edit_from(one) for one in entries))).outcome


def _fates(outcome: ScenarioOutcome) -> dict[str, str]:
    return {gang.full_name: gang.fate for gang in outcome.gangs}


def test_an_empty_scenario_changes_nothing(base: Base) -> None:
    planned = plan_scenario(base, Scenario("nothing"))
    assert planned.plan is base.plan
    assert planned.outcome.verdict is not None
    assert planned.outcome.verdict.judgement == "same"
    assert not planned.outcome.gangs
    assert not planned.outcome.queues
    assert all(one.change == 0 for one in planned.outcome.figures)


def test_more_nodes_start_what_waits_for_room(base: Base) -> None:
    outcome = _outcome(base, {"add_nodes": {"like": "n-0"}})
    assert _fates(outcome) == {"ml/e2": "starts"}
    figure = outcome.figure("gpus_after")
    assert figure is not None
    assert (figure.base, figure.value, figure.undecided) == (24, 32, False)
    assert outcome.verdict is not None
    assert outcome.verdict.judgement == "better"


def test_fewer_nodes_delay_and_a_higher_limit_lets_others_start(base: Base) -> None:
    outcome = _outcome(base, {"drain": {"nodes": "n-0"}})
    assert outcome.verdict is not None
    assert outcome.verdict.judgement == "worse"
    assert set(_fates(outcome).values()) == {"delayed"}
    assert {one.code for one in outcome.findings_new} == {"node_cordoned"}
    raised = _outcome(
        base,
        {"set_queue": {"queue": "train", "capability": {"gpu": 24}}},
        {"add_nodes": {"like": "n-0", "count": 2}},
    )
    assert _fates(raised) == {"ml/e2": "starts", "ml/t2": "starts"}
    assert [queue.name for queue in raised.queues if "capability" in queue.fields] == ["train"]


def test_a_pinned_gang_starts_there_and_makes_the_other_wait(base: Base) -> None:
    """t1 takes two of three nodes; e1 and e2 want four GPUs each."""
    nodes = sorted({node for one in base.plan.gangs for pods in one.pods if (node := pods.node)})
    scenario = Scenario("pin", (edit_from({"pin_gang": {"gangs": "ml/t1", "nodes": nodes[0]}}),))
    planned = plan_scenario(base, scenario)
    assert planned.plan is not None
    fates = _fates(planned.outcome)
    assert fates["ml/t1"] == "delayed"
    assert fates["ml/t2"] == "starts"
    assert planned.plan.verification.violations == ()
    moved = Scenario("move", (edit_from({"forbid_gang": {"gangs": "ml/e1", "nodes": nodes[0]}}),))
    plan = plan_scenario(base, moved).plan
    assert plan is not None
    places = {
        pods.node
        for one in plan.gangs
        if one.full_name == "ml/e1"
        for pods in one.pods
        if pods.node
    }
    assert places
    assert nodes[0] not in places


def test_new_and_removed_gangs_are_told(base: Base) -> None:
    outcome = _outcome(
        base, {"remove_gangs": {"gangs": "t1"}}, {"multiply": {"gangs": "t2", "factor": 2}}
    )
    fates = _fates(outcome)
    assert fates["ml/t1"] == "removed"
    assert fates["ml/t2"] == "starts"
    assert fates["ml/t2-x2"].startswith("new")
    assert outcome.verdict is not None
    assert outcome.verdict.by == "figures"


def test_all_scenarios_are_applied_before_anything_is_planned(given: CheckedInput) -> None:
    good = Scenario("good", (edit_from({"fail": {"nodes": "n-0"}}),))
    bad = Scenario("bad", (edit_from({"fail": {"nodes": "m-0"}}),), source="bad.yaml")
    with pytest.raises(InputError, match=r"bad\.yaml: edit 1 \(fail\)"):
        prepare_scenarios(given.snapshot, given.policy, (good, bad))
    twice = prepare_scenarios(given.snapshot, given.policy, (good, good))
    assert [one.name for one in twice.scenarios] == ["good", "good (2)"]


def test_a_scenario_without_a_plan_does_not_stop_the_others(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = base_module.make_plan

    def fails_on_small_clusters(snapshot, *args, **more):  # type: ignore[no-untyped-def]
        if len(snapshot.nodes) < 3:
            raise NoPlanInTimeError("the limit ended the search")
        return real(snapshot, *args, **more)

    monkeypatch.setattr(base_module, "make_plan", fails_on_small_clusters)
    scenarios = (
        Scenario("small", (edit_from({"remove_nodes": {"nodes": "n-0"}}),)),
        Scenario("large", (edit_from({"add_nodes": {"like": "n-0"}}),)),
    )
    prepared = prepare_scenarios(base.snapshot, base.policy, scenarios)
    planned = plan_scenarios(base, prepared)
    assert [(one.code, bool(one.outcome.error)) for one in planned] == [(5, True), (0, False)]
    document = document_of(base, planned)
    assert "large" in document.sentence
    assert document.figures["gpus_after"] == 24


def test_kept_files_replay_and_verify(base: Base, tmp_path: Path) -> None:
    scenario = Scenario("more / nodes", (edit_from({"add_nodes": {"like": "n-0"}}),))
    planned = plan_scenario(base, scenario)
    files = keep_files([planned], tmp_path)
    assert [path.name for path in files] == [
        "more-nodes.scenario.yaml",
        "more-nodes.snapshot.json",
        "more-nodes.plan.json",
    ]
    assert read_scenario(files[0]).edits == scenario.edits
    snapshot = read_snapshot([files[1]])
    assert snapshot.digest == planned.situation.snapshot.digest
    policy = resolve_policy(snapshot, planned.situation.policy.policy)
    assert not verify(snapshot, policy, read_plan(files[2])).violations


def test_a_stored_plan_is_taken_for_the_base_only_if_it_is_one(
    base: Base, given: CheckedInput, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    path.write_text(base.plan.model_dump_json(by_alias=True))
    assert read_base_plan(path, given).summary == base.plan.summary
    other = replace(given, snapshot=replace(given.snapshot, digest="other"))
    with pytest.raises(InputError, match="of another snapshot"):
        read_base_plan(path, other)
    keys = given.policy.policy.model_copy(update={"evict": ("preempt",)})
    policy = resolve_policy(given.snapshot, keys)
    with pytest.raises(InputError, match="under another policy"):
        read_base_plan(path, replace(given, policy=policy))
    broken = base.plan.model_copy(
        update={"summary": base.plan.summary.model_copy(update={"gangs_started": 9})}
    )
    path.write_text(broken.model_dump_json(by_alias=True))
    with pytest.raises(InputError, match="no correct plan"):
        read_base_plan(path, given)


def test_a_plus_without_quotes_is_a_change(given: CheckedInput, tmp_path: Path) -> None:
    path = tmp_path / "more.yaml"
    path.write_text(
        "edits:\n"
        "- set_queue: {queue: train, weight: +2, deserved: {gpu: -8}, capability: {gpu: +8}}\n"
        "- add_nodes: {like: n-0, count: +1}\n"
    )
    changed = read_scenario(path).applied(given.snapshot, given.policy).snapshot
    before, after = (one.queue_by_name["train"] for one in (given.snapshot, changed))
    assert after.weight == before.weight + 2
    assert after.deserved.amount("nvidia.com/gpu") == 8
    assert after.capability is not None
    assert after.capability.amount("nvidia.com/gpu") == 24
    assert len(changed.nodes) == 4
    grid = tmp_path / "grid.yaml"
    grid.write_text("grid: {queue/train.capability.gpu: [+8, 8, -8]}\n")
    assert read_sweep(grid).grid == (("queue/train.capability.gpu", ("+8", 8, -8)),)
