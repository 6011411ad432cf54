"""Short ways from a snapshot, or from bare numbers, to what the planner's core works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.effective import EffectivePolicy, resolve_policy
from models.policy import Policy
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import Prepared, prepare
from planner.model.build import BuiltModel, build
from planner.problem.placement import Demand, Item, PlacementProblem
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands


def policy_of(snapshot: Snapshot, **keys: object) -> EffectivePolicy:
    """Effective policy from policy keys; queue model capacity and no evictions unless they say so."""
    values = {"queue_model": "capacity", "evict": (), **keys}
    return resolve_policy(snapshot, Policy.model_validate(values))


def prepared_of(snapshot: Snapshot, **keys: object) -> Prepared:
    """A prepared snapshot under policy keys."""
    return prepare(snapshot, policy_of(snapshot, **keys), exact_least)


def classes_of(prepared: Prepared, *, aggregate: bool = True) -> tuple[GangClass, ...]:
    """Gang classes of everything startable."""
    startable = startable_demands(prepared.problem, exact_fit)
    placed_in = standings(prepared, startable)
    return gang_classes(prepared.problem, placed_in, aggregate=aggregate)


def built_of(
    prepared: Prepared,
    classes: Sequence[GangClass] | None = None,
    groups: Sequence[NodeGroup] | None = None,
) -> BuiltModel:
    """The placement model, over all startable classes and uniform groups unless given."""
    return build(
        prepared.problem,
        classes_of(prepared) if classes is None else classes,
        Grouping(prepared.problem).uniform() if groups is None else groups,
    )


def bare_problem(
    free: Sequence[Sequence[int]],
    requests: Sequence[Sequence[int]],
    demands: Sequence[Demand] | None = None,
    *,
    admits: Sequence[Sequence[bool]] | None = None,
    gpu_dimension: int | None = 0,
    busy: Sequence[bool] | None = None,
    queue_room: dict[int, Sequence[int]] | None = None,
) -> PlacementProblem:
    """A problem of bare numbers: rows of ``free`` are nodes, rows of ``requests`` shapes, the last column pods.

    Without ``demands`` there is one gang per shape that may receive 50 pods.
    """
    room = np.array(free, dtype=np.int64)
    asked = np.array(requests, dtype=np.int64)
    shapes, dimensions = asked.shape
    if demands is None:
        demands = [bare_demand([(shape, 50)], need=1, gang=shape) for shape in range(shapes)]
    demands = [
        one if one.minimum else replace(one, minimum=(*[0] * (dimensions - 1), one.need))
        for one in demands
    ]
    gpus = np.zeros(shapes, dtype=np.int64) if gpu_dimension is None else asked[:, gpu_dimension]
    held = [False] * len(room) if busy is None else list(busy)
    return PlacementProblem(
        dimensions=(*(f"d{i}" for i in range(dimensions - 1)), "pods"),
        node_names=tuple(f"n{i}" for i in range(len(room))),
        free=room,
        requests=asked,
        admits=np.ones((shapes, len(room)), dtype=np.bool_)
        if admits is None
        else np.array(admits, dtype=np.bool_),
        shape_gpus=gpus.copy(),
        node_gpus=np.zeros(len(room), dtype=np.int64)
        if gpu_dimension is None
        else room[:, gpu_dimension].copy(),
        node_has_gpu_pods=np.array(held, dtype=np.bool_),
        gang_names=tuple(f"ml/g{one.gang}" for one in demands),
        gang_order=tuple(("", f"ml/g{i}") for i in range(1 + max(d.gang for d in demands))),
        demands=tuple(demands),
        queue_names=("q",),
        queue_room={
            queue: np.array(amounts, dtype=np.int64)
            for queue, amounts in (queue_room or {0: [-1] * dimensions}).items()
        },
        deserved_milli_gpus={},
        running_gpus={},
    )


def bare_demand(
    items: Sequence[tuple[int, int] | Item],
    *,
    need: int,
    gang: int = 0,
    role_need: Sequence[tuple[str, int]] = (),
    ready: bool = False,
    minimum: Sequence[int] = (),
) -> Demand:
    """A demand in queue 0; items as (shape, count) or in full."""
    return Demand(
        gang=gang,
        items=tuple(one if isinstance(one, Item) else Item("", *one) for one in items),
        ready=ready,
        need=need,
        role_need=tuple(role_need),
        minimum=tuple(minimum),
        queue_chain=(0,),
    )
