"""Planned against actual, durations and differences, from what the nights saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from types import ModuleType

from models.history.adoption import AdoptedGang, Adoption
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.history.opening import open_history

NIGHT, NEXT = date(2026, 9, 10), date(2026, 9, 11)


def next_snapshot(gangs: Sequence[Gang], pods: Sequence[Pod]) -> Snapshot:
    return Snapshot(gangs=tuple(gangs), pods=tuple(pods), as_of="2026-09-11T20:00:00Z")


def adoption(url: str, nights: Callable, later: Snapshot) -> Adoption:
    run, _, _ = nights(11)
    with open_history(url) as history:
        history.record(*nights(10))
        history.record(run, None, later)
        return history.adopted(NIGHT)


def gang(found: Adoption, name: str) -> AdoptedGang:
    return next(one for one in found.gangs if one.name == name)


def created(made: ModuleType, name: str, hour: int, **values: object) -> Gang:
    return replace(made.gang_of(name, 10), created=made.at(10, hour), **values)


def test_a_start_that_happened_late_and_elsewhere(
    url: str, nights: Callable, made: ModuleType
) -> None:
    now = created(made, "now-1", 18, min_member=2)
    pods = made.pods_of(now, "n1", "n9", started=made.at(10, 21))
    found = adoption(url, nights, next_snapshot([now], pods))
    one = gang(found, "now-1")
    assert (one.recommended, one.fate, one.adopted) == ("start", "runs", True)
    assert (one.planned_start, one.actual_start, one.late_s) == (
        made.at(10, 20),
        made.at(10, 21),
        3_600,
    )
    assert (one.pods_planned, one.pods_as_planned) == (2, 1)
    assert one.nodes_actual == {"n1": 1, "n9": 1}
    assert (found.starts, found.starts_adopted, found.starts_unknown) == (2, 1, 1)
    assert (found.gpus_recommended, found.gpus_adopted) == (24, 16)
    assert found.next_night == NEXT
    assert "1 of 2 recommended starts" in found.sentence
    assert "1 of 2 pods on the planned nodes" in found.sentence


def test_a_gang_that_is_gone_is_unknown_and_said_so(
    url: str, nights: Callable, made: ModuleType
) -> None:
    found = adoption(url, nights, next_snapshot([], []))
    one = gang(found, "now-1")
    assert (one.fate, one.adopted, one.late_s) == ("gone", None, None)
    assert "unknown" in one.note
    assert found.starts_unknown == 2
    assert found.starts_adopted == 0


def test_another_gang_of_the_same_name_proves_nothing(
    url: str, nights: Callable, made: ModuleType
) -> None:
    again = replace(made.gang_of("now-1", 11), created=made.at(11, 3))
    found = adoption(
        url, nights, next_snapshot([again], made.pods_of(again, "n1", started=made.at(11, 4)))
    )
    assert gang(found, "now-1").fate == "replaced"
    assert gang(found, "now-1").adopted is None


def test_ended_waiting_partly_and_unplanned_gangs(
    url: str, nights: Callable, made: ModuleType
) -> None:
    ended = created(made, "now-1", 18, finished=True, min_member=2)
    done = made.pods_of(ended, "n1", started=made.at(10, 20, 5), phase="Succeeded")
    done = [replace(pod, finished_at=made.at(10, 23)) for pod in done]
    later = created(made, "later-1", 19, min_member=2)
    waits = replace(made.gang_of("waits", 8), created=made.at(8, 19))
    pods = [
        *done,
        *made.pods_of(later, "n3", started=made.at(11, 1)),
        *made.pods_of(waits, "n4", started=made.at(11, 2)),
    ]
    found = adoption(url, nights, next_snapshot([ended, later, waits], pods))
    first = gang(found, "now-1")
    assert (first.fate, first.adopted, first.late_s) == ("ended", True, 300)
    assert (first.actual_end, first.planned_end) == (made.at(10, 23), made.at(10, 22))
    second = gang(found, "later-1")
    assert (second.recommended, second.fate, second.adopted) == ("start later", "partly", False)
    assert "1 of 2 pods" in second.note
    assert found.unplanned == ("team/waits",)


def test_a_start_after_the_next_snapshot_is_not_due(
    url: str, nights: Callable, made: ModuleType
) -> None:
    later = created(made, "later-1", 19)
    early = replace(next_snapshot([later], []), as_of=made.at(10, 21))
    run, _, _ = nights(11)
    run = run.model_copy(
        update={"snapshot": run.snapshot.model_copy(update={"as_of": made.at(10, 21)})}
    )
    with open_history(url) as history:
        history.record(*nights(10))
        history.record(run, None, early)
        found = history.adopted(NIGHT)
    assert (gang(found, "later-1").fate, gang(found, "later-1").adopted) == ("not due", None)
    assert (found.starts, found.starts_not_due) == (1, 1)


def test_an_eviction_that_nobody_made(url: str, nights: Callable, made: ModuleType) -> None:
    run, plan, snapshot = nights(10)
    gangs = tuple(
        one.model_copy(update={"decision": "evict"}) if one.name == "runs-7" else one
        for one in plan.gangs
    )
    running = made.gang_of("runs-7", 9)
    stays = made.pods_of(running, "n2", started=made.at(10, 12))
    with open_history(url) as history:
        history.record(run, plan.model_copy(update={"gangs": gangs}), snapshot)
        history.record(nights(11)[0], None, next_snapshot([running], stays))
        assert gang(history.adopted(NIGHT), "runs-7").adopted is False
        again = made.pods_of(running, "n2", started=made.at(11, 3))
        history.record(nights(11)[0], None, next_snapshot([running], again))
        found = history.adopted(NIGHT)
    assert gang(found, "runs-7").adopted is True
    assert (found.evictions, found.evictions_adopted) == (1, 1)


def test_without_a_later_night_nothing_is_claimed(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        history.record(*nights(10))
        history.record(nights(11)[0].model_copy(update={"outcome": "input_error"}), None, None)
        found = history.adopted(NIGHT)
    assert found.next_night is None
    assert found.gangs == ()
    assert "No later night" in found.sentence


def test_durations_by_owner_and_what_is_left_out(
    url: str, nights: Callable, made: ModuleType
) -> None:
    def run_of(name: str, day: int, **values: object) -> Gang:
        return replace(made.gang_of(name, day), **values)

    exact = run_of("train-1", 9, finished=True)
    exact_pods = [
        replace(pod, phase="Succeeded", finished_at=made.at(10, 11))
        for pod in made.pods_of(exact, "n1", started=made.at(10, 9))
    ]
    short, long = run_of("train-2", 9), run_of("train-3", 1)
    running = run_of("train-4", 9)
    failed = run_of("train-5", 9, finished=True)
    failed_pods = [
        replace(pod, phase="Failed", finished_at=made.at(10, 11))
        for pod in made.pods_of(failed, "n1", started=made.at(10, 9))
    ]
    first = Snapshot(
        gangs=(exact, short, long, running, failed),
        pods=(
            *exact_pods,
            *failed_pods,
            *made.pods_of(short, "n2", started=made.at(10, 19)),
            *made.pods_of(long, "n3", started=made.at(1, 20)),
            *made.pods_of(running, "n4", started=made.at(10, 19)),
        ),
        as_of=made.at(10),
    )
    second = Snapshot(
        gangs=(
            replace(short, finished=True),
            replace(long, finished=True),
            running,
        ),
        pods=tuple(made.pods_of(running, "n4", started=made.at(10, 19))),
        as_of=made.at(11),
    )
    with open_history(url) as history:
        history.record(nights(10)[0], None, first)
        history.record(nights(11)[0], None, second)
        found = history.observed_durations()
        newest = history.observed_durations(latest=1)
        nothing = history.observed_durations(since=date(2026, 9, 12))
    ten_days = 10 * 86_400
    assert found.seconds == {
        "queue:q": (7_200, ten_days),
        "team": (7_200, ten_days),
        "team/train": (7_200, ten_days),
    }
    assert (found.runs, found.estimated) == (2, 1)
    assert (found.running, found.vague, found.failed) == (1, 1, 1)
    assert newest.seconds["team"] == (ten_days,)
    assert nothing.seconds == {}


def test_nights_are_compared_by_figures_gangs_and_queues(
    url: str, nights: Callable, made: ModuleType
) -> None:
    run, plan, _ = nights(11)
    now = created(made, "now-1", 18, min_member=2)
    fresh = made.gang_of("fresh", 11)
    runs, done = made.gang_of("runs", 11), made.gang_of("done", 11, finished=True)
    pods = [
        *made.pods_of(now, "n1", "n1", started=made.at(10, 21)),
        *made.pods_of(runs, "n4", started=made.at(11, 1)),
    ]
    later = next_snapshot([now, fresh, runs, done], pods)
    with open_history(url) as history:
        history.record(*nights(10))
        history.record(run, plan, later)
        found = history.compare(NIGHT, NEXT)
    became = {one.name: one.became for one in found.gangs}
    assert became == {
        "now-1": "started",
        "fresh": "new",
        "runs": "new, runs",
        "done": "came and ended",
        "runs-7": "gone",
    }
    figure = next(one for one in found.figures if one.name == "pod_restarts")
    assert (figure.before, figure.after, figure.change) == (2, 0, -2)
    assert [one.name for one in found.queues] == ["q", "r"]
    assert "1 started" in found.sentence


def test_the_last_plan_is_seen_in_tonights_snapshot(
    url: str, nights: Callable, made: ModuleType
) -> None:
    run, _, _ = nights(12)
    now = created(made, "now-1", 18, min_member=2)
    later = next_snapshot([now], made.pods_of(now, "n1", "n1", started=made.at(10, 21)))
    with open_history(url) as history:
        assert history.adopted_by_now(run, later) is None
        history.record(*nights(10))
        history.record(nights(11)[0], None, nights(11)[2])
        history.record(*nights(13))
        found = history.adopted_by_now(run, later)
    assert found is not None
    assert (found.night, found.next_night) == (NIGHT, date(2026, 9, 12))
    assert gang(found, "now-1").fate == "runs"
