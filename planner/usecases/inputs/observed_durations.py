"""Durations that a history of nights has observed, as a source of the policy's ``durations.history``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from models.effective import EffectivePolicy
from models.history.durations import ObservedDurations
from models.running_time import owner_stem
from models.snapshot import Snapshot

LEAST_RUNS = 3
"""Runs of one owner from which its durations count."""
LEAST_OF_MANY = 10
"""Runs from which those of a whole namespace or queue count: its gangs differ more."""


def with_observed(
    policy: EffectivePolicy, observed: ObservedDurations, snapshot: Snapshot
) -> EffectivePolicy:
    """The policy with observed durations of the snapshot's owners; those that it names itself stay as they are."""
    known = policy.policy.durations.history
    added = {
        owner: observed.seconds[owner]
        for owner, least in _owners(snapshot).items()
        if owner not in known and len(observed.seconds.get(owner, ())) >= least
    }
    if not added:
        return policy
    durations = policy.policy.durations.model_copy(
        update={"history": {**known, **dict(sorted(added.items()))}}
    )
    return replace(
        policy,
        policy=policy.policy.model_copy(update={"durations": durations}),
        origins={**policy.origins, "durations": "history"},
    )


def _owners(snapshot: Snapshot) -> Mapping[str, int]:
    """Owners of the gangs that ask for something, with the runs that each needs."""
    found: dict[str, int] = {}
    for gang in snapshot.gangs:
        if not gang.finished:
            found[owner_stem(gang.full_name)] = LEAST_RUNS
            found[gang.namespace] = LEAST_OF_MANY
            found[f"queue:{gang.queue}"] = LEAST_OF_MANY
    return found


def observed_words(before: EffectivePolicy, after: EffectivePolicy) -> str:
    """How many owners' durations come from the history, as one sentence; "" for none."""
    known = before.policy.durations.history
    added = {
        owner: seconds
        for owner, seconds in after.policy.durations.history.items()
        if owner not in known
    }
    if not added:
        return ""
    owners = "1 owner" if len(added) == 1 else f"{len(added):,} owners"
    runs = sum(map(len, added.values()))
    return f"Durations of {owners} are those of {runs:,} earlier runs in the history."
