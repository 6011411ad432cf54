"""Demand of online services from a Prometheus: one series per service, and what its values lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from models.demand import ANY_SERVICE, DemandSamples, in_order
from models.prometheus import DemandQuery, PrometheusQuery
from models.readers.demand_rows import DemandRows, input_error
from planner.usecases.inputs.policies import load_yaml

if TYPE_CHECKING:
    from planner.live.prometheus import RangeAnswer, Series

STALE_STEPS = 3
"""A series whose last value is this many steps old has ended."""


def prometheus_demand(
    asked: PrometheusQuery,
    *,
    service: str | None = None,
    ask: Callable[..., RangeAnswer] | None = None,
) -> tuple[DemandSamples, ...]:
    """Demand of all services of a query by name, up to now.

    Parameters
    ----------
    service
        The service that the whole answer is of; it must be one series then.

    Raises
    ------
    InputError
        The server cannot be asked, or series and services do not belong together.
    UsageError
        The extra ``live`` is not installed.
    """
    from planner.live.prometheus import ask_range

    answer = (ask or ask_range)(asked)
    rows = DemandRows(asked.name, "value")
    owners: dict[str, Series] = {}
    negative: dict[str, int] = {}
    for series in answer.series:
        name = service if service is not None else _service_of(asked, series)
        _refuse_second(asked, name, owners.setdefault(name, series), series)
        for number, (moment, value) in enumerate(series.points, 1):
            if value < 0:
                negative[name] = negative.get(name, 0) + 1
                continue
            rows.add(number, moment, name, f"{Decimal(value):.6f}")
    return in_order(
        replace(
            one,
            measured=True,
            notes=tuple(_notes(asked, answer, owners[one.service], negative.get(one.service, 0))),
        )
        for one in rows.finish()
    )


def query_of_file(path: Path, name: str) -> PrometheusQuery:
    """The query in a YAML file with the key ``prometheus``.

    Raises
    ------
    InputError
        No YAML, an unknown key or a bad value.
    """
    try:
        raw = load_yaml(path.read_text(encoding="utf-8-sig"), name)
        return DemandQuery.model_validate(raw).prometheus
    except ValidationError as error:
        detail = error.errors()[0]
        where = ".".join(map(str, detail["loc"]))
        what = f"{where}: {str(detail['msg']).removeprefix('Value error, ')}"
    except (OSError, UnicodeDecodeError) as error:
        what = f"cannot be read: {error}"
    remedy = "write prometheus: {url: …, query: …, step: 5m, range: 56d} (docs/lending.md)"
    raise input_error(name, "demand_query", what, remedy)


def _service_of(asked: PrometheusQuery, series: Series) -> str:
    from planner.live.prometheus import fault

    labels = {name: value for name, value in series.labels.items() if name != "__name__"}
    if asked.service_label is not None:
        if asked.service_label in labels:
            return labels[asked.service_label]
        what = f"a series has no label {asked.service_label!r}, only {_listed(labels)}"
    elif not labels:
        return ANY_SERVICE
    elif "service" in labels or len(labels) == 1:
        return labels.get("service") or next(iter(labels.values()))
    else:
        what = f"the series do not tell their service: their labels are {_listed(labels)}"
    remedy = "write `sum by (LABEL) (…)`, or name the label with service_label"
    raise fault(asked, "prometheus_labels", what, remedy)


def _refuse_second(asked: PrometheusQuery, name: str, first: Series, series: Series) -> None:
    from planner.live.prometheus import fault

    if first is series:
        return
    differing = [key for key, value in series.labels.items() if first.labels.get(key) != value]
    who = f"service {name}" if name else "the demand"
    what = f"several series are of {who}; they differ in {_listed(differing)}"
    raise fault(asked, "prometheus_labels", what, "write `sum by (LABEL) (…)` around the query")


def _listed(names: Sequence[str] | dict[str, str]) -> str:
    return ", ".join(list(names)[:6]) or "nothing"


def _notes(asked: PrometheusQuery, answer: RangeAnswer, series: Series, negative: int) -> list[str]:
    """What the values of a series lack, one sentence each."""
    moments = [moment for moment, _ in series.points]
    inside = (moments[-1] - moments[0]) // asked.step + 1 - len(moments) if moments else 0
    found = [f"Prometheus answers in part: {one}" for one in answer.warnings]
    if inside:
        found.append(
            f"{inside:,} of {len(moments) + inside:,} values are missing between the first and the last; "
            "gaps above an hour or twelve steps count as unknown."
        )
    if moments and moments[0] - answer.start > STALE_STEPS * asked.step:
        days = (answer.end - moments[0]) / 86_400
        found.append(
            f"The series is {days:.1f} days old, {(answer.end - answer.start) / 86_400:.1f} were asked for."
        )
    if moments and answer.end - moments[-1] > STALE_STEPS * asked.step:
        minutes = (answer.end - moments[-1]) // 60
        found.append(f"The series ended {minutes:,} minutes before it was read.")
    if series.resets:
        found.append(f"The counter began anew {series.resets:,} times; increases were counted on.")
    if series.unusable or negative:
        found.append(
            f"{series.unusable + negative:,} values are infinite or negative and were left out."
        )
    return found
