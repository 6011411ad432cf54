"""What nodes are worth to pods still to come: of every size as many as a node holds.

A pod of one GPU takes one of the three GPUs beside a pod of four, or the fourth of four, which costs a pod of four:
sums over nodes do not tell one from the other. Counted are the GPUs that pods of each size find on a node, added up
over the sizes (the largest of every doubling), so that pieces for large pods are worth most.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from planner.capacity.counted_room import fit_counts
from planner.problem.placement import IntArray, PlacementProblem

FloatArray = npt.NDArray[np.float64]


class NodeWorth:
    """Worth of nodes under a room that shrinks."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem

    @cached_property
    def sizes(self) -> dict[int, list[int]]:
        """GPUs of a pod to the shapes of that size, without those that fit nowhere that another one does not."""
        gpus = self.problem.shape_gpus
        found: dict[int, list[int]] = {}
        for shape in np.flatnonzero(gpus > 0).tolist():
            found.setdefault(int(gpus[shape]), []).append(shape)
        largest = {(size - 1).bit_length(): size for size in sorted(found)}
        return {size: self._modest(found[size]) for size in largest.values()}

    def _modest(self, shapes: list[int]) -> list[int]:
        """Shapes that no other one requests less than on the same nodes or more; the first of those that are alike."""
        requests, admits = self.problem.requests, self.problem.admits
        kept: list[int] = []
        for shape in sorted(
            shapes, key=lambda s: (int(requests[s].sum()), -int(admits[s].sum()), s)
        ):
            if not any(
                np.all(requests[one] <= requests[shape]) and np.all(admits[one] >= admits[shape])
                for one in kept
            ):
                kept.append(shape)
        return kept

    def losses(self, shape: int, nodes: IntArray, free: IntArray, pods: IntArray) -> FloatArray:
        """``[nodes, pods]`` what each node is worth less once so many pods of a shape are there, in GPUs.

        ``free`` is ``[nodes, dimensions]`` the room of these nodes, ``pods`` how many may go there; more are infinite.
        """
        most = int(pods.max(initial=0))
        found = np.full((nodes.size, most + 1), np.inf)
        before = self._worth(nodes, free)
        for count in range(most + 1):
            able = np.flatnonzero(pods >= count)
            left = free[able] - count * self.problem.requests[shape]
            found[able, count] = before[able] - self._worth(nodes[able], left)
        return found

    def _worth(self, nodes: IntArray, free: IntArray) -> IntArray:
        """``[nodes]`` GPUs that pods of each size find, added up."""
        requests, admits = self.problem.requests, self.problem.admits
        found = np.zeros(nodes.size, dtype=np.int64)
        for size, shapes in self.sizes.items():
            counts = [fit_counts(free, requests[s], admits[s][nodes]) for s in shapes]
            found += size * np.max(counts, axis=0)
        return found
