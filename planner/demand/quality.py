"""How a forecast was made and judged, as part of a document; shares rounded to six decimals."""

from __future__ import annotations

from models.lending import ForecastJudgement, ForecastMargin, ForecastQuality
from planner.demand.curve import ServiceCurve
from planner.demand.margins import Margin
from planner.demand.score import Score

_DECIMALS = 6
_DAY_S = 86_400


def forecast_quality(curve: ServiceCurve) -> ForecastQuality:
    """Origin, margins and judgements of one service."""
    made = curve.forecast
    if made is None:
        return ForecastQuality(service=curve.service, origin=curve.origin, notes=curve.notes)
    judged = ((made.step, made.judged), (_DAY_S, made.judged_ahead))
    return ForecastQuality(
        service=curve.service,
        origin=curve.origin,
        step_s=made.step,
        margins=tuple(_margin(one, made.step) for one in made.margins),
        surge_margins=tuple(_margin(one, made.step) for one in made.surge_margins),
        judged=tuple(_judgement(score, lead) for lead, score in judged if score is not None),
        notes=curve.notes,
    )


def _margin(margin: Margin, step_s: int) -> ForecastMargin:
    return ForecastMargin(
        lead_s=margin.lead * step_s,
        model=margin.model,
        quantile=round(margin.quantile, _DECIMALS),
        beyond=margin.beyond,
        reached=margin.reached,
        steps=margin.replay.steps,
        short_steps=margin.replay.short,
        lent_share=round(margin.replay.lent_share, _DECIMALS),
    )


def _judgement(score: Score, lead_s: int) -> ForecastJudgement:
    wilson, exact = score.wilson, score.clopper_pearson
    return ForecastJudgement(
        lead_s=lead_s,
        steps=score.steps,
        short_steps=score.short,
        short_low=round(wilson.low, _DECIMALS),
        short_high=round(wilson.high, _DECIMALS),
        exact_low=round(exact.low, _DECIMALS),
        exact_high=round(exact.high, _DECIMALS),
        lent_share=round(score.lent_share, _DECIMALS),
        worst_short_gpus=score.worst_short_gpus,
    )
