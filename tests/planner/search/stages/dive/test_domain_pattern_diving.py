"""Ways of a relaxation become gangs on nodes one after another, and the relaxation proves afterwards what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from planner.model.build import BuiltModel, build
from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.reduce import partition as cells
from planner.reduce.domain_of_gang import keeps_topology
from planner.reduce.node_groups import Grouping
from planner.search import placement_search
from planner.search.construct.place_in_domains import Settler
from planner.search.outcome import SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.stages.dive.domain_pattern_diving import whole_ways
from planner.search.stages.dive.topology_diving import shares_of
from planner.search.stages.relax.relax_and_round import VertexStart, vertex_start
from planner.solve.backend import Pin, SolveLimits
from planner.solve.generated import GeneratedBounds
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def _relaxed(*works: Work) -> tuple[BuiltModel, VertexStart]:
    """The model that counts over two leaves of two whole nodes, and its relaxation."""
    nodes = [gpu_node(f"{name}{number}") for name in "ab" for number in range(2)]
    leaves = [leaf(name, f"{name}0", f"{name}1") for name in "ab"]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *works))
    problem = replace(prepared.problem, counts_domains=True)
    built = build(problem, classes_of(prepared), Grouping(problem).uniform())
    start = vertex_start(built, SolveLimits(seconds=20.0), lambda: False)
    assert start is not None
    return built, start


def _dive(built: BuiltModel, start: VertexStart) -> tuple[Settler, tuple[float, ...]]:
    inside = start.inside
    assert inside is not None
    settler = Settler(built.form.problem, shares_of(built, start.values))
    given = (settler, built, inside.source, inside.goals, inside.relaxation)
    found = whole_ways(*given, seconds=20.0, stopped=lambda: False)
    assert found is not None
    return settler, found


def test_gangs_whose_ways_name_the_same_nodes_all_find_some() -> None:
    """Every cheapest way begins with the first node of a leaf; four gangs of twelve GPUs and less fill both leaves."""
    gangs = [together(work(f"four{number}", 3, 4)) for number in range(2)]
    gangs += [together(work(f"two{number}", 2, 2)) for number in range(2)]
    built, start = _relaxed(*gangs)
    settler, values = _dive(built, start)
    assert len(settler.found.pods) == 4
    assert keeps_topology(built.form.problem, settler.found)
    assert (settler.room.free >= 0).all()
    starts = [c for c in built.form.variables.starts if c is not None]
    assert sum(values[column] for column in starts) == 4


def test_what_the_relaxation_has_in_parts_is_decided() -> None:
    """Nine pods of four GPUs have eight places: no leaf holds the three gangs of three, two of them are in whole."""
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(3)]
    built, start = _relaxed(*gangs, work("one", 1, 4, priority=1))
    settler, values = _dive(built, start)
    assert len(settler.found.pods) == 2
    assert keeps_topology(built.form.problem, settler.found)
    starts = [c for c in built.form.variables.starts if c is not None]
    assert sum(values[column] for column in starts) == 3


def test_gangs_of_small_pods_are_left_for_what_large_ones_leave() -> None:
    built, start = _relaxed(together(work("large", 2, 4)), together(work("small", 3, 1)))
    settler, values = _dive(built, start)
    assert len(settler.found.pods) == 1
    starts = [c for c in built.form.variables.starts if c is not None]
    assert sum(values[column] for column in starts) == 2


def test_afterwards_the_relaxation_proves_what_it_did_before() -> None:
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(3)]
    built, start = _relaxed(*gangs, work("one", 1, 4, priority=1))
    _dive(built, start)
    chain = start.chain
    for place, step in enumerate(chain.steps):
        pins = [Pin(before.goal, before.pin) for before in chain.steps[:place]]
        assert chain.again(step.goal, pins, seconds=20.0) == step.bound, step.goal.name


def test_ways_that_take_too_long_for_late_tiers_are_followed_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the tiers before were solved with is no worse; without it every gang would look for a leaf anew."""
    bound = GeneratedBounds.bound

    gangs = [together(work(f"four{number}", 3, 4)) for number in range(2)]
    gangs += [together(work(f"two{number}", 2, 2, priority=1)) for number in range(2)]
    known, _ = _relaxed(*gangs)
    last = [goal.name for goal in known.tiers if goal.name.endswith(".gpus")][-1]

    def cut(self: GeneratedBounds, goal: TierGoal, *, seconds: float) -> int | None:
        return None if goal.name == last else bound(self, goal, seconds=seconds)

    monkeypatch.setattr(GeneratedBounds, "bound", cut)
    built, start = _relaxed(*gangs)
    monkeypatch.undo()
    assert not isinstance(start.chain.relaxation, GeneratedBounds)
    settler, values = _dive(built, start)
    assert len(settler.found.pods) == 4
    assert keeps_topology(built.form.problem, settler.found)
    starts = [c for c in built.form.variables.starts if c is not None]
    assert sum(values[column] for column in starts) == 4


def test_a_model_that_cannot_be_searched_may_relax_for_most_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No search follows that could use the rest: half of it ended relaxations of large clusters without a bound."""
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    given: list[float] = []

    def start(
        built: BuiltModel, limits: SolveLimits, stopped: Callable[[], bool], **other: object
    ) -> None:
        assert built.loose
        given.append(limits.seconds)

    monkeypatch.setattr(placement_search, "vertex_start", start)
    nodes = [gpu_node(f"{name}{number}") for name in "ab" for number in range(2)]
    leaves = [leaf(name, f"{name}0", f"{name}1") for name in "ab"]
    gangs = [together(work(f"g{number}", 3, 4)) for number in range(3)]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *gangs))
    settings = SearchSettings(Limits(time_limit_s=600.0, workers=1))
    PlacementSearch(prepared.problem, classes_of(prepared), settings).run()
    assert given[0] > 0.7 * 600.0
