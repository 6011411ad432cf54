"""What a reader of the night report is asked to decide: at most five points; gains are those of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from models.gpu import gpus_in
from models.nightly.reader import Reader
from models.schedule import ScheduledGang
from planner.demand.scheduled import schedule_returns
from planner.report.gpus import gpu_names, is_closed
from planner.report.hostlist import hostlist
from planner.report.night.failing import failing_gangs
from planner.report.night.subject import NightSubject
from planner.report.tables import Column, Section, Table
from planner.report.text import DASH, counted, duration

MOST = 5
RETRIES = 2
"""Retries or failed pods from which on a gang is worth a decision."""
_COLUMNS = (
    Column("#", numeric=True),
    Column("DECISION", grows=True),
    Column("CONCERNS", "GPUs", numeric=True),
    Column("GAIN", "GPU-hours", numeric=True),
    Column("HOW", grows=True),
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One decision.

    Attributes
    ----------
    gpus
        What it concerns: GPUs of the gangs or nodes that it is about.
    gpu_seconds
        What these could do within the horizon; a gain only where it is ``planned``.
    how
        A manifest or a command.
    planned
        The plan holds it, and the independent check found nothing.
    """

    text: str
    gpus: int
    gpu_seconds: int
    how: str
    planned: bool = False

    @property
    def order(self) -> tuple[bool, int, int, str]:
        """What is planned first, then what concerns most."""
        return not self.planned, -self.gpu_seconds, -self.gpus, self.text


def asks_of(subject: NightSubject) -> tuple[Ask, ...]:
    """Everything worth a decision of this reader, what is planned first."""
    found: list[Ask] = []
    if subject.is_for("platform", "capacity"):
        found += [*_follow(subject), *_closed(subject)]
    if subject.is_for("platform", "capacity", "tenant"):
        found += _fixes(subject)
    if subject.is_for("platform", "tenant"):
        found += _failing(subject)
    if subject.is_for("platform", "tenant", "service"):
        found += _grace(subject)
    if subject.is_for("capacity"):
        found += _more_gpus(subject)
    return tuple(sorted(found, key=lambda ask: ask.order))


def asks_section(subject: NightSubject) -> Section:
    """The first five, and how many there are besides."""
    found = asks_of(subject)
    rows = tuple(
        (
            f"{number}",
            ask.text,
            f"{ask.gpus:,}" if ask.gpus else DASH,
            f"{ask.gpu_seconds / 3600:,.1f}" if ask.planned else DASH,
            ask.how or DASH,
        )
        for number, ask in enumerate(found[:MOST], 1)
    )
    notes: tuple[str, ...] = ()
    if rows:
        notes = (
            "A gain is what this plan holds and the check confirmed. What another point would bring is not planned; "
            "gangplan whatif plans a change.",
        )
    if len(found) > MOST:
        notes += (f"{counted(len(found) - MOST, 'smaller point')} left out.",)
    return Section(
        "decisions",
        "Decisions",
        lead="" if rows else "Nothing asks for a decision tonight.",
        tables=(Table("Decisions", _COLUMNS, rows, notes=notes),) if rows else (),
    )


def _follow(subject: NightSubject) -> Iterator[Ask]:
    """Applying the manifests, else letting the schedule's starts happen."""
    work = subject.schedule.work_gpu_seconds
    if not subject.starts:
        return
    gpus = sum(gang.gpus for gang in subject.starts)
    steps = {file.path.partition("/")[0] for file in subject.manifests if file.at is not None}
    how = "manifests/README.md" if subject.manifests else ""
    if steps:
        text = (
            f"Follow the schedule: {counted(len(subject.starts), 'gang')} start within the horizon. The scheduler "
            f"needs help for it in {counted(len(steps), 'step')}."
        )
    elif subject.manifests:
        text = f"Let the scheduler start {counted(len(subject.starts), 'gang')}; it needs no help."
    else:
        text = (
            f"Follow the schedule: {counted(len(subject.starts), 'gang')} start within the horizon."
        )
    check = subject.result.verification
    yield Ask(text, gpus, work, how, planned=check is not None and not check.violations)


