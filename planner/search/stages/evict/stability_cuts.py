"""No undoing: a plan after which a gang that was given up could evict the newcomers at once is searched anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.findings import Finding
from models.plan import Reason
from planner.encode.prepared import Prepared
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.evict.victim_rules import Fault, VictimRules


@dataclass
class Cycle:
    """Evictions that a gang given up would undo: newcomer to the gangs that would evict it again."""

    by: dict[str, set[str]] = field(default_factory=dict)

    def add(self, faults: Sequence[Fault]) -> None:
        """Remember what was cut off."""
        for one in faults:
            for name in one.newcomers:
                self.by.setdefault(name, set()).update(one.gangs)

    def findings(self, waiting: set[str]) -> tuple[Finding, ...]:
        """One ``reclaim_cycle`` per gang that waits for this reason."""
        return tuple(
            Finding(
                "reclaim_cycle",
                "warning",
                f"gang/{name}",
                f"{name} could start only by evicting {_listed(self.by[name])}, which could evict it again at once",
                "change what the two queues deserve, or the priorities, so that only one of the two may evict",
            )
            for name in sorted(self.by)
            if name in waiting
        )

    def reason(self, name: str) -> Reason:
        """Why a newcomer of a cycle waits."""
        return Reason(
            code="protected_victims",
            message=f"evicting {_listed(self.by[name])} for it would be undone at once: they could evict it again",
            data={"gangs": sorted(self.by[name]), "cycle": True},
        )

    def with_reason(self, name: str, others: tuple[Reason, ...]) -> tuple[Reason, ...]:
        """Its reasons with this one; that too few pods may be evicted says the same with less."""
        if name not in self.by:
            return others
        return (self.reason(name), *(one for one in others if not _too_few(one)))


def _too_few(reason: Reason) -> bool:
    rows = reason.data.get("protections", ()) if reason.code == "protected_victims" else ()
    return bool(rows) and all(row["tooFew"] for row in rows)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def without_faults(
    prepared: Prepared,
    rules: VictimRules,
    victims: Victims,
    classes: Sequence[GangClass],
    assignment: Assignment,
) -> Assignment:
    """The plan with every gang that it must not take left where it is, and newcomers in its way waiting."""
    repair = Repair(prepared.problem, victims, classes, rules.needed)
    found = assignment
    while found.evicted and (faults := rules.faults(found)):
        if prepared.problem.cards is not None:
            return Assignment({})
        back = {name for one in faults for name in one.gangs}
        gangs = [prepared.snapshot.gang_by_name[name] for name in sorted(back)]
        names = [pod.full_name for gang in gangs for pod in prepared.snapshot.pods_of(gang)]
        found = repair.legal(repair.kept(found, names, frozenset()))
    return found
