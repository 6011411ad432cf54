"""Pieces of nodes that gangs inside domains fill with smaller pods: what they tell, and that plans satisfy it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from planner.model.build import BuiltModel, build
from planner.model.filled_nodes import Filled, FilledNodes
from planner.reduce.node_groups import Grouping
from planner.search.stages.relax.relax_and_round import vertex_start
from planner.solve.backend import SolveLimits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def _built(nodes: dict[str, list[int]], *works: Work) -> BuiltModel:
    """The model that counts over domains: leaves with the GPUs of their nodes."""
    names = {name: [f"{name}{i}" for i in range(len(gpus))] for name, gpus in nodes.items()}
    machines = [
        gpu_node(one, have)
        for name, gpus in nodes.items()
        for one, have in zip(names[name], gpus, strict=True)
    ]
    leaves = [leaf(name, *some) for name, some in names.items()]
    prepared = prepared_of(snapshot_of(*machines, *leaves, gpu_queue("q"), *works))
    problem = replace(prepared.problem, counts_domains=True)
    return build(problem, classes_of(prepared), Grouping(problem).uniform())


def test_two_pods_of_a_gang_on_one_node_take_the_room_of_a_larger_one() -> None:
    """Two leaves are a node of six GPUs: two pods of two in one of them leave one node with four GPUs, not two."""
    works = [together(work("twos", 2, 2, priority=9)), work("eight", 1, 8, priority=9)]
    works += [work(f"four{i}", 1, 4) for i in range(2)]
    built = _built({"a": [6], "b": [6], "c": [8]}, *works)
    start = vertex_start(built, SolveLimits(seconds=20.0), lambda: False)
    assert start is not None
    bounds = {step.goal.name.split(".", 1)[1]: step.bound for step in start.chain.steps}
    assert (bounds["1.gpus"], bounds["2.gpus"]) == (12, 4)


def test_every_packing_satisfies_the_rows() -> None:
    """Pods of several gangs and larger ones at random, as many as fit on each node."""
    works = [together(work(f"g{each}", 2, each)) for each in (1, 2, 3)]
    works += [work(f"one{each}", 1, each) for each in (4, 5, 8)]
    sizes = [4, 5, 6, 6, 7, 7, 7, 8, 8]
    built = _built({"a": sizes, "b": sizes}, *works)
    problem, groups = built.form.problem, built.form.groups
    filled = FilledNodes(built, {1, 2, 3})
    gpus_of = {
        column: int(problem.shape_gpus[shape])
        for members in built.form.by_group.values()
        for shape, column in members
    }
    tight = 0
    for seed in range(60):
        rng = Random(seed)
        for g, group in enumerate(groups):
            columns = [column for _, column in built.form.by_group[g] if gpus_of[column] > 3]
            taken: dict[Filled, int] = {}
            for node in group.nodes:
                left = int(problem.free[node, problem.dimensions.index("nvidia.com/gpu")])
                for _ in range(6):
                    if columns and rng.random() < 0.4:
                        column = rng.choice(columns)
                        pods = int(gpus_of[column] <= left)
                        left -= pods * gpus_of[column]
                        for key in filled.rows_of(g):
                            row = filled.row(key)
                            at = dict(zip(row.columns, row.coefficients, strict=True))
                            taken[key] = taken.get(key, 0) + pods * at.get(column, 0)
                    else:
                        each = rng.choice([1, 2, 3])
                        pods = rng.randint(0, left // each)
                        left -= pods * each
                        for key, pieces in filled.entries(each, [(g, pods)]):
                            assert isinstance(key, Filled)
                            taken[key] = taken.get(key, 0) + pieces
            for key, pieces in taken.items():
                assert pieces <= filled.row(key).high
                tight += pieces == filled.row(key).high
    assert tight
