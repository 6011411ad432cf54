"""What a long search tells while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """One message of a running plan.

    Attributes
    ----------
    stage
        ``read``, ``prepare``, ``build``, ``solve``, ``place``, ``verify``, ``explain`` or ``report``.
    tier
        Name of the objective tier being solved, "" outside the search.
    value, bound
        Incumbent and proved bound in the tier's unit; None where unknown.
    gap
        ``|bound - value| / max(1, |value|)``, None where a part is unknown.
    elapsed_s
        Seconds since the plan was asked for.
    """

    stage: str
    elapsed_s: float
    tier: str = ""
    value: int | None = None
    bound: int | None = None
    gap: float | None = None
    message: str = ""


ProgressSink = Callable[[Progress], None]