def _closed(subject: NightSubject) -> Iterator[Ask]:
    names = gpu_names(subject.result)
    closed = {
        node.name: max(gpus_in(node.allocatable, names) - gpus_in(node.after, names), 0)
        for node in subject.result.nodes
        if is_closed(node)
    }
    closed = {name: gpus for name, gpus in closed.items() if gpus}
    if not closed:
        return
    gpus = sum(closed.values())
    text = (
        f"Bring back {counted(len(closed), 'closed node')} ({_short(hostlist(list(closed)))}): "
        f"{counted(gpus, 'free GPU')} there cannot be used."
    )
    first = next(iter(closed))
    how = f"kubectl uncordon {quote(first)}" + (" …" if len(closed) > 1 else "")
    yield Ask(text, gpus, round(gpus * subject.hours * 3600), how)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


def _fixes(subject: NightSubject) -> Iterator[Ask]:
    """Changes that would start waiting gangs, equal ones together."""
    by_fix: dict[str, list[ScheduledGang]] = {}
    for gang in subject.waits:
        for fix in gang.fixes[:1]:
            by_fix.setdefault(fix, []).append(gang)
    for fix, gangs in sorted(by_fix.items()):
        seconds = sum(gang.gpus * _run_s(subject, gang) for gang in gangs)
        who = gangs[0].full_name + (f" and {len(gangs) - 1} more" if len(gangs) > 1 else "")
        yield Ask(
            f"{fix[:1].upper()}{fix[1:]} (for {who})",
            sum(gang.gpus for gang in gangs),
            seconds,
            f"gangplan explain snapshot.json.gz --gang {quote(gangs[0].full_name)}",
        )


def _run_s(subject: NightSubject, gang: ScheduledGang) -> int:
    length = gang.duration.seconds if gang.duration is not None else 0
    return min(length, subject.schedule.edges[-1] - subject.now)


def _failing(subject: NightSubject) -> Iterator[Ask]:
    if subject.snapshot is None:
        return
    for one in failing_gangs(subject.snapshot, gpu_names(subject.result)):
        if one.retries + one.failed_pods < RETRIES or not one.gpus:
            continue
        what = counted(one.retries, "retry", "retries") if one.retries else ""
        pods = counted(one.failed_pods, "failed pod") if one.failed_pods else ""
        yield Ask(
            f"Look at {one.gang.full_name} ({', '.join(part for part in (what, pods) if part)}): it holds "
            f"{counted(one.gpus, 'GPU')} and may do no work.",
            one.gpus,
            round(one.gpus * subject.hours * 3600),
            f"kubectl get events --namespace={quote(one.gang.namespace)}",
        )


def _grace(subject: NightSubject) -> Iterator[Ask]:
    """Shorter grace periods that would allow loans."""
    own = {gang.full_name for gang in subject.schedule.gangs}
    best: dict[str, Ask] = {}
    for pool in schedule_returns(subject.schedule):
        for gain in pool.gains:
            if gain.gang not in own or not gain.gpu_seconds:
                continue
            text = (
                f"Shorten the grace period of {gain.gang} from {duration(gain.grace_s)} to "
                f"{duration(gain.wanted_grace_s)} at most: its GPUs could then be lent ones."
            )
            ask = Ask(
                text, gain.gpus, gain.gpu_seconds, "terminationGracePeriodSeconds of its pods"
            )
            if gain.gang not in best or ask.order < best[gain.gang].order:
                best[gain.gang] = ask
    yield from best.values()


def _more_gpus(subject: NightSubject) -> Iterator[Ask]:
    """Hardware for what finds no room within the horizon."""
    short = [
        gang
        for gang in subject.waits
        if any(reason.code in ("cluster_capacity", "fragmentation") for reason in gang.reasons)
    ]
    if not short:
        return
    gpus = sum(gang.gpus for gang in short)
    seconds = sum(gang.gpus * _run_s(subject, gang) for gang in short)
    text = (
        f"Decide whether to buy: {counted(len(short), 'gang')} with {counted(gpus, 'GPU')} find no room within "
        f"the horizon."
    )
    yield Ask(text, gpus, seconds, "gangplan whatif snapshot.json.gz --add …")


def reader_words(reader: Reader | None) -> str:
    """For whom the report is, as its title says."""
    if reader is None:
        return "Night"
    words = {
        "platform": "Night, for the platform team",
        "capacity": "Night, for capacity managers",
        "tenant": f"Night, for queue {reader.name}",
        "service": f"Night, for service {reader.name}",
    }
    return words[reader.kind]
