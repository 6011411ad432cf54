"""When a difference is decided, and when the gaps forbid to say so."""

from __future__ import annotations

import pytest

from models.plan import Certificate, GangEntry, PlanResult, Summary, Tier
from planner.report.whatif.document import Verdict
from planner.report.whatif.outcome import gang_fates, scenario_outcome
from planner.report.whatif.verdict import figure_deltas, verdict

Ends = tuple[int, int | None]


def _plan(*tiers: Ends, gpus: int = 10, rank: int = 1) -> PlanResult:
    names = ("covered.1.shortfall", "covered.1.gpus", "covered.1.gangs")
    gang = GangEntry(
        namespace="ml", name="g", decision="start", startable=True, tier_class="covered", rank=rank
    )
    return PlanResult(
        summary=Summary(gpus_after=gpus, gangs_started=1),
        certificate=Certificate(
            tiers=tuple(
                Tier(
                    name=name,
                    sense="min" if name.endswith("shortfall") else "max",
                    unit="points" if name.endswith("shortfall") else "GPU",
                    value=value,
                    bound=bound,
                )
                for name, (value, bound) in zip(names, tiers, strict=False)
            )
        ),
        gangs=(gang,),
    )


def _judge(base: PlanResult, plan: PlanResult) -> Verdict:
    return verdict(base, plan, figure_deltas(base, plan))


@pytest.mark.parametrize(
    ("base", "plan", "judgement", "tier"),
    [
        (((5, 5), (8, 8)), ((5, 5), (8, 8)), "same", ""),
        (((5, 5), (8, 8)), ((5, 5), (9, 9)), "better", "covered.1.gpus"),
        (((5, 5), (8, 8)), ((5, 5), (7, 7)), "worse", "covered.1.gpus"),
        (((5, 5), (8, 8)), ((4, 3), (1, 1)), "better", "covered.1.shortfall"),
        (((5, 5), (8, 8)), ((7, 6), (9, 9)), "worse", "covered.1.shortfall"),
        (((5, 5), (8, 8)), ((5, 4), (9, 9)), "undecided", "covered.1.shortfall"),
        (((5, 5), (8, 9)), ((5, 5), (9, 9)), "undecided", "covered.1.gpus"),
        (((5, 5), (8, 8)), ((5, 5), (8, 9)), "undecided", "covered.1.gpus"),
        (((5, 5), (8, 8)), ((5, 5), (9, None)), "undecided", "covered.1.gpus"),
        (((5, 5), (8, 9)), ((5, 5), (10, 12)), "better", "covered.1.gpus"),
    ],
)
def test_the_first_tier_that_differs_decides_unless_gaps_overlap(
    base: tuple[Ends, ...], plan: tuple[Ends, ...], judgement: str, tier: str
) -> None:
    found = _judge(_plan(*base), _plan(*plan))
    assert (found.judgement, found.by, found.tier) == (judgement, "tiers", tier)
    assert found.message


def test_where_gangs_stand_elsewhere_the_figures_decide() -> None:
    one, other = _plan((5, 5), (8, 8)), _plan((5, 5), (8, 8), gpus=18, rank=2)
    found = _judge(one, other)
    assert (found.judgement, found.by, found.tier) == ("better", "figures", "gpus_after")
    within = _judge(one, _plan((5, 5), (8, 16), gpus=18, rank=2))
    assert within.judgement == "undecided"
    assert "gaps of 8 GPUs" in within.message


def test_a_figure_is_undecided_within_the_largest_gaps_of_both_plans() -> None:
    base, plan = _plan((5, 5), (8, 10), gpus=8), _plan((5, 5), (11, 12), gpus=11)
    figure = next(one for one in figure_deltas(base, plan) if one.key == "gpus_after")
    assert (figure.change, figure.slack, figure.undecided) == (3, 3, True)
    further = _plan((5, 5), (12, 13), gpus=12)
    figure = next(one for one in figure_deltas(base, further) if one.key == "gpus_after")
    assert not figure.undecided


@pytest.mark.parametrize(
    ("before", "after", "fate"),
    [
        ("wait", "start", "starts"),
        ("start", "wait", "delayed"),
        ("keep", "evict", "evicted"),
        ("evict", "keep", "spared"),
        ("keep", "start", "starts anew"),
        ("grow", "wait", "stopped"),
        (None, "start", "new, starts"),
        (None, "wait", "new, waits"),
        ("start", None, "removed"),
        ("wait", "wait", None),
        ("keep", "grow", None),
        (None, "keep", None),
    ],
)
def test_fates(before: str | None, after: str | None, fate: str | None) -> None:
    def plan(decision: str | None) -> PlanResult:
        gangs = (
            ()
            if decision is None
            else (GangEntry(namespace="ml", name="g", decision=decision, gpus=4),)  # type: ignore[arg-type]
        )
        return PlanResult(gangs=gangs)

    found = [one.fate for one in gang_fates(plan(before), plan(after))]
    assert found == ([] if fate is None else [fate])


def test_the_sentence_counts_in_words() -> None:
    outcome = scenario_outcome(
        _plan((5, 5), (8, 8)), _plan((5, 5), (9, 9), gpus=11), name="s", scenario={}, edits=("e",)
    )
    assert outcome.sentence == (
        "no gang fares differently; 11 GPUs allocated (+1). Better in GPUs of the gangs that start "
        "(covered gangs, rank 1): 9 against 8 GPUs."
    )
