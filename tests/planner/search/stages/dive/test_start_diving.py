"""Starts of gangs outside domains become whole in the relaxation that ways were followed in."""

from __future__ import annotations

from dataclasses import replace

from planner.model.build import BuiltModel, build
from planner.reduce.node_groups import Grouping
from planner.search.construct.place_in_domains import Settler
from planner.search.stages.dive.domain_pattern_diving import whole_ways
from planner.search.stages.dive.start_diving import other_starts
from planner.search.stages.dive.topology_diving import shares_of
from planner.search.stages.relax.relax_and_round import VertexStart, vertex_start
from planner.solve.backend import Pin, SolveLimits
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


def _decided(built: BuiltModel, start: VertexStart, *spread: str) -> dict[str, float]:
    """Gang to how much of it is started; gangs in ``spread`` have a pod on each node of a leaf before."""
    inside, problem = start.inside, built.form.problem
    assert inside is not None
    settler = Settler(problem, shares_of(built, start.values))
    names = {problem.gang_names[d.gang]: i for i, d in enumerate(problem.demands)}

    def then(found: tuple[float, ...]) -> tuple[float, ...] | None:
        for name in spread:
            number = (problem.demands[names[f"ml/{name}"]].choices or ())[0]
            spots = [(int(node), 1) for node in problem.topology.arrays(number)]
            assert settler.on_nodes(names[f"ml/{name}"], number, spots)
        given = (settler, built, inside.source, inside.relaxation)
        return other_starts(*given, seconds=20.0, stopped=lambda: False)

    given = (settler, built, inside.source, inside.goals, inside.relaxation)
    values = whole_ways(*given, seconds=20.0, stopped=lambda: False, then=then)
    assert values is not None
    starts = zip(built.form.classes, built.form.variables.starts, strict=True)
    return {
        problem.gang_names[problem.demands[one.demands[0]].gang].removeprefix("ml/"): values[column]
        for one, column in starts
        if column is not None
    }


def test_gangs_started_in_part_are_started_or_left_out() -> None:
    """Beside the pair of halves there are three nodes, of which two of three gangs would take one and a half each."""
    works = [together(work("pair", 2, 4)), *(work(f"w{number}", 2, 8) for number in range(3))]
    built, start = _relaxed(*works)
    assert _decided(built, start) == {"pair": 1, "w0": 1}


def test_nodes_count_as_what_they_still_hold() -> None:
    """Two pods of one GPU on two nodes leave two whole ones, though three times eight GPUs are free."""
    works = [together(work("small", 2, 1)), *(work(f"w{number}", 1, 8) for number in range(3))]
    built, start = _relaxed(*works)
    assert _decided(built, start, "small")["w0"] == 2  # the class of all three


def test_afterwards_the_relaxation_proves_what_it_did_before() -> None:
    works = [together(work("small", 2, 1)), *(work(f"w{number}", 1, 8) for number in range(3))]
    built, start = _relaxed(*works)
    _decided(built, start, "small")
    for place, step in enumerate(start.chain.steps):
        pins = [Pin(before.goal, before.pin) for before in start.chain.steps[:place]]
        assert start.chain.again(step.goal, pins, seconds=20.0) == step.bound, step.goal.name
