"""Variables of a drill, in words.

Sets: s needs, n nodes, t seconds at which something on the node is released (0 first), v kinds of victims.
Variables: x_snt pods of a need that get room on a node at a second; e_vn, y_a, … evictions (see
:mod:`planner.model.evictions`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.model.evictions import Evictions, create_evictions
from planner.problem.drill import DrillProblem
from planner.problem.linear import LinearModel
from planner.reduce.node_groups import NodeGroup

Terms = list[tuple[int, int]]


@dataclass
class DrillVariables:
    """Columns by meaning; a variable exists only where it can be other than 0.

    Attributes
    ----------
    placed
        (need, node, second) to pods that get room.
    seconds
        Node to the seconds at which its room grows, ascending.
    group_of
        Node to its group of evictions.
    reclaimed
        Kind of compared victims to the sum of its pods that leave.
    late
        Second after the deadline to whether some pod gets room then.
    last
        Column of the last such second, None where there is none.
    """

    evictions: Evictions
    groups: tuple[NodeGroup, ...]
    placed: dict[tuple[int, int, int], int] = field(default_factory=dict)
    seconds: dict[int, tuple[int, ...]] = field(default_factory=dict)
    group_of: dict[int, int] = field(default_factory=dict)
    reclaimed: dict[int, int] = field(default_factory=dict)
    late: dict[int, int] = field(default_factory=dict)
    last: int | None = None

    def back(self, problem: DrillProblem, until: int | None = None) -> Terms:
        """Terms of the GPUs that are back by a second (None: in the end)."""
        return [
            (column, problem.needs[need].gpus)
            for (need, _, second), column in self.placed.items()
            if until is None or second <= until
        ]


def create_drill_variables(model: LinearModel, problem: DrillProblem) -> DrillVariables:
    """Add all variables with their widest bounds."""
    by_node = problem.victims.by_node()
    nodes = sorted({n for need in problem.needs for n in need.nodes} | set(by_node))
    groups = tuple(
        _group(n, tuple((one.kind, len(one.names)) for one in by_node.get(n, ()))) for n in nodes
    )
    evictions = create_evictions(model, problem.victims, groups, ())
    found = DrillVariables(evictions, groups, group_of={n: g for g, n in enumerate(nodes)})
    for number, need in enumerate(problem.needs):
        for node in need.nodes:
            held = groups[found.group_of[node]].victims
            if node not in found.seconds:
                found.seconds[node] = _seconds(problem, node, held)
            for second in found.seconds[node]:
                most = problem.fits(number, problem.free_at(node, second, held))
                if most:
                    column = model.variable(0, min(most, need.pods))
                    found.placed[number, node, second] = column
    return found


def _group(node: int, victims: tuple[tuple[int, int], ...]) -> NodeGroup:
    """One node with its victims; the rows of a drill bring their own room."""
    return NodeGroup(
        nodes=(node,),
        room=(),
        fits=(),
        largest=(),
        gpus=0,
        has_gpu_pods=False,
        uniform=True,
        victims=victims,
    )


def _seconds(
    problem: DrillProblem, node: int, held: tuple[tuple[int, int], ...]
) -> tuple[int, ...]:
    asked = {d for need in problem.needs for d, amount in enumerate(need.request) if amount}
    kinds = [problem.victims.kinds[kind] for kind, _ in held]
    found = {0} | {one.seconds for one in kinds if any(one.vector[d] for d in asked)}
    return tuple(sorted(found | {one.second for one in problem.endings.get(node, ())}))
