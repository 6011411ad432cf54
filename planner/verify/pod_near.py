"""I2, required pod affinity: there is an order in which the newcomers find the pods that they ask for.

A pod finds its place where, for every term, a pod that matches all its terms is in the same domain. Where no such pod
is anywhere, one that matches its own terms may be the first (Kubernetes ``interpodaffinity``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.pod_terms import Term, domain_of, term_of
from planner.verify.residents import Resident, residents
from planner.verify.state import State
from planner.verify.wording import violation

_MOST_TRIES = 2_000
Unit = tuple[Term, ...]


@dataclass
class _Found:
    """Domains, term by term, that hold a pod which matches all terms of a unit."""

    domains: list[set[str]]
    any: bool = False

    def copy(self) -> _Found:
        return _Found([set(one) for one in self.domains], self.any)


@dataclass
class _Order:
    """Puts newcomers in order; ``tries`` counts the firsts that were tried."""

    state: State
    units: list[Unit]
    tries: int = 0
    stuck: list[Resident] = field(default_factory=list)

    def meet(self, found: dict[Unit, _Found], one: Resident) -> None:
        """Count a pod for the units that it matches."""
        for unit in self.units:
            if all(term.picks(one.pod, doubtful=False) for term in unit):
                found[unit].any = True
                for place, domain in enumerate(self.domains(unit, one)):
                    if domain is not None:
                        found[unit].domains[place].add(domain)

    def domains(self, unit: Unit, one: Resident) -> list[str | None]:
        """Domain of a pod's node per term."""
        node = self.state.snapshot.node_by_name.get(one.node)
        return [domain_of(node, term.rule.topology_key) for term in unit]

    def near(self, found: dict[Unit, _Found], one: Resident) -> bool:
        """It finds what it asks for."""
        unit = _unit(one.pod)
        pairs = zip(self.domains(unit, one), found[unit].domains, strict=True)
        return all(domain is not None and domain in known for domain, known in pairs)

    def first(self, found: dict[Unit, _Found], one: Resident) -> bool:
        """It may be the first of its kind."""
        unit = _unit(one.pod)
        if found[unit].any or None in self.domains(unit, one):
            return False
        return all(term.picks(one.pod, doubtful=False) for term in unit)

    def possible(self, found: dict[Unit, _Found], left: Sequence[Resident]) -> bool:
        """Whether all that are left can come."""
        left = self._come(found, left)
        if not left:
            return True
        self.stuck = list(left)
        tried: set[tuple[Unit, str]] = set()
        for one in left:
            key = (_unit(one.pod), one.node)
            if key in tried or self.tries >= _MOST_TRIES or not self.first(found, one):
                continue
            tried.add(key)
            self.tries += 1
            then = {unit: each.copy() for unit, each in found.items()}
            self.meet(then, one)
            if self.possible(then, [other for other in left if other is not one]):
                return True
        return False

    def _come(self, found: dict[Unit, _Found], left: Sequence[Resident]) -> list[Resident]:
        """Let everyone come who finds a place, until nobody does."""
        waiting = list(left)
        while True:
            able = [one for one in waiting if self.near(found, one)]
            if not able:
                return waiting
            for one in able:
                self.meet(found, one)
            gone = {id(one) for one in able}
            waiting = [one for one in waiting if id(one) not in gone]


def _unit(pod: Pod) -> Unit:
    return tuple(term_of(rule, pod) for rule in pod.spec.pod_affinity)


def check_pod_affinity(state: State) -> Iterator[RuleViolation]:
    """Newcomers with affinity can come one after the other."""
    everyone = list(residents(state))
    asking = [one for one in everyone if one.comes and one.pod.spec.pod_affinity]
    if not asking:
        return
    units = list(dict.fromkeys(_unit(one.pod) for one in asking))
    order = _Order(state, units)
    found = {unit: _Found([set() for _ in unit]) for unit in units}
    for one in everyone:
        if not (one.comes and one.pod.spec.pod_affinity):
            order.meet(found, one)
    if order.possible({unit: each.copy() for unit, each in found.items()}, asking):
        return
    before = {unit: _Found([set() for _ in unit]) for unit in units}
    for one in everyone:
        if not one.comes:
            order.meet(before, one)
    if order.possible(before, asking):  # before the newcomers that ask for nobody
        return
    for one in order.stuck:
        keys = ", ".join(rule.topology_key for rule in one.pod.spec.pod_affinity)
        told = (
            f"required affinity: no pod that it asks for is in the same {keys} as node {one.node}"
        )
        yield violation(RuleId.POD_AFFINITY, f"pod/{one.pod.full_name}", f"{told}; choose another")
