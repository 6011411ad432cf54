"""Measure a reclaim drill: how many GPUs are back within 30 s from jobs with mixed grace periods, and who leaves.

Usage: ``python -m benchmarks.drill [--nodes 1000] [--layout fragmented] [--time-limit 60]``. The cluster is that of
``benchmarks/reclaim.py`` (N nodes of 8 GPUs, full of jobs of a queue that deserves nothing); grace periods are 5 to
300 s, and a service needs N/10 pods of 8 GPUs. Seconds are processor seconds of the whole drill, changes left out.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.reclaim_clusters import AS_OF, EIGHT, LAYOUTS, Layout, make_snapshot
from models.drill import DrillResult, Need
from models.effective import resolve_policy
from models.policy import Policy
from models.snapshot import Snapshot
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits

GRACES = (5, 15, 29, 30, 60, 300)


def with_graces(snapshot: Snapshot, seed: int = 1) -> Snapshot:
    """Running jobs with a grace period each; the gang that waits is gone."""
    rng = random.Random(seed)
    grace = {gang.full_name: rng.choice(GRACES) for gang in snapshot.gangs}
    pods = tuple(
        replace(pod, spec=replace(pod.spec, grace_seconds=grace[pod.gang]))
        for pod in snapshot.pods
        if pod.node
    )
    return replace(snapshot, pods=pods, gangs=snapshot.gangs[:-1])


def run(nodes: int, layout: Layout, *, time_limit_s: float) -> tuple[DrillResult, float]:
    """The drill and its processor seconds."""
    snapshot = with_graces(make_snapshot(nodes, layout))
    policy = resolve_policy(snapshot, Policy(now=AS_OF))
    need = Need(service="own", gpus=max(nodes // 10, 1) * EIGHT, per_pod=EIGHT)
    question = drill_question([need], deadline_seconds=30, policy=policy)
    began = time.process_time()
    limits = Limits(time_limit_s=time_limit_s)
    result = make_drill(snapshot, policy, question, limits, changes=False)
    return result, time.process_time() - began


def main(arguments: Sequence[str]) -> int:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--layout", choices=LAYOUTS, default="uniform")
    parser.add_argument("--time-limit", type=float, default=60.0)
    given = parser.parse_args(arguments)
    result, seconds = run(given.nodes, given.layout, time_limit_s=given.time_limit)
    tiers = ", ".join(f"{t.name} {t.value} (bound {t.bound})" for t in result.certificate.tiers)
    stages = ", ".join(
        f"{name} {s:.1f} s" for name, s in result.certificate.stage_seconds().items()
    )
    print(
        f"{given.nodes} nodes, {given.layout}: {seconds:.1f} processor seconds ({stages}); {tiers}"
    )
    points = ", ".join(
        f"{p.second} s: {p.gpus_planned}/{p.gpus_most} (bound {p.bound})" for p in result.curve
    )
    print(f"curve {points}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
