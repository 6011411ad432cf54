"""Any number of scenarios, one after the other, beside one base."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.edits.edit import Situation
from models.edits.scenario import Scenario
from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from planner.problem.progress import Progress, ProgressSink
from planner.report.whatif.build import what_if
from planner.report.whatif.document import MarginalValue, WhatIf
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.usecases.whatif.base import Base, Planned, plan_scenario
from planner.usecases.whatif.timed import OverTime, check_services


@dataclass(frozen=True)
class Prepared:
    """Scenarios that suit the base, each applied."""

    scenarios: tuple[Scenario, ...]
    situations: tuple[Situation, ...]


def prepare_scenarios(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    scenarios: Sequence[Scenario],
    over_time: OverTime | None = None,
) -> Prepared:
    """Apply all scenarios before anything is planned, so that a wrong name costs no minute.

    Scenarios of the same name are numbered.

    Raises
    ------
    InputError
        An edit does not suit the snapshot.
    """
    named = numbered(scenarios)
    situations = tuple(one.applied(snapshot, policy) for one in named)
    for one, situation in zip(named, situations, strict=True):
        check_services(situation, over_time, source=one.source or one.name)
    return Prepared(named, situations)


def numbered(scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """The scenarios under names that differ, also from the base's."""
    named: list[Scenario] = []
    taken: set[str] = {"base"}
    for one in scenarios:
        name, number = one.name, 1
        while name in taken:
            number += 1
            name = f"{one.name} ({number})"
        taken.add(name)
        named.append(replace(one, name=name))
    return tuple(named)


def plan_scenarios(
    base: Base,
    prepared: Prepared,
    *,
    beside: Sequence[WarmStart] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
) -> tuple[Planned, ...]:
    """Plan them in order; a stop leaves out those that have not begun.

    ``beside`` are plans that each search may begin with as well as with the base's.
    """
    found: list[Planned] = []
    for scenario, situation in zip(prepared.scenarios, prepared.situations, strict=True):
        if stop is not None and stop.is_set():
            break
        sink = _named(on_progress, scenario.name)
        found.append(
            plan_scenario(
                base,
                scenario,
                situation=situation,
                beside=beside,
                on_progress=sink,
                stop=stop,
            )
        )
    return tuple(found)


def _named(sink: ProgressSink | None, name: str) -> ProgressSink | None:
    if sink is None:
        return None
    say = sink

    def told(progress: Progress) -> None:
        say(replace(progress, message=f"scenario {name}"))

    return told


def document_of(
    base: Base, planned: Sequence[Planned], marginal: Sequence[MarginalValue] = ()
) -> WhatIf:
    """Base and outcomes as one document."""
    return what_if(base.plan, [one.outcome for one in planned], marginal)
