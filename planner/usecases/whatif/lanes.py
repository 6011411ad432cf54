"""The points of a grid in lanes along one key, so that what was planned of a lane helps with the rest of it.

The ends of a lane are planned first, then the middles of what is left. Between a tighter and a looser point that are
worth the same there is nothing to search: the plan of one is possible, the bound of the other holds
(:mod:`planner.search.stages.reoptimise.restriction` decides whether it does).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from models.edits.sweep import Point, Sweep
from planner.search.stages.reoptimise.warm_start import WarmStart

MOST_IN_LANE = 16
"""Points that one worker plans one after the other; their plans are held in memory meanwhile."""
_NO_MEASURE = (".weight", ".deserved.", ".priority", ".parent", ".reclaimable", ".state")
"""Fields of which neither direction only takes away."""


@dataclass(frozen=True, slots=True)
class PointJob:
    """One point: its number in the grid, its lane, and where on the lane it is."""

    number: int
    point: Point
    lane: str
    place: int


def point_jobs(sweep: Sweep) -> Iterator[PointJob]:
    """All points, lane after lane, each from its ends inwards."""
    axis = lane_axis(sweep)
    lanes: dict[tuple[int, int], list[tuple[int, Point, int]]] = {}
    below = 1
    for _, values in sweep.grid[axis + 1 :]:
        below *= len(values)
    size = len(sweep.grid[axis][1])
    for number, point in enumerate(sweep.points()):
        place = number // below % size
        line = number - place * below
        lanes.setdefault((line, place // MOST_IN_LANE), []).append((number, point, place))
    for (line, part), points in lanes.items():
        for turn in inwards(len(points)):
            number, point, place = points[turn]
            yield PointJob(number, point, f"{line}/{part}", place)


def lane_axis(sweep: Sweep) -> int:
    """The key along which plans help each other most: one that adds or takes away step by step, the longest."""

    def use(axis: int) -> tuple[bool, int, int]:
        key, values = sweep.grid[axis]
        gradual = not any(one in key for one in _NO_MEASURE) and not key.startswith("policy.")
        return gradual, len(values), axis

    return max(range(len(sweep.grid)), key=use)


def inwards(size: int) -> list[int]:
    """The last place, the first, then the middles of what is between places: 4, 0, 2, 1, 3."""
    found = [place for place in (size - 1, 0) if place >= 0]
    gaps = [(0, size - 1)]
    for low, high in gaps:
        if high - low > 1:
            middle = (low + high) // 2
            found.append(middle)
            gaps += [(low, middle), (middle, high)]
    return list(dict.fromkeys(found))


@dataclass
class LaneMemory:
    """Plans of the lane that a worker is at, by place."""

    lane: str = ""
    plans: dict[int, WarmStart] = field(default_factory=dict)

    def beside(self, job: PointJob) -> tuple[WarmStart, ...]:
        """The nearest plan on either side; another lane begins with none."""
        if job.lane != self.lane:
            self.lane, self.plans = job.lane, {}
        lower = max((place for place in self.plans if place < job.place), default=None)
        upper = min((place for place in self.plans if place > job.place), default=None)
        return tuple(self.plans[place] for place in (lower, upper) if place is not None)

    def keep(self, job: PointJob, plan: WarmStart | None) -> None:
        """Remember the plan of a point of this lane."""
        if plan is not None:
            self.plans[job.place] = plan
