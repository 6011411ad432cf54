"""``README.md`` of the folder: what each file does, in order, with times and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planner.manifests.files import EVICTIONS, RESUBMIT_MARK, Step, command_of
from planner.manifests.manifest_file import Action, Advice, Departure, ManifestFile, Phase
from planner.manifests.night import Night
from planner.manifests.quoting import code, one_line

_TITLES: dict[Phase, str] = {
    "hold": "Hold what would start too early",
    "leave": "Let go what has to leave",
    "limit": "Limit a queue to what the plan runs in it",
    "entitle": "Keep borrowed GPUs from being reclaimed",
    "start": "Start what is held or suspended",
    "check": "Check before the peak: stop what still runs",
    "release": "Put back what was changed",
}
_INTRO = """\
Made by gangplan from a plan for {when} (times in {zone}). It is advice: nothing was applied, and
nothing here is applied by the product. Review it, then run the commands from within this folder, in this order and at
these times. Every file is one object or the patch of one object, and says above its content when, why and how.
"""


def readme_text(
    night: Night,
    steps: Sequence[Step],
    advice: Advice,
    departures: Sequence[Departure],
    resubmitted: Sequence[ManifestFile],
) -> str:
    """The whole page."""
    parts = [
        "# Manifests for the plan" if night.for_now else "# Manifests for the night",
        _INTRO.format(when=_when(night), zone=night.schedule.timezone),
        *_overview(night, steps),
        *(part for step in steps for part in _step(night, step)),
        *_departures(night, departures),
        *_nothing(advice),
        *_resubmits(resubmitted),
        *_abandon(steps),
        _limits(night),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _when(night: Night) -> str:
    now = f"**{night.clock(night.now)}**"
    return now if night.for_now else f"{now} until **{night.clock(night.end)}**"


def _overview(night: Night, steps: Sequence[Step]) -> Iterator[str]:
    if not steps:
        yield "## In short"
        yield "No step: the scheduler follows the plan by itself, and nothing has to leave."
        return
    yield "## In short"
    rows = ["| Step | When | What | Objects |", "| ---: | --- | --- | ---: |"]
    rows += [
        f"| {step.number} | {night.clock(step.at)} | {_TITLES[step.phase]} | {len(step.actions)} |"
        for step in steps
    ]
    yield "\n".join(rows)


def _step(night: Night, step: Step) -> Iterator[str]:
    yield f"## Step {step.number}: {night.clock(step.at)}, {_TITLES[step.phase].lower()}"
    yield "\n".join(_line(action, file) for action, file in step.actions)
    guarded = any(action.only_if for action, _ in step.actions)
    if guarded:
        yield "Run only the lines whose gang still runs:"
    yield fenced(
        command_of(action, file.path if file is not None else "") for action, file in step.actions
    )


def _line(action: Action, file: ManifestFile | None) -> str:
    kind, _, name = action.subject.partition(" ")
    gpus = f" ({action.gpus:,} GPUs)" if action.gpus else ""
    only = f" Only if {_text(action.only_if)}." if action.only_if else ""
    know = f" **Know:** {_text(action.warning)}" if action.warning else ""
    where = "" if file is None else f" File: {code(file.path)}."
    return f"- {kind.capitalize()} {code(name)}{gpus}: {_text(action.why)}{only}{know}{where}"


def _departures(night: Night, departures: Sequence[Departure]) -> Iterator[str]:
    if not departures:
        return
    yield "## Eviction list"
    yield (
        f"Who has to be gone by when; {code(EVICTIONS)} holds it with pods and commands. *Stop by* leaves room for the "
        "grace period. Gangs that end by themselves are listed because an end is an estimate."
    )
    rows = [
        "| Leave by | Stop by | Gang | GPUs | Grace, s | Planned end | How |",
        "| --- | --- | --- | ---: | ---: | --- | --- |",
    ]
    for one in departures:
        how = "stop" if one.planned else "only if it still runs"
        how = f"{how}; {_text(one.note)}" if one.note else how
        gang = code(f"{one.namespace}/{one.name}")
        rows.append(
            f"| {night.clock(one.leave_by)} | {night.clock(one.stop_by)} | {gang} | {one.gpus:,} | {one.grace_s:,} | "
            f"{one.ends_at} | {how} |"
        )
    yield "\n".join(rows)


def _nothing(advice: Advice) -> Iterator[str]:
    if not advice.nothing:
        return
    yield "## Gangs without a file of their own"
    rows = ["| Gang | Why |", "| --- | --- |"]
    rows += [f"| {code(name)} | {_text(why)} |" for name, why in sorted(advice.nothing.items())]
    yield "\n".join(rows)


def _resubmits(files: Sequence[ManifestFile]) -> Iterator[str]:
    if not files:
        return
    yield "## Optional: the nodes of the plan"
    yield (
        f"{RESUBMIT_MARK} The scheduler places these gangs by itself, perhaps on other nodes. Whoever wants the plan's "
        "nodes changes the manifest from which the gang was submitted and submits it again; it loses its place in "
        "the order of creation."
    )
    for file in files:
        kind, _, name = file.subject.partition(" ")
        yield f"{kind.capitalize()} {code(name)}: {code(file.path)}"
        yield fenced(file.command.split("\n"))


def _abandon(steps: Sequence[Step]) -> Iterator[str]:
    back = [
        (action, file)
        for step in steps
        for action, file in step.actions
        if action.phase == "release" or (action.phase == "start" and action.stem == "resume")
    ]
    if not back:
        return
    last: dict[str, tuple[Action, ManifestFile | None]] = {}
    for action, file in back:
        last[action.subject] = (action, file)
    yield "## If the plan is given up"
    yield (
        "Once steps were taken, these lines bring everything back: queues as they were, held and stopped gangs free. "
        "Leave out what no step changed yet."
    )
    yield fenced(
        command_of(action, file.path if file is not None else "") for action, file in last.values()
    )


def _limits(night: Night) -> str:
    lines = [
        "Gangs that are submitted after the plan was made are in no file; the scheduler starts them where it finds "
        "room.",
        "A limit caps a queue as a whole: among held gangs of one queue that are equally large, the scheduler picks "
        "which starts first.",
        "A Volcano Job has no suspend field; it is aborted and resumed by a Command, and each resumption counts as "
        "one of its retries. `vcctl job suspend` and `vcctl job resume` send the same Commands.",
    ]
    if night.for_now:
        lines.append(
            "The plan is as old as its export: what has started or ended since is not in it. Plan a new export before "
            "you apply anything."
        )
    else:
        lines.insert(2, "Ends of gangs are estimates where no annotation tells their duration.")
    return "\n".join(("## What this cannot do\n", *(f"- {line}" for line in lines)))


def fenced(lines: Iterator[str] | Sequence[str]) -> str:
    """A code block; its fence is longer than any run of backticks inside."""
    text = "\n".join(map(one_line, lines))
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{text}\n{fence}"


def _text(text: str) -> str:
    """A sentence with foreign names: nothing in it is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&])", r"\\\1", one_line(text))
