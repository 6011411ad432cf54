"""A night plans with durations that earlier nights observed."""

from __future__ import annotations

import pytest

from models.nightly.run import NightRun, NightSnapshot
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.history.opening import open_history


def finished(number: int, ended: str) -> tuple[Gang, Pod]:
    """A run of ``ml/train`` that began at noon."""
    gang = Gang("ml", f"train-{number}", queue="research", finished=True)
    pod = Pod(
        "ml",
        f"train-{number}-0",
        PodSpec(),
        gang=gang.full_name,
        node="gpu-1",
        phase="Succeeded",
        started="2026-09-14T12:00:00Z",
        finished_at=ended,
    )
    return gang, pod


@pytest.fixture
def asked(place, at_once, schedule) -> list:
    """Policies with which the search was called; three runs of ml/train have ended before."""
    place.configure(history=None)
    place.output.mkdir()
    ends = [f"2026-09-14T{hour}:00:00Z" for hour in (13, 14, 15)]
    gangs, pods = zip(*[finished(80 + i, end) for i, end in enumerate(ends)], strict=True)
    before = NightRun(night="2026-09-14", snapshot=NightSnapshot(as_of="2026-09-14T20:00:00Z"))
    with open_history(str(place.output / "history.db")) as history:
        history.record(before, None, Snapshot(gangs=gangs, pods=pods))
    found: list = []

    def search(snapshot, policy, *given, **more):
        found.append(policy)
        return schedule

    at_once(search)
    return found


def test_durations_of_earlier_nights_reach_the_search(place, asked) -> None:
    end = place.run()
    (policy,) = asked
    assert policy.policy.durations.history == {"ml/train": (3600, 7200, 10_800)}
    assert policy.origins["durations"] == "history"
    assert "Durations of 1 owner are those of 3 earlier runs in the history." in end.run.notes
    assert "10800" in (end.folder / "policy.yaml").read_text()


def test_a_repetition_of_an_earlier_night_does_not_know_later_ones(place, asked) -> None:
    place.export(day=13)
    place.run()
    (policy,) = asked
    assert policy.policy.durations.history == {}


def test_without_a_history_there_is_nothing_to_plan_with(place, asked) -> None:
    place.configure(history="none")
    end = place.run()
    assert asked[0].policy.durations.history == {}
    assert not any("earlier" in note for note in end.run.notes)
