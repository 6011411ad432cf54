"""What is known of a snapshot before a search: the problem, who may start or leave, the classes and the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.effective import EffectivePolicy
from models.findings import Finding
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from planner.documents.objectives import tier_names
from planner.encode.eligibility import one_class, standings
from planner.encode.prepared import Prepared, prepare
from planner.encode.victims.victims import possible_victims
from planner.problem.limits import Limits
from planner.problem.placement import Standing
from planner.problem.victims import Victims
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.outcome import SearchSettings
from planner.search.replan_search import effort_after
from planner.search.stages.presolve.startable import startable_demands
from planner.search.stages.reoptimise.warm_start import EVICTION_EFFORT_S, Warm, WarmStart
from planner.usecases.inputs.earlier_plan import unrelated


@dataclass(frozen=True)
class PlanCase:
    """One snapshot under one policy.

    Attributes
    ----------
    previous
        The earlier plan, where it is about this cluster.
    strange
        A finding where the earlier plan that was given is about another one.
    """

    snapshot: Snapshot
    policy: EffectivePolicy
    limits: Limits
    prepared: Prepared
    victims: Victims | None
    startable: frozenset[int]
    standings: tuple[Standing, ...]
    classes: tuple[GangClass, ...]
    previous: PlanResult | None = None
    strange: tuple[Finding, ...] = ()

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        policy: EffectivePolicy,
        limits: Limits,
        previous: PlanResult | None,
    ) -> PlanCase:
        """Prepare the snapshot and decide who may start and who may leave."""
        prepared = prepare(snapshot, policy, exact_least)
        victims = possible_victims(prepared)
        startable = startable_demands(prepared.problem, exact_fit, victims)
        placed_in = tuple(standings(prepared, startable, victims))
        throughput = policy.policy.objective == "throughput"
        classes = gang_classes(
            prepared.problem,
            one_class(placed_in) if throughput else placed_in,
            apart={gang.demand for gang in victims.gangs} if victims else (),
        )
        strange = unrelated(previous, snapshot) if previous is not None else ()
        earlier = None if strange else previous
        given = (snapshot, policy, limits, prepared, victims, startable, placed_in, classes)
        return cls(*given, previous=earlier, strange=strange)

    def settings(self, limits: Limits, warm: Warm | None, effort_s: float | None) -> SearchSettings:
        """Settings of the search, from an earlier plan or a plan of another situation where there is one.

        Raises
        ------
        InputError
            The policy names an unknown tier.
        """
        settings = replace(search_settings(self.policy.policy, limits), victims=self.victims)
        changes_only = effort_s is None and self.victims is None
        if self.previous is not None:
            warm = WarmStart.from_document(
                self.previous, self.prepared, self.policy, self._effort(effort_s)
            )
        if warm is None or not warm.suits(self.prepared):
            return settings
        evicting = self.victims is not None
        return replace(
            settings,
            start=warm.beginning(self.prepared, self.standings),
            stays=warm.documented,
            changes_only=changes_only,
            known=warm.bounds(self.prepared, self.standings),
            effort_s=max(warm.effort_s, EVICTION_EFFORT_S) if evicting else warm.effort_s,
        )

    def _effort(self, effort_s: float | None) -> float:
        if effort_s is not None or self.previous is None:
            return effort_s or 0.0
        if self.victims is not None:
            return self.limits.time_limit_s
        deterministic = self.limits.deterministic
        return effort_after(self.previous.certificate, deterministic=deterministic)


def search_settings(policy: Policy, limits: Limits) -> SearchSettings:
    """What the policy says about the search; raises InputError if it names an unknown tier."""
    return SearchSettings(
        limits=limits,
        cluster_scope=policy.priority_scope == "cluster",
        fair=policy.objective == "fair",
        tier_names=tier_names(policy),
    )
