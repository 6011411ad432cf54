"""A cluster by hand whose leaves hold fewer gangs than their GPUs say, and what a search makes of it."""

from __future__ import annotations

from planner.problem.limits import Limits
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.testing.by_hand import gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def searched(workers: int) -> Outcome:
    """Leaves of two whole nodes; gangs of three pods of four GPUs, and below them single pods and pairs."""
    nodes = [gpu_node(f"{name}{number}") for name in "abcd" for number in range(2)]
    leaves = [leaf(name, f"{name}0", f"{name}1") for name in "abcd"]
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(4)]
    gangs += [work(f"one{number}", 1, 4, priority=1) for number in range(3)]
    gangs += [together(work(f"pair{number}", 2, 2, priority=1)) for number in range(3)]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *gangs))
    settings = SearchSettings(Limits(time_limit_s=600.0, workers=workers))
    return PlacementSearch(prepared.problem, classes_of(prepared), settings).run()
