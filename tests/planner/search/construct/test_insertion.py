"""Gangs put into an earlier plan: who stays, who makes way, and what is left of elastic pods."""

from __future__ import annotations

from collections.abc import Sequence

from models.effective import resolve_policy
from models.policy import Policy
from models.snapshot import Snapshot
from planner.encode.eligibility import standings
from planner.encode.prepared import prepare
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.elastic import put_back, without_elastic
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.search.construct.fill import room_after
from planner.search.construct.insertion import Newcomers
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work


class _World:
    def __init__(self, snapshot: Snapshot) -> None:
        prepared = prepare(snapshot, resolve_policy(snapshot, Policy()), exact_least)
        self.problem: PlacementProblem = prepared.problem
        names = [self.problem.gang_names[one.gang] for one in self.problem.demands]
        self.demand = {name.split("/")[1]: index for index, name in enumerate(names)}
        waiting = [index for index, one in enumerate(self.problem.demands) if not one.ready]
        found = gang_classes(self.problem, standings(prepared, waiting))
        self.classes: tuple[GangClass, ...] = tuple(
            sorted(found, key=lambda one: (one.tier_class == "rest", one.rank))
        )

    def plan(self, **on: dict[str, int]) -> Assignment:
        node = {name: index for index, name in enumerate(self.problem.node_names)}
        return Assignment(
            {
                self.demand[gang]: {0: [(node[name], count) for name, count in places.items()]}
                for gang, places in on.items()
            }
        )

    def put(
        self,
        earlier: Assignment,
        *gangs: str,
        guide: dict[str, float] | None = None,
        clearing: Sequence[str] = (),
        at_last: Assignment | None = None,
    ) -> dict[str, set[str]]:
        newcomers = Newcomers(
            self.problem,
            self.classes,
            earlier,
            earlier,
            guide={self.demand[gang]: share for gang, share in (guide or {}).items()} or None,
            clearing=[self.demand[gang] for gang in clearing],
            at_last=None if at_last is None else at_last.pods,
        )
        return self.nodes(newcomers.put([self.demand[gang] for gang in gangs]))

    def nodes(self, plan: Assignment) -> dict[str, set[str]]:
        names = {index: name for name, index in self.demand.items()}
        return {
            names[d]: {self.problem.node_names[n] for spots in items.values() for n, _ in spots}
            for d, items in plan.pods.items()
        }


def _world(
    *more: object, nodes: int = 3, deserved: int = 48, capability: int | None = None
) -> _World:
    return _World(
        snapshot_of(
            *(gpu_node(f"n-{number}") for number in range(nodes)),
            gpu_queue("q", deserved=deserved, capability=capability),
            *more,  # type: ignore[arg-type]
        )
    )


def test_a_newcomer_takes_free_room_and_moves_nobody() -> None:
    world = _world(work("old", 1, 8, created=1), work("new", 1, 8, created=2))
    assert world.put(world.plan(old={"n-1": 1}), "new")["old"] == {"n-1"}
    assert world.put(world.plan(old={"n-1": 1}), "new")["new"] <= {"n-0", "n-2"}


def test_the_last_rank_makes_way_and_looks_for_another_place() -> None:
    world = _world(
        work("first", 2, 8, created=9, priority=9),
        work("middle", 1, 8, created=1, priority=5),
        work("last", 1, 8, created=2),
    )
    found = world.put(world.plan(middle={"n-0": 1}, last={"n-1": 1}), "first")
    assert found == {"middle": {"n-0"}, "first": {"n-1", "n-2"}}
    roomy = _world(
        work("first", 1, 8, created=9, priority=9, nodes=()),
        work("last", 2, 4, created=2),
        nodes=2,
    )
    found = roomy.put(roomy.plan(last={"n-0": 1, "n-1": 1}), "first")
    assert found["first"] | found["last"] == {"n-0", "n-1"}
    assert len(found["last"]) == 1


