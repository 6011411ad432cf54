"""What the plan refuses is held from now on: the scheduler keeps nothing for pods that a forecast expects."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from models.lending import DemandCurve, LendingLimits, PoolLending
from models.workloads import Pod
from planner.manifests.build import night_manifests
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import cluster, hours, node, spec, waiting
from planner.usecases.inputs.checked_input import read_checked
from planner.usecases.inputs.lending import LendingSource

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def test_the_first_hour_is_held_where_a_service_expects_pods_that_do_not_exist(
    shared: Path,
) -> None:
    """16 GPUs are kept for chat until 22:00, its pods hold 4: a gang of 12 hours would start into the rest."""
    folder = shared / "cases" / "faults"
    given = read_checked([str(folder / "s1.json")], policy_file=folder / "s1.pol.yaml")
    source = LendingSource(given.snapshot, given.policy.policy)
    options = ScheduleOptions(horizon_s=86_400, limits=LIMITS)
    result = make_schedule(given.snapshot, given.policy, source, options, guard=False)
    files = night_manifests(given.snapshot, result, given.policy)
    first = [one for one in files if one.path.startswith("01-1120-2100")]
    assert first
    assert any("twelve" in one.text for one in first)


def _files(pods: int, held: tuple[int, ...]) -> list[str]:
    """Folders of the manifests of a night in which chat has so many pods of 2 GPUs and needs more at once."""
    service = {"services": [{"name": "chat", "selector": {"app": "chat"}}]}
    snapshot, policy = cluster((node("n0"),), (waiting("w", 4, "1h"),), policy=service)
    chat = tuple(
        Pod("svc", f"c{n}", spec(2), node="n0", phase="Running", labels={"app": "chat"})
        for n in range(pods)
    )
    snapshot = dataclasses.replace(snapshot, pods=chat)
    horizon = hours(len(held))
    lendable = tuple(8 - one for one in held)
    pool = PoolLending(pool="p", owned_gpus=8, lendable_gpus=lendable, slow_gpus=lendable)
    curve = DemandCurve(service="chat", pool="p", forecast=held, held=held)
    limits = LendingLimits(edges=horizon.edges, pools=(pool,), demand=(curve,))
    options = ScheduleOptions(horizon_s=3600 * len(held), bucket_s=3600, limits=LIMITS)
    result = make_schedule(snapshot, policy, limits, options, guard=False)
    return sorted({one.path.split("/")[0] for one in night_manifests(snapshot, result, policy)})


def test_pods_that_exist_hold_their_room_themselves() -> None:
    """Four pods hold all eight GPUs until the demand falls: nothing can start early, nothing is held."""
    assert not any(one.startswith("01-0915-2000") for one in _files(4, (8, 8, 0, 0)))


def test_pods_that_do_not_exist_hold_nothing() -> None:
    assert any(one.startswith("01-0915-2000") for one in _files(1, (8, 8, 0, 0)))
