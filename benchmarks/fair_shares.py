"""Measure the division of one resource among many queues, in closed form and as a sequence of linear programs.

Usage: ``python benchmarks/fair_shares.py [--queues 10000] [--programs 200]``. The queues hang in three levels with
weights, guarantees, limits and demands; everything is in memory. Times are the best of five, claims already made.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from planner.shares.closed_form import tree_shares
from planner.shares.joint import joint_shares
from planner.shares.tree import ShareClaim, ShareTree, share_tree

GPU = "nvidia.com/gpu"
REPEATS = 5


def make_tree(queues: int, *, seed: int = 1) -> ShareTree:
    """Three levels: about a thousandth and a twentieth of the queues are inner ones; demand triples the total."""
    rng = random.Random(seed)
    tops, middles = max(queues // 1000, 2), max(queues // 20, 4)
    claims = [_claim(rng, f"division-{index}", "") for index in range(tops)]
    claims += [_claim(rng, f"team-{i}", f"division-{i % tops}") for i in range(middles)]
    leaves = queues - len(claims)
    claims += [_claim(rng, f"user-{i}", f"team-{i % middles}", leaf=True) for i in range(leaves)]
    return share_tree({GPU: 5 * leaves}, claims)


def _claim(rng: random.Random, name: str, parent: str, *, leaf: bool = False) -> ShareClaim:
    weight = rng.choice((1, 1, 2, 3, 5, 10))
    if not leaf:
        return ShareClaim(name, parent, weight)
    return ShareClaim(
        name,
        parent,
        weight,
        guarantee={GPU: rng.choice((0, 0, 1, 2))},
        limit={GPU: rng.randint(1, 40)},
        demand={GPU: rng.randint(0, 30)},
    )


def best_ms(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """Milliseconds of the fastest of several runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return 1000 * min(seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both times, their ratio, and how far the two divisions are apart."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--queues", type=int, default=10_000, help="queues of the closed form")
    parser.add_argument("--programs", type=int, default=200, help="queues of the linear programs")
    options = parser.parse_args(arguments)
    large, small = make_tree(options.queues), make_tree(options.programs)
    closed = best_ms(lambda: tree_shares(make_tree_again(large)))
    print(f"closed form, {options.queues:,} queues in {len(large.levels)} levels: {closed:.1f} ms")
    both = best_ms(lambda: tree_shares(make_tree_again(small)))
    solved = joint_shares(small)
    linear = best_ms(lambda: joint_shares(small), repeats=1)
    print(
        f"{options.programs:,} queues: closed form {both:.2f} ms, {solved.programs} linear programs "
        f"{linear:.0f} ms, ratio {linear / both:,.0f}"
    )
    apart = int(np.abs(solved.shares - tree_shares(small)).max())
    print(f"largest difference between the two: {apart} GPU")
    return 0


def make_tree_again(tree: ShareTree) -> ShareTree:
    """The same claims without what was worked out about the tree's levels."""
    return ShareTree(
        tree.names,
        tree.resources,
        tree.total,
        tree.parent,
        tree.weight,
        tree.guarantee,
        tree.limit,
        tree.demand,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
