"""Startable, ranked, covered: the classification of the default objective, for the oracle."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from models.workloads import Gang
from planner.testing.oracle.gang_options import GangView
from planner.testing.oracle.situation import Situation
from planner.testing.oracle.takable import staying_use

COVERED, REST = "covered", "rest"
_WAITING_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 9, "us": 6, "µs": 6, "ms": 3}


@dataclass(frozen=True, order=True)
class Place:
    """Position of a gang in the objective; smaller goes first."""

    order: tuple[int, int]
    tier_class: str
    rank: int

    @property
    def prefix(self) -> str:
        """``<class>.<rank>`` of its tiers' names."""
        return f"{self.tier_class}.{self.rank}"


def classify(situation: Situation) -> dict[str, Place]:
    """Place of every startable gang, by full name."""
    ranks = ranks_of(situation)
    covered = _covered(situation, {name: ranks[name] for name in situation.startable})
    return {
        name: place_at(situation, COVERED if name in covered else REST, ranks[name])
        for name in situation.startable
    }


def place_at(situation: Situation, tier_class: str, rank: int) -> Place:
    """The place of a class and rank in the order of the tiers."""
    side = 0 if tier_class == COVERED else 1
    cluster = situation.policy.policy.priority_scope == "cluster"
    return Place((rank, side) if cluster else (side, rank), tier_class, rank)


def ranks_of(situation: Situation) -> dict[str, int]:
    """Position among the distinct keys of the gang's queue, or of the whole cluster; growing gangs have one too."""
    cluster = situation.policy.policy.priority_scope == "cluster"
    keys = {
        name: ("" if cluster else view.queue, _key(view.gang, sla=situation.policy.sla))
        for name, view in {**situation.startable, **situation.growing}.items()
    }
    return {
        name: 1 + len({other for group, other in keys.values() if group == mine and other < key})
        for name, (mine, key) in keys.items()
    }


def _key(gang: Gang, *, sla: bool) -> tuple[Fraction, ...]:
    """Smaller goes first; without a waiting time a gang comes after all that have one."""
    if not sla:
        return (Fraction(-gang.priority),)
    waiting = next((gang.annotations[k] for k in _WAITING_KEYS if k in gang.annotations), None)
    if waiting is None:
        return (Fraction(-gang.priority), Fraction(1))
    created = datetime.fromisoformat(gang.created.replace("Z", "+00:00")).timestamp()
    return (Fraction(-gang.priority), Fraction(0), Fraction(created) + seconds_of(waiting))


def seconds_of(duration: str) -> Fraction:
    """Seconds of a Go duration such as ``1h30m``."""
    total = Fraction(0)
    for number, unit in _DURATION.findall(duration):
        if unit in _SECONDS:
            total += Fraction(number) / 10 ** _SECONDS[unit]
        else:
            total += Fraction(number) * {"s": 1, "m": 60, "h": 3600}[unit]
    return total


def _covered(situation: Situation, ranks: dict[str, int]) -> set[str]:
    """Gangs that the walk through their queue finds within the entitlement."""
    if situation.policy.queue_model == "proportion":
        return set(ranks)
    found: set[str] = set()
    for queue in {view.queue for view in situation.startable.values()}:
        members = [view for view in situation.startable.values() if view.queue == queue]
        found |= _walk(situation, queue, members, ranks)
    return found


def _walk(
    situation: Situation, queue: str, members: list[GangView], ranks: dict[str, int]
) -> set[str]:
    added: Counter[str] = Counter()
    found: set[str] = set()
    for rank in sorted({ranks[view.name] for view in members}):
        passed_over = False
        of_rank = [view for view in members if ranks[view.name] == rank]
        for view in sorted(of_rank, key=lambda one: (one.gang.created, one.name)):
            used = staying_use(situation, view) + added
            if _within_deserved(situation, queue, used, view):
                added.update(view.least_request.as_dict())
                found.add(view.name)
            else:
                passed_over = True
        if passed_over:
            break
    return found


def _within_deserved(situation: Situation, queue: str, used: Counter[str], view: GangView) -> bool:
    shares = situation.shares
    counted = [n for n in view.least_request if shares.counts_as_deserved(queue, n)]
    return bool(counted) and all(
        used[name] + view.least_request[name] <= shares.deserved(queue, name) for name in counted
    )