def test_an_earlier_rank_never_makes_way() -> None:
    world = _world(work("first", 3, 8, created=1, priority=9), work("late", 1, 8, created=2))
    earlier = world.plan(first={"n-0": 1, "n-1": 1, "n-2": 1})
    assert world.put(earlier, "late") == {"first": {"n-0", "n-1", "n-2"}}


def test_queues_make_way_as_nodes_do() -> None:
    world = _world(
        work("first", 1, 8, created=9, priority=9),
        work("last", 1, 8, created=2),
        deserved=8,
        capability=8,
    )
    assert set(world.put(world.plan(last={"n-0": 1}), "first")) == {"first"}


def test_a_guide_prefers_gangs_of_the_same_rank() -> None:
    world = _world(
        work("wide", 3, 8, created=1),
        work("small", 1, 8, created=2),
        gpu_queue("other"),
        work("busy", 1, 8, queue="other", nodes=("n-3",)),
        nodes=4,
        deserved=32,
    )
    earlier = world.plan(small={"n-0": 1})
    assert set(world.put(earlier, "wide")) == {"small"}
    assert set(world.put(earlier, "wide", guide={"wide": 1.0, "small": 0.0})) == {"wide"}


def test_elastic_pods_go_first_and_come_back_to_their_nodes() -> None:
    world = _world(work("grown", 4, 4, minimum=2, created=1))
    earlier = world.plan(grown={"n-0": 1, "n-1": 2, "n-2": 1})
    bare = without_elastic(world.problem, earlier)
    counts = [n for spots in bare.pods[world.demand["grown"]].values() for _, n in spots]
    assert sum(counts) == 2
    assert sum(n for _, n in earlier.pods[world.demand["grown"]][0]) == 4
    put_back(world.problem, bare, earlier, room_after(world.problem, bare))
    nodes: dict[int, int] = {}
    for node, count in bare.pods[world.demand["grown"]][0]:
        nodes[node] = nodes.get(node, 0) + count
    assert nodes == dict(earlier.pods[world.demand["grown"]][0])


def test_nodes_are_cleared_for_a_gang_whose_rank_moves_elsewhere() -> None:
    """Two halves on two nodes come together where a whole node is wanted; without that there is no place for it."""
    world = _world(
        work("whole", 1, 8, created=9),
        work("half", 1, 4, created=1),
        work("other", 1, 4, created=2),
        work("low", 1, 4, created=3, priority=-5),
        nodes=2,
        deserved=48,
    )
    earlier = world.plan(half={"n-0": 1}, other={"n-1": 1}, low={"n-1": 1})
    assert "whole" not in world.put(earlier, "whole")
    found = world.put(earlier, "whole", clearing=["whole"])
    assert found["half"] == found["other"] != found["whole"]
    assert "low" not in found  # its rank makes way
    assert earlier.pods == world.plan(half={"n-0": 1}, other={"n-1": 1}, low={"n-1": 1}).pods


def test_nobody_moves_where_clearing_does_not_help() -> None:
    world = _world(
        work("whole", 2, 8, created=9),
        work("half", 1, 4, created=1),
        work("other", 1, 8, created=2),
        nodes=2,
    )
    earlier = world.plan(half={"n-0": 1}, other={"n-1": 1})
    assert world.put(earlier, "whole", clearing=["whole"]) == world.nodes(earlier)


def test_places_of_a_search_are_taken_at_last_and_who_is_there_goes() -> None:
    """Two gangs are in each other's way on four nodes; the places of the search hold both, and a third gang waits."""
    world = _world(
        work("first", 2, 8, created=1),
        work("second", 1, 8, created=2),
        work("third", 2, 8, created=3),
        nodes=3,
    )
    earlier = world.plan(first={"n-0": 1, "n-1": 1}, second={"n-2": 1})
    places = world.plan(third={"n-1": 1, "n-2": 1}, second={"n-0": 1})
    assert "third" not in world.put(earlier, "third")
    found = world.put(earlier, "third", at_last=places)
    assert found == {"third": {"n-1", "n-2"}, "second": {"n-0"}}
