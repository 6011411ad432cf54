"""Durations from a history of nights reach gangs through the policy."""

from __future__ import annotations

from dataclasses import replace

from models.effective import resolve_policy
from models.history.durations import ObservedDurations
from models.policy import parse_policy
from models.running_time import duration_of
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.usecases.inputs.observed_durations import observed_words, with_observed

HOUR = 3_600
TRAIN = Gang("ml", "train-8", queue="research")
SNAPSHOT = Snapshot(gangs=(TRAIN, Gang("ops", "scan", queue="q")), as_of="2026-09-10T20:00:00Z")


def observed(**seconds: tuple[int, ...]) -> ObservedDurations:
    names = {"train": "ml/train", "namespace": "ml", "queue": "queue:research", "other": "x/y"}
    return ObservedDurations(seconds={names[key]: value for key, value in seconds.items()})


def test_the_owners_quantile_is_planned_with_and_shown_as_an_estimate() -> None:
    before = resolve_policy(SNAPSHOT)
    after = with_observed(before, observed(train=(HOUR, 2 * HOUR, 9 * HOUR)), SNAPSHOT)
    found = duration_of(TRAIN, (), after.policy)
    assert (found.source, found.low_s, found.seconds) == ("history", 2 * HOUR, 9 * HOUR)
    assert after.origins["durations"] == "history"
    assert after.document()["durations"]["value"]["history"] == {
        "ml/train": [HOUR, 2 * HOUR, 9 * HOUR]
    }
    assert observed_words(before, after) == (
        "Durations of 1 owner are those of 3 earlier runs in the history."
    )


def test_few_runs_and_owners_that_are_not_there_count_for_nothing() -> None:
    policy = resolve_policy(SNAPSHOT)
    few = observed(train=(HOUR,) * 2, namespace=(HOUR,) * 9, queue=(HOUR,) * 9, other=(HOUR,) * 99)
    assert with_observed(policy, few, SNAPSHOT) is policy
    assert observed_words(policy, policy) == ""
    many = with_observed(policy, observed(queue=(HOUR,) * 10), SNAPSHOT)
    assert duration_of(TRAIN, (), many.policy).source == "history"
    done = Snapshot(gangs=(replace(TRAIN, finished=True),), as_of=SNAPSHOT.as_of)
    assert with_observed(policy, observed(queue=(HOUR,) * 10), done) is policy


def test_what_the_policy_says_itself_wins() -> None:
    file = parse_policy({"durations": {"history": {"ml/train": ["5h"]}}}, source="policy.yaml")
    policy = resolve_policy(SNAPSHOT, file)
    found = with_observed(policy, observed(train=(HOUR,) * 5, namespace=(HOUR,) * 10), SNAPSHOT)
    assert found.policy.durations.history == {"ml/train": (5 * HOUR,), "ml": (HOUR,) * 10}
    assert duration_of(TRAIN, (), found.policy).seconds == 5 * HOUR
