"""No rule without check, constraint, sentence and a mutation that its check really finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from card_mutations import CARD_MUTATIONS
from verify_builders import broken_rules, policy
from verify_mutations import MUTATIONS as OTHER_MUTATIONS
from verify_mutations import Mutation
from victim_mutations import VICTIM_MUTATIONS

from models.effective import EffectivePolicy
from models.plan import RuleViolation
from models.rules import CATALOGUE, Rule, RuleId
from planner.verify.check import CHECKS, verify
from planner.verify.standing import RankedState

MUTATIONS = (*OTHER_MUTATIONS, *VICTIM_MUTATIONS, *CARD_MUTATIONS)


def _ids(mutation: Mutation) -> str:
    return f"{mutation.rule}: {mutation.name}"


def test_catalogue_holds_every_rule_once() -> None:
    assert [rule.id for rule in CATALOGUE] == list(dict.fromkeys(rule.id for rule in CATALOGUE))
    assert {rule.id for rule in CATALOGUE} == set(RuleId)


@pytest.mark.parametrize("rule", CATALOGUE, ids=lambda rule: rule.id)
def test_rule_has_sentence_check_constraint_and_mutation(rule: Rule) -> None:
    from planner.model.eviction_rows import EVICTION_CONSTRAINTS
    from planner.model.rows import CONSTRAINTS

    assert rule.sentence.endswith(".")
    assert len(rule.sentence.split()) > 3
    assert rule.invariant
    assert callable(CHECKS[rule.id])
    assert (rule.id in {**CONSTRAINTS, **EVICTION_CONSTRAINTS}) == rule.constraint
    assert any(mutation.rule == rule.id for mutation in MUTATIONS)


def test_checks_are_the_catalogue() -> None:
    assert set(CHECKS) == {rule.id for rule in CATALOGUE}
    assert len(set(CHECKS.values())) == len(CHECKS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=_ids)
def test_smallest_legal_plan_is_accepted(mutation: Mutation) -> None:
    assert _reported(mutation, "legal") == set()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=_ids)
def test_single_fault_is_reported_under_its_rule(mutation: Mutation) -> None:
    assert _reported(mutation, "broken") == {mutation.rule.value}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=_ids)
def test_nearest_legal_neighbour_is_accepted(mutation: Mutation) -> None:
    assert _reported(mutation, "neighbour") == set()


@pytest.mark.parametrize("rule", list(RuleId))
def test_without_its_check_the_fault_goes_unseen(rule: RuleId) -> None:
    """It is this check, and no other, that finds the mutation."""
    mutation = next(one for one in MUTATIONS if one.rule == rule)
    effective: EffectivePolicy = policy(mutation.cluster, **mutation.policy)
    state = RankedState(mutation.cluster, effective, mutation.broken)
    assert _run([rule], state)
    assert not _run([other for other in RuleId if other != rule], state)


def test_every_violation_names_object_and_remedy() -> None:
    for mutation in MUTATIONS:
        effective = policy(mutation.cluster, **mutation.policy)
        result = verify(mutation.cluster, effective, mutation.broken)
        assert result.rules == len(CATALOGUE)
        for one in result.violations:
            assert "/" in one.object or one.object == "document"
            assert ";" in one.message, one.message


def _reported(mutation: Mutation, which: str) -> set[str]:
    return broken_rules(mutation.cluster, getattr(mutation, which), **mutation.policy)


def _run(rules: Iterable[RuleId], state: RankedState) -> list[RuleViolation]:
    def found() -> Iterator[RuleViolation]:
        for rule in rules:
            yield from CHECKS[rule](state)

    return list(found())
