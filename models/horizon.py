"""The time grid of a schedule: buckets fine near and coarse far, in whole seconds since the epoch.

Durations on the grid are differences of epoch seconds, so a day on which clocks change is 23 or 25 hours long and no
bucket is counted twice. Edges lie on the local clock (07:00, 07:15 …), whatever the offset of the day is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from models.moments import utc_offset_s

MINUTE, HOUR, DAY = 60, 3600, 86_400
FINE_TO_COARSE = ((HOUR, 5 * MINUTE), (6 * HOUR, 15 * MINUTE), (36 * HOUR, 30 * MINUTE))
"""(seconds from now, length of a bucket until then); beyond the last one buckets last an hour."""
COARSEST = HOUR


@dataclass(frozen=True)
class Horizon:
    """Buckets ``[edges[i], edges[i + 1])`` from now on; ``timezone`` (IANA name) is for display and daily windows."""

    edges: tuple[int, ...]
    timezone: str = "UTC"

    @property
    def start(self) -> int:
        """Now, in seconds since the epoch."""
        return self.edges[0]

    @property
    def end(self) -> int:
        """End of the last bucket."""
        return self.edges[-1]

    @property
    def count(self) -> int:
        """Number of buckets."""
        return len(self.edges) - 1

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Seconds of each bucket."""
        return tuple(b - a for a, b in zip(self.edges, self.edges[1:], strict=False))

    def bucket_at(self, second: int) -> int:
        """Index of the bucket that holds a moment; -1 before the first, ``count`` at or after the end."""
        if second < self.start:
            return -1
        return min(bisect_right(self.edges, second) - 1, self.count)

    def first_from(self, second: int) -> int:
        """Index of the first bucket that starts at or after a moment; ``count`` where none does."""
        return min(bisect_left(self.edges, second), self.count)

    def end_bucket(self, second: int) -> int:
        """Buckets before this index cover ``[start, second)``: what ends at a moment holds them; at most ``count``."""
        return min(bisect_left(self.edges, second), self.count)

    def overlapping(self, start: int, end: int) -> range:
        """Indices of the buckets that share a second with ``[start, end)``."""
        if end <= max(start, self.start) or start >= self.end:
            return range(0)
        return range(max(self.bucket_at(start), 0), self.end_bucket(end))


def bucket_grid(
    now: int,
    horizon_s: int,
    *,
    bucket_s: int | None = None,
    timezone: str = "UTC",
    cuts: Iterable[int] = (),
) -> Horizon:
    """Buckets from now over a horizon.

    Parameters
    ----------
    bucket_s
        Length of all buckets; None takes :data:`FINE_TO_COARSE`.
    cuts
        Moments that become edges as well (ends of windows, maintenance), so that nothing is lost to rounding.
    """
    end = now + horizon_s
    edges = {now, end, *(cut for cut in cuts if now < cut < end)}
    place = now
    while place < end:
        length = bucket_s or _length_at(place - now)
        following = _next_on_clock(place, length, timezone)
        # A first sliver would only cost rounding: it joins the bucket after it.
        if place == now and following - now < length // 2:
            following = _next_on_clock(following, length, timezone)
        place = following
        if place < end:
            edges.add(place)
    return Horizon(tuple(sorted(edges)), timezone)


def _length_at(ahead: int) -> int:
    return next((length for until, length in FINE_TO_COARSE if ahead < until), COARSEST)


def _next_on_clock(second: int, length: int, timezone: str) -> int:
    """First moment after this one at which the local clock shows a multiple of the length."""
    local = second + utc_offset_s(second, timezone)
    found = second + length - local % length
    shifted = (found + utc_offset_s(found, timezone)) % length
    # Clocks changed in between: the edge follows the clock that holds after the change.
    return found - shifted if shifted and found - shifted > second else found
