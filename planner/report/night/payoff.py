"""What lending and preemption bring: GPU-hours gained less those lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.report.night.subject import NightSubject
from planner.report.rows import records
from planner.report.tables import Column, Section, Table
from planner.report.text import counted, gpu_hours

_COLUMNS = (
    Column("MEASURE", grows=True),
    Column("HOW MUCH"),
    Column("GAINED", "GPU-hours", numeric=True),
    Column("LOST", "GPU-hours", numeric=True),
    Column("NET", "GPU-hours", numeric=True),
)


@dataclass(frozen=True, slots=True)
class Payoff:
    """One measure; GPU-seconds."""

    name: str
    what: str
    gained: int
    lost: int

    @property
    def net(self) -> int:
        """Gained less lost."""
        return self.gained - self.lost


def payoffs(subject: NightSubject) -> tuple[Payoff, ...]:
    """Lending, stops and resumptions, and evictions of the plan for now."""
    return (*_lending(subject), *_evictions(subject))


def _lending(subject: NightSubject) -> Iterator[Payoff]:
    schedule = subject.schedule
    lent = {name for loan in schedule.loans for name in loan.gangs}
    gained = sum(loan.gpu_seconds for loan in schedule.loans)
    if not gained:
        return
    lost = sum(gang.lost_gpu_seconds for gang in schedule.gangs if gang.full_name in lent)
    most = max(loan.gpus for loan in schedule.loans)
    what = f"{counted(len(schedule.loans), 'loan')}, up to {counted(most, 'GPU')}"
    yield Payoff("Lending idle GPUs of online services", what, gained, lost)


def _evictions(subject: NightSubject) -> Iterator[Payoff]:
    rows = records(subject.view.evictions)
    if not rows:
        return
    lost = sum(int(row["lost_gpu_seconds"] or 0) for row in rows)
    names = {row["gang"] for row in rows}
    helped = {
        name
        for gang in subject.result.gangs
        if gang.full_name in names
        for reason in gang.reasons
        for name in reason.data.get("gangs", ())
        if isinstance(name, str)
    }
    gained = sum(gang.work_gpu_seconds for gang in subject.starts if gang.full_name in helped)
    verb = "gives" if len(names) == 1 else "give"
    what = f"for {counted(len(helped), 'gang')}, {counted(len(names), 'gang')} {verb} way"
    yield Payoff("Preemption and reclaim now", what, gained, lost)


def payoff_section(subject: NightSubject) -> Section:
    """The table; a sentence where nothing is lent and nobody is evicted."""
    found = payoffs(subject)
    if not found:
        return Section(
            "payoff",
            "What lending and preemption bring",
            lead="Nothing is lent and nobody is evicted in this plan.",
        )
    rows = tuple(
        (one.name, one.what, _hours(one.gained), _hours(one.lost), _hours(one.net)) for one in found
    )
    net = sum(one.net for one in found)
    return Section(
        "payoff",
        "What lending and preemption bring",
        lead=f"Together {gpu_hours(net)} more work than without.",
        tables=(
            Table(
                "Gained and lost within the horizon",
                _COLUMNS,
                rows,
                notes=(
                    "Gained: GPU-hours on lent GPUs, or of gangs that start as others give way. Lost: restarts and "
                    "work since the last checkpoint. What another use of the same GPUs would have brought is not "
                    "deducted.",
                ),
            ),
        ),
    )


def _hours(seconds: int) -> str:
    return f"{seconds / 3600:,.1f}"
