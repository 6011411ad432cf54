"""The independent check of a plan: every rule of the catalogue, from snapshot and plan alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from models.effective import EffectivePolicy
from models.plan import PlanResult, RuleViolation, Verification
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.verify.beforehand import Beforehand
from planner.verify.capacity import check_capacity
from planner.verify.card_rules import check_cards
from planner.verify.disruption import check_moves
from planner.verify.document import check_document
from planner.verify.domain_resources import check_domain_resources
from planner.verify.host_ports import check_host_ports
from planner.verify.placeable import check_placeable, check_supply
from planner.verify.pod_apart import check_pod_anti_affinity
from planner.verify.pod_even import check_topology_spread
from planner.verify.pod_near import check_pod_affinity
from planner.verify.predicates import check_predicates
from planner.verify.prefilter import check_prefilter
from planner.verify.queue_rules import check_admission, check_limits, check_open
from planner.verify.readiness import check_minimum, check_roles, check_subgroups
from planner.verify.standing import RankedState
from planner.verify.timed.check import SCHEDULE_CHECKS, check_schedule
from planner.verify.topology import check_topology
from planner.verify.undoing import check_undoing
from planner.verify.unsupported import check_unsupported
from planner.verify.victim_rules import (
    check_budgets,
    check_causes,
    check_entitlement,
    check_guarantees,
    check_needed,
    check_no_eviction,
    check_protected,
    undecided_losses,
)
from planner.verify.wording import violation

_LOG = logging.getLogger(__name__)
Check = Callable[[RankedState], Iterable[RuleViolation]]

CHECKS: Mapping[RuleId, Check] = MappingProxyType(
    {
        RuleId.NODE_CAPACITY: check_capacity,
        RuleId.CARD_PACKING: check_cards,
        RuleId.NODE_PREDICATES: check_predicates,
        RuleId.POD_ANTI_AFFINITY: check_pod_anti_affinity,
        RuleId.HOST_PORTS: check_host_ports,
        RuleId.POD_AFFINITY: check_pod_affinity,
        RuleId.TOPOLOGY_SPREAD: check_topology_spread,
        RuleId.DOMAIN_RESOURCES: check_domain_resources,
        RuleId.POD_PLACEABLE: check_placeable,
        RuleId.GANG_READY: check_minimum,
        RuleId.ROLE_MINIMUM: check_roles,
        RuleId.SUBGROUP_COMPLETE: check_subgroups,
        RuleId.POD_SUPPLY: check_supply,
        RuleId.QUEUE_LIMIT: check_limits,
        RuleId.QUEUE_OPEN: check_open,
        RuleId.ADMISSION: check_admission,
        RuleId.HARD_TOPOLOGY: check_topology,
        RuleId.TOPOLOGY_PREFILTER: check_prefilter,
        RuleId.UNSUPPORTED_WAITS: check_unsupported,
        RuleId.NO_EVICTION: check_no_eviction,
        RuleId.VICTIM_PROTECTED: check_protected,
        RuleId.VICTIM_CAUSE: check_causes,
        RuleId.VICTIM_ENTITLEMENT: check_entitlement,
        RuleId.GUARANTEE_KEPT: check_guarantees,
        RuleId.DISRUPTION_BUDGET: check_budgets,
        RuleId.VICTIM_NEEDED: check_needed,
        RuleId.NO_UNDOING: check_undoing,
        RuleId.NO_MOVE: check_moves,
        RuleId.DOCUMENT: check_document,
    }
)


def verify(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    plan: PlanResult,
    beforehand: Beforehand | None = None,
) -> Verification:
    """Check a plan against every rule and report all violations.

    Parts that the document leaves out (``summary``, ``queues``, ``nodes``, ``certificate``, ``snapshot``) are not
    checked, so that a hand-written plan needs ``gangs`` only.

    Parameters
    ----------
    beforehand
        What is known of snapshot and policy already.

    Returns
    -------
    Verification
        ``rules`` is the number of rules checked, those of a schedule included where the document has one;
        ``undecided`` says in words what they could not decide.
    """
    known = beforehand.state(snapshot, policy, plan) if beforehand is not None else None
    state = known if known is not None else RankedState(snapshot, policy, plan)
    found = [one for rule, check in CHECKS.items() for one in _all_of(rule, check, state)]
    found += _all_of(RuleId.DOCUMENT, check_schedule, state)
    rules = len(CHECKS) + (len(SCHEDULE_CHECKS) if plan.schedule is not None else 0)
    undecided = _undecided(state)
    return Verification(violations=tuple(found), rules=rules, undecided=undecided)


def _all_of(rule: RuleId, check: Check, state: RankedState) -> list[RuleViolation]:
    """The violations of one rule; a document with which it cannot be computed at all breaks it."""
    try:
        return list(check(state))
    except Exception as error:  # a document written by hand may contradict itself in any way
        _LOG.exception("rule %s cannot be checked", rule.value)
        told = f"cannot be checked: the document contradicts itself or the snapshot ({type(error).__name__})"
        return [violation(rule, "document", told)]


def _undecided(state: RankedState) -> tuple[str, ...]:
    try:
        return tuple(undecided_losses(state))
    except Exception as error:  # told as a violation of the rule already
        _LOG.debug("losses cannot be judged", exc_info=error)
        return ()
