"""The sentence and the numbers at the top of the page What-if."""

from __future__ import annotations

from models.plan import Summary
from planner.report.frames.scenarios import marginal_frame, sweep_points
from planner.report.whatif.document import ScenarioOutcome, WhatIf
from planner.report.whatif.sweep_document import SweepResult
from ui.messages import Words
from ui.parts.page import Metric
from ui.parts.text import plain

TITLES = {
    "scenarios": "Scenarios side by side",
    "sweep": "Sweep",
    "marginal": "What one more is worth",
}
"""Questions of the page."""


def sentence(document: WhatIf | None, drafts: int, say: Words) -> str:
    """One sentence that answers what changes if."""
    if document is None or not document.scenarios:
        if not drafts:
            return say("What changes if? Write a scenario, and it is planned beside the cluster.")
        return say("Not compared yet: {count}.", count=_counted(say, drafts))
    if len(document.scenarios) == 1:
        return _one(document.scenarios[0], say)
    planned = [one for one in document.scenarios if not one.error]
    counts = [
        f"{count} {say(word)}"
        for word in ("better", "worse", "same", "undecided")
        if (
            count := sum(
                one.verdict is not None and one.verdict.judgement == word for one in planned
            )
        )
    ]
    if not planned:
        return say("No scenario has a plan; the table says why.")
    best = max(planned, key=lambda one: _value(one, "gpus_after"))
    return say(
        "{total}: {counts}; most GPUs allocated: {name} ({gpus}, {change}).",
        total=_counted(say, len(document.scenarios)),
        counts=", ".join(counts),
        name=plain(best.name),
        gpus=_value(best, "gpus_after"),
        change=_change(best, "gpus_after"),
    )


def _one(outcome: ScenarioOutcome, say: Words) -> str:
    name = plain(outcome.name)
    if outcome.error:
        return say("{name} has no plan: {error}", name=name, error=plain(outcome.error))
    judged = outcome.verdict.judgement if outcome.verdict else "undecided"
    return say(
        "{name}: {judgement}; {started} start ({started_change}), {gpus} allocated ({gpus_change}).",
        name=name,
        judgement=say(judged),
        started=say.gangs(_value(outcome, "gangs_started")),
        started_change=_change(outcome, "gangs_started"),
        gpus=say.gpus(_value(outcome, "gpus_after")),
        gpus_change=_change(outcome, "gpus_after"),
    )


def sweep_sentence(result: SweepResult | None, say: Words) -> str:
    """The best point of a grid, or what a grid is."""
    points = sweep_points(result) if result is not None and result.planned else None
    if result is None or points is None or not len(points):
        return say("How does the plan change with one or two parameters? Name them with values.")
    best = points.sort_values("gpus_in_use", ascending=False, kind="stable").iloc[0]
    return say(
        "Most allocated at the {count} points planned: {gpus}, first at {point}.",
        count=int(points["gpus_in_use"].notna().sum()),
        gpus=say.gpus(int(best["gpus_in_use"])),
        point=plain(", ".join(f"{axis.key} = {best[axis.key]}" for axis in result.axes)),
    )


def marginal_sentence(document: WhatIf | None, say: Words) -> str:
    """What is worth most, or what is asked."""
    values = marginal_frame(document) if document is not None else None
    if values is None or not len(values):
        return say("What is one more node, or one more GPU of quota, worth? Each is planned.")
    best = values.sort_values("gpus_gained", ascending=False, kind="stable").iloc[0]
    if int(best["gpus_gained"]) <= 0:
        return say("One more of anything alone starts nothing; the table says why.")
    return say(
        "Worth most: one {name} starts gangs of {gpus} more.",
        name=plain(best["name"]),
        gpus=say.gpus(int(best["gpus_gained"])),
    )


def metrics(document: WhatIf | None, base: Summary | None, say: Words) -> tuple[Metric, ...]:
    """Base and the best scenario; before a comparison the base alone, where it is planned."""
    if document is None:
        return _base_alone(base, say) if base is not None else ()
    figures = document.figures
    found = [
        Metric(say("Base: allocated (GPUs)"), f"{figures.get('gpus_after', 0):,}"),
        Metric(say("Base: start (gangs)"), f"{figures.get('gangs_started', 0):,}"),
    ]
    planned = [one for one in document.scenarios if not one.error]
    if planned:
        best = max(planned, key=lambda one: _value(one, "gpus_after"))
        gangs = {gang.full_name for one in planned for gang in one.gangs}
        found += [
            Metric(
                say("Most allocated (GPUs)"),
                f"{_value(best, 'gpus_after'):,}",
                f"{_change(best, 'gpus_after')}, {best.name}",
            ),
            Metric(
                say("Most start (gangs)"),
                f"{max(_value(one, 'gangs_started') for one in planned):,}",
            ),
            Metric(say("Differ (gangs)"), f"{len(gangs):,}", say("in any scenario")),
        ]
    return tuple(found)


def _base_alone(base: Summary, say: Words) -> tuple[Metric, ...]:
    return (
        Metric(say("Base: allocated (GPUs)"), f"{base.gpus_after:,}"),
        Metric(say("Base: start (gangs)"), f"{base.gangs_started:,}"),
        Metric(say("Base: wait (gangs)"), f"{base.gangs_waiting:,}"),
    )


def _counted(say: Words, count: int) -> str:
    return say.counted(count, "{count} scenario", "{count} scenarios")


def _value(outcome: ScenarioOutcome, key: str) -> int:
    found = outcome.figure(key)
    return found.value if found is not None else 0


def _change(outcome: ScenarioOutcome, key: str) -> str:
    found = outcome.figure(key)
    if found is None:
        return "0"
    return f"{'≈ ' if found.undecided else ''}{found.change:+,}" if found.change else "±0"
