"""Policy of loans: what online services need by the clock, and how careful loans of their GPUs are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from models.windows import parse_window

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _window(text: str) -> str:
    if parse_window(text) is None:
        raise ValueError("not a window such as 08:00-20:00 or 22:00-06:00")
    return text


def _share(value: Any) -> Any:
    """A share of 1, also as ``95%``."""
    if isinstance(value, str) and value.strip().endswith("%"):
        try:
            return float(value.strip()[:-1]) / 100
        except ValueError:
            return value
    return value


Level = Annotated[float, BeforeValidator(_share), Field(ge=0.5, lt=1, allow_inf_nan=False)]


class DemandWindow(BaseModel):
    """GPUs needed in a window of some days; a window across midnight belongs to the day on which it begins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    window: Annotated[str, AfterValidator(_window)]
    days: tuple[Weekday, ...] = WEEKDAYS
    gpus: int = Field(ge=0)


class DemandProfile(BaseModel):
    """GPUs needed by the clock of the policy's time zone: ``gpus``, in windows the most that one of them asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gpus: int = Field(ge=0)
    windows: tuple[DemandWindow, ...] = ()


class LendingPolicy(BaseModel):
    """How careful loans are.

    Attributes
    ----------
    service_level
        Share of the time in which demand is met without taking a loan back.
    surge_level
        Share of the time in which demand is met within the deadline, loans taken back; limits loans to pods that
        leave too slowly for it. The higher of both levels counts.
    shortage_cost, idle_cost
        Of a GPU-hour, in any currency; together they replace ``service_level`` by shortage / (shortage + idle).
    deadline_seconds
        Within which lent GPUs must be back when demand exceeds the forecast.
    forecast
        ``seasonal`` (built in) or ``statsmodels`` (extra ``forecast``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    service_level: Level = 0.95
    surge_level: Level = 0.99
    shortage_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    idle_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    deadline_seconds: int = Field(default=30, ge=0)
    forecast: Literal["seasonal", "statsmodels"] = "seasonal"

    @model_validator(mode="after")
    def _both_costs(self) -> LendingPolicy:
        if (self.shortage_cost is None) != (self.idle_cost is None):
            raise ValueError("give shortage_cost and idle_cost together, or neither")
        if (self.idle_cost or 0) > (self.shortage_cost or 0):
            raise ValueError("an idle GPU costs more than a missing one; exchange the costs")
        return self
