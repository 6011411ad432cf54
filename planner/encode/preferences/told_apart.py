"""The problem whose shapes tell wishes apart; demands and items keep their places, so plans of both are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from planner.encode.reshaped import reshaped
from planner.problem.placement import PlacementProblem
from planner.problem.wishes import Wishes
from planner.reduce.disaggregate import Assignment


def told_apart(
    problem: PlacementProblem, wishes: Wishes, same: Mapping[int, int] | None = None
) -> PlacementProblem:
    """Every pair of shape and wish that a demand has is a shape of its own; the first ones keep their numbers.

    ``same`` says which wish stands for which, 0 where it prefers nothing here.
    """

    def stands(wish: int) -> int:
        return wish if same is None else same.get(wish, 0)

    number: dict[tuple[int, int], int] = {}
    old: list[int] = list(range(len(problem.requests)))
    wish_of: list[int] = [0] * len(old)
    taken: set[int] = set()
    for demand in problem.demands:
        for item in demand.items:
            wish = stands(item.wish)
            key = (item.shape, wish)
            if key in number:
                continue
            if item.shape not in taken:
                taken.add(item.shape)
                number[key] = item.shape
            else:
                number[key] = len(old)
                old.append(item.shape)
                wish_of.append(0)
            wish_of[number[key]] = wish
    demands = tuple(
        replace(
            demand,
            items=tuple(
                replace(item, shape=number[item.shape, stands(item.wish)]) for item in demand.items
            ),
        )
        for demand in problem.demands
    )
    return replace(reshaped(problem, old), demands=demands, wishes=wishes, wish_of=tuple(wish_of))


def wished(problem: PlacementProblem, assignment: Assignment) -> Iterator[tuple[int, int, int]]:
    """(wish, node, pods) of a plan."""
    for demand, items in assignment.pods.items():
        for item, spots in items.items():
            wish = problem.demands[demand].items[item].wish
            for node, count in spots:
                yield wish, node, count
