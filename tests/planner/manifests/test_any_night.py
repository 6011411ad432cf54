"""Whatever the schedule is: the patches let the plan happen, cost no Job its last retry, and end where they began."""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from models.effective import resolve_policy
from models.moments import local_text
from models.plan import PlanResult
from models.policy import parse_policy
from models.reasons import Reason
from models.schedule import Schedule, ScheduledGang
from planner.manifests.build import night_manifests
from planner.manifests.manifest_file import ManifestFile
from planner.manifests.permitted import refused
from planner.testing.nights_by_hand import (
    BUCKETS,
    HOUR,
    NOW,
    Object,
    batch_job,
    nodes,
    pod,
    pod_group,
    queue,
    schedule_of,
    scheduled,
    snapshot_of,
    volcano_job,
)

GPU, CAPABILITY, DESERVED = "nvidia.com/gpu", 72, 40
_BACK = (Reason(code="time_window", message="the pool needs its GPUs back"),)
SPAN = st.tuples(st.integers(0, BUCKETS - 1), st.integers(1, 4)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], BUCKETS))
)
GANG = st.tuples(
    st.sampled_from(["volcano", "batch", "bare"]),
    st.integers(0, 2),
    st.none() | SPAN,
    st.booleans(),
)


def night(given_gangs: list[Any]) -> tuple[tuple[ManifestFile, ...], Schedule]:
    objects: list[Object] = [*nodes(10), queue("batch", deserved=DESERVED, capability=CAPABILITY)]
    gangs: list[ScheduledGang] = []
    for number, (kind, retries, span, runs_now) in enumerate(given_gangs):
        name, node = f"g{number}", f"n{number}" if runs_now and span else ""
        group, owner = (name, name) if kind == "volcano" else (f"pg-{name}", name)
        if kind == "volcano":
            objects += [volcano_job(name, uid=name, retries=retries), pod_group(name, owner=name)]
        elif kind == "batch":
            objects += [batch_job(name), pod_group(group, owner=name)]
        else:
            group, owner = name, ""
            objects.append(pod_group(name))
        objects.append(pod(f"{name}-0", group, node=node, owner=owner))
        if node:
            gangs.append(
                scheduled(group, (0, span[1]), status="running", reasons=_BACK[: retries % 2])
            )
        elif span:
            gangs.append(scheduled(group, span))
        else:
            gangs.append(scheduled(group, status="waits"))
    snapshot = snapshot_of(objects)
    policy = resolve_policy(snapshot, parse_policy({"now": local_text(NOW)}, source="test"))
    schedule = schedule_of(gangs, gpus=80, online=(8,) * 4 + (24,) * 4)
    return night_manifests(snapshot, PlanResult(schedule=schedule), policy), schedule


@settings(max_examples=20, deadline=None)
@given(st.lists(GANG, min_size=1, max_size=9))
def test_any_night(given_gangs: list[Any]) -> None:
    files, schedule = night(given_gangs)
    bodies = [(one, yaml.safe_load(one.text)) for one in files if one.path.endswith(".yaml")]
    assert all(refused(one.operation, body) == () for one, body in bodies)
    _queue_is_restored_and_lets_the_plan_run(bodies, schedule)
    _retries_last(bodies, given_gangs)
    _stops_are_in_time(files, schedule)


def _queue_is_restored_and_lets_the_plan_run(bodies: list[Any], schedule: Schedule) -> None:
    capability, deserved, moments = CAPABILITY, DESERVED, {}
    for one, body in bodies:
        if body["kind"] == "Queue":
            capability = int(body["spec"]["capability"][GPU])
            deserved = int(body["spec"].get("deserved", {}).get(GPU, deserved))
            assert deserved <= capability
            moments[one.at] = capability
    assert (capability, deserved) == (CAPABILITY, DESERVED)
    now = CAPABILITY
    for bucket in range(BUCKETS):
        now = moments.get(schedule.edges[bucket], now)
        starting = sum(
            gang.gpus
            for gang in schedule.gangs
            if gang.status == "starts"
            and gang.runs[0].start_bucket <= bucket < gang.runs[0].end_bucket
        )
        assert now >= min(starting, CAPABILITY)


def _retries_last(bodies: list[Any], given_gangs: list[Any]) -> None:
    resumes: Counter[str] = Counter()
    for one, body in bodies:
        if body["kind"] == "Command" and body["action"] == "ResumeJob":
            resumes[body["target"]["name"]] += 1
            assert "-check/" not in one.path
    for name, count in resumes.items():
        retries = given_gangs[int(name[1:])][1]
        assert retries + count < 3 - 1  # one is left for a failure


def _stops_are_in_time(files: tuple[ManifestFile, ...], schedule: Schedule) -> None:
    ends = {edge - 16 for edge in schedule.edges} | {NOW}
    for one in files:
        if "-leave/" in one.path or "-check/" in one.path:
            assert one.at in ends
    assert all(one.at is None or NOW <= one.at <= NOW + BUCKETS * HOUR for one in files)
