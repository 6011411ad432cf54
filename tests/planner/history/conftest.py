"""Databases and nights for the tests of the history."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

from models.nightly.run import NightRun, NightSnapshot
from models.plan import (
    Certificate,
    FindingEntry,
    GangEntry,
    PlanResult,
    PodGroupEntry,
    QueueEntry,
    SnapshotEntry,
    Summary,
)
from models.reasons import Reason
from models.resources import Resources
from models.schedule import Duration, Run, Schedule, ScheduledGang, TimedLoan
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec

GPU = "nvidia.com/gpu"
POSTGRES = "GANGPLAN_TEST_POSTGRES"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'history.db'}"
    else:
        yield from postgres_url()


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    """An empty PostgreSQL history."""
    yield from postgres_url()


def postgres_url() -> Iterator[str]:
    """A schema of its own on the server that the environment names; it is dropped afterwards."""
    server = os.environ.get(POSTGRES)
    if not server:
        pytest.skip(f"{POSTGRES} names no PostgreSQL server (.ci/run starts one)")
    import psycopg

    name = f"history_{uuid.uuid4().hex}"
    plain = server.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        separator = "&" if "?" in server else "?"
        yield f"{server}{separator}options=-csearch_path%3D{name}"
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'history.db'}"


def at(day: int, hour: int = 20, minute: int = 0) -> str:
    """A moment of September 2026."""
    return f"2026-09-{day:02d}T{hour:02d}:{minute:02d}:00Z"


def night_run(day: int, **values: object) -> NightRun:
    """``run.json`` of a night of September 2026."""
    given = {
        "run_id": f"run-{day}",
        "night": date(2026, 9, day).isoformat(),
        "timezone": "Europe/Berlin",
        "horizon_s": 86_400,
        "started_at": at(day, 20, 1),
        "finished_at": at(day, 20, 2),
        "sentence": f"Night {day}: 2 of 3 gangs start.",
        "snapshot": NightSnapshot(as_of=at(day), digest="d" * 64),
        "policy_digest": "p" * 64,
        "versions": {"gangplan": "0.1.0"},
    }
    return NightRun.model_validate({**given, **values})


def plan_of(day: int, *, gpus_after: int = 24) -> PlanResult:
    """One gang starts now, one later on borrowed GPUs, one runs, one waits; amounts beyond 32 bits."""
    tera = 1 << 40
    return PlanResult(
        summary=Summary(
            gpus_allocatable=32,
            gpus_before=8,
            gpus_after=gpus_after,
            gangs_started=1,
            gangs_waiting=2,
            pods_placed=2,
        ),
        snapshot=SnapshotEntry(
            as_of=at(day),
            findings=(
                FindingEntry(
                    code="pod_unlinked",
                    severity="warning",
                    object="pod/team/läuft-夜",
                    message="one\nand two",
                    remedy="look",
                ),
            ),
        ),
        certificate=Certificate(status="OPTIMAL"),
        gangs=(
            GangEntry(
                namespace="team",
                name="now-1",
                queue="q",
                decision="start",
                gpus=16,
                min_member=2,
                created=at(day, 18),
                pods=(PodGroupEntry(role="w", action="place", node="n1", count=2),),
            ),
            GangEntry(
                namespace="team",
                name="later-1",
                queue="q",
                decision="wait",
                gpus=8,
                min_member=1,
                created=at(day, 19),
            ),
            GangEntry(
                namespace="team",
                name="waits",
                queue="r",
                decision="wait",
                gpus=64,
                min_member=8,
                created=at(day - 2, 19),
                reasons=(Reason(code="too_large", message="64 of 32 GPUs", data={"gpus": 64}),),
            ),
            GangEntry(
                namespace="team",
                name="runs-7",
                queue="r",
                decision="keep",
                gpus=8,
                min_member=1,
                pods=(PodGroupEntry(action="keep", node="n2", count=1, names=("team/runs-7-0",)),),
            ),
        ),
        queues=(
            QueueEntry(
                name="q",
                deserved=Resources({GPU: 16, "memory": 9_000 * tera}),
                before=Resources({GPU: 0}),
                after=Resources({GPU: 16}),
                borrowed=Resources({GPU: 4}),
                requested=Resources({GPU: 24}),
                gangs_started=1,
                gangs_waiting=1,
            ),
            QueueEntry(name="r", before=Resources({GPU: 8}), after=Resources({GPU: 8})),
        ),
        schedule=_schedule(day),
    )


def _schedule(day: int) -> Schedule:
    from models.moments import epoch_seconds

    start = epoch_seconds(at(day)) or 0
    hour = Duration(seconds=7_200, low_s=3_600, high_s=14_400, source="default")

    def gang(name: str, status: str, gpus: int, begins: int, ends: int) -> ScheduledGang:
        return ScheduledGang(
            namespace="team",
            name=name,
            queue="q",
            status=status,
            gpus=gpus,
            duration=hour,
            starts_at=at(day, begins),
            ends_at=at(day, ends),
            runs=(
                Run(
                    pool="h100",
                    start_bucket=0,
                    end_bucket=1,
                    starts_at=at(day, begins),
                    ends_at=at(day, ends),
                ),
            ),
            lost_gpu_seconds=60 if name == "later-1" else 0,
        )

    return Schedule(
        edges=(start, start + 3_600, start + 86_400),
        gangs=(
            gang("now-1", "starts", 16, 20, 22),
            gang("later-1", "starts", 8, 22, 23),
            gang("runs-7", "running", 8, 20, 21),
            ScheduledGang(namespace="team", name="waits", queue="r", status="waits", gpus=64),
        ),
        loans=(
            TimedLoan(
                pool="h100",
                start_bucket=0,
                end_bucket=1,
                starts_at="2026-09-01T22:00:00+02:00",
                returned_by=at(day, 23),
                leave_by=at(day + 1, 5),
                gpus=8,
                gpu_seconds=28_800,
                slack_s=21_600,
                gangs=("team/later-1",),
            ),
        ),
        work_gpu_seconds=5_000_000_000,
        running_gpu_seconds=57_600,
    )


def gang_of(name: str, day: int, **values: object) -> Gang:
    """A gang of namespace ``team`` that was created on a day."""
    return Gang("team", name, queue="q", created=at(day, 19), **values)  # type: ignore[arg-type]


def pods_of(gang: Gang, *nodes: str, started: str, gpus: int = 8, **values: object) -> list[Pod]:
    """Running pods of a gang, one per node."""
    pod = Pod(
        gang.namespace,
        "",
        PodSpec(request=Resources({GPU: gpus})),
        gang=gang.full_name,
        phase="Running",
        started=started,
    )
    return [
        replace(pod, name=f"{gang.name}-{number}", node=node, **values)  # type: ignore[arg-type]
        for number, node in enumerate(nodes)
    ]


def snapshot_of(day: int) -> Snapshot:
    """What the plan of the same day stands on."""
    waiting = replace(gang_of("now-1", day, min_member=2), created=at(day, 18))
    running = gang_of("runs-7", day - 1, retry_count=3)
    pods = pods_of(running, "n2", started=at(day, 12), restarts=2)
    return Snapshot(gangs=(waiting, running), pods=tuple(pods), as_of=at(day))


@pytest.fixture
def nights() -> Callable[[int], tuple[NightRun, PlanResult, Snapshot]]:
    """A night of September 2026: run, plan, snapshot."""
    return lambda day: (night_run(day), plan_of(day), snapshot_of(day))


@pytest.fixture
def made() -> ModuleType:
    """The builders of this module."""
    return sys.modules[__name__]
