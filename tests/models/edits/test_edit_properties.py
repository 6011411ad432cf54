"""What holds for every edit of every snapshot."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from models.edits.apply import apply_edits, inverse_edits
from models.edits.catalogue import EDITS
from models.edits.edit import Situation
from models.edits.scenario import Scenario, compare_scenarios, parse_scenario
from models.effective import EffectivePolicy
from models.readers import read_snapshot
from models.readers.input_files import memory_file
from models.snapshot import Snapshot
from models.writers.snapshot_json import snapshot_digest, snapshot_to_json
from planner.testing.random_edits import random_edits
from planner.testing.random_snapshots import random_case

seeds = st.integers(min_value=0, max_value=10_000)


def _given(seed: int) -> tuple[Snapshot, EffectivePolicy, Random]:
    case = random_case(seed)
    return case.snapshot, case.policy, Random(f"edits/{seed}")


def _same(one: Situation, snapshot: Snapshot, policy: EffectivePolicy) -> bool:
    return one.snapshot == snapshot and one.policy.policy == policy.policy


@given(seeds)
@settings(max_examples=60)
def test_edits_leave_the_base_alone_and_an_empty_list_changes_nothing(seed: int) -> None:
    snapshot, policy, rng = _given(seed)
    digest = snapshot_digest(snapshot)
    apply_edits(snapshot, policy, random_edits(rng, snapshot))
    assert snapshot_digest(snapshot) == digest
    empty = apply_edits(snapshot, policy, ())
    assert empty.snapshot is snapshot
    assert empty.policy is policy


@given(seeds)
@settings(max_examples=120)
def test_edits_and_their_inverse_give_the_base(seed: int) -> None:
    snapshot, policy, rng = _given(seed)
    edits = random_edits(rng, snapshot)
    back = inverse_edits(snapshot, policy, edits)
    if back is None:
        return
    there_and_back = apply_edits(snapshot, policy, (*edits, *back))
    assert _same(there_and_back, snapshot, policy)
    assert there_and_back.snapshot.digest == snapshot.digest


@given(seeds)
@settings(max_examples=60)
def test_a_saved_scenario_replays_to_the_same_situation(seed: int) -> None:
    snapshot, policy, rng = _given(seed)
    scenario = Scenario("s", random_edits(rng, snapshot))
    again = parse_scenario(scenario.document(), source="saved")
    assert again.edits == scenario.edits
    first, second = (one.applied(snapshot, policy) for one in (scenario, again))
    assert first.snapshot == second.snapshot
    assert first.policy == second.policy
    difference = compare_scenarios(scenario, again)
    assert difference.only_first == difference.only_second == ()
    assert difference.same_order


@given(seeds)
@settings(max_examples=80)
def test_edits_of_different_things_commute(seed: int) -> None:
    snapshot, policy, rng = _given(seed)
    families = {
        "node": {"add_nodes", "uncordon", "repair"},
        "queue": {"set_queue", "create_queue"},
        "gang": {"multiply", "reprioritise", "set_gang", "add_gangs"},
        "policy": {"set_policy"},
    }
    by_family = {}
    for edit in random_edits(rng, snapshot, most=8):
        family = next((name for name, kinds in families.items() if edit.kind in kinds), None)
        if family is not None:
            by_family.setdefault(family, edit)
    edits = list(by_family.values())
    forwards = apply_edits(snapshot, policy, edits)
    backwards = apply_edits(snapshot, policy, edits[::-1])
    assert forwards.snapshot == backwards.snapshot
    assert forwards.policy == backwards.policy


def test_every_kind_of_edit_is_drawn_and_most_have_a_way_back() -> None:
    kinds, returning = set(), set()
    for seed in range(400):
        snapshot, policy, rng = _given(seed)
        for edit in random_edits(rng, snapshot):
            kinds.add(edit.kind)
            if inverse_edits(snapshot, policy, (edit,)) is not None:
                returning.add(edit.kind)
    assert kinds | {"delete_queue", "set_budget"} == set(EDITS)  # its snapshots have no budgets
    assert returning >= {"add_nodes", "set_queue", "multiply", "reprioritise", "set_gang", "drain"}


@given(seeds)
@settings(max_examples=40)
def test_edited_snapshots_are_snapshots_that_can_be_stored(seed: int) -> None:
    snapshot, policy, rng = _given(seed)
    edited = apply_edits(snapshot, policy, random_edits(rng, snapshot)).snapshot
    stored = memory_file("edited.json", snapshot_to_json(edited))
    again = read_snapshot([stored])
    assert replace(again, digest="") == replace(edited, digest="")
