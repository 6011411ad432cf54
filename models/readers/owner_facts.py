"""What an owner of pods says of pods to come: ended, suspended, how many it makes, and whether all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_LATER: Final = frozenset({"LeaderWorkerSet", "SparkApplication", "DaemonSet"})
"""Kinds that may make further pods when the first ones run."""
_ENDED_CONDITIONS: Final = frozenset({"Complete", "Completed", "Succeeded", "Failed", "Finished"})
_ENDED_WORDS: Final = frozenset(
    {"COMPLETE", "COMPLETED", "SUCCEEDED", "FAILED", "STOPPED", "ABORTED", "TERMINATED"}
)
_STATE_FIELDS: Final = ("jobStatus", "jobDeploymentStatus", "phase", "state")


@dataclass(frozen=True, slots=True)
class OwnerFacts:
    """What is known of the pods that an owner will make.

    Attributes
    ----------
    ended
        It has finished, or is being deleted.
    suspended
        It makes no pods until it is resumed.
    most_pods
        Pods that it has at the same time (of one group, where it makes several), None where it does not say.
    at_once
        It makes all its pods at once; False where some come when others run.
    """

    ended: bool = False
    suspended: bool = False
    most_pods: int | None = None
    at_once: bool = True


def owner_facts(raw: Mapping[str, Any]) -> OwnerFacts:
    """Facts of an owner of a known kind; a field that cannot be understood says nothing."""
    kind = str(raw.get("kind"))
    spec, status = _map(raw, "spec"), _map(raw, "status")
    return OwnerFacts(
        ended=_ended(raw, status),
        suspended=_suspended(spec, status),
        most_pods=_most_pods(kind, spec),
        at_once=_at_once(kind, spec),
    )


def _ended(raw: Mapping[str, Any], status: Mapping[str, Any]) -> bool:
    if _map(raw, "metadata").get("deletionTimestamp") or status.get("completionTime"):
        return True
    return bool(_conditions(status) & _ENDED_CONDITIONS or _states(status) & _ENDED_WORDS)


def _suspended(spec: Mapping[str, Any], status: Mapping[str, Any]) -> bool:
    asked = spec.get("suspend") is True or _map(spec, "runPolicy").get("suspend") is True
    return asked or "Suspended" in _conditions(status) or "SUSPENDED" in _states(status)


def _conditions(status: Mapping[str, Any]) -> set[str]:
    """Types of the conditions that hold."""
    return {str(one.get("type")) for one in _maps(status, "conditions") if _true(one.get("status"))}


def _states(status: Mapping[str, Any]) -> set[str]:
    """State words of the many kinds, in capitals."""
    found = [status.get(name) for name in _STATE_FIELDS]
    found.append(_map(status, "applicationState").get("state"))
    return {one.upper() for one in found if isinstance(one, str)}


def _most_pods(kind: str, spec: Mapping[str, Any]) -> int | None:
    if kind == "Job":
        return _number(spec, "parallelism", 1)
    if kind in ("ReplicaSet", "ReplicationController", "Deployment", "StatefulSet"):
        return _number(spec, "replicas", 1)
    if kind == "LeaderWorkerSet":
        groups = _number(spec, "replicas", 1)
        size = _number(_map(spec, "leaderWorkerTemplate"), "size", 1)
        return 0 if groups == 0 else size
    if kind == "JobSet":
        return _sum(
            _times(one, "replicas", _map(_map(one, "template"), "spec"), "parallelism")
            for one in _maps(spec, "replicatedJobs")
        )
    roles = next((_map(spec, name) for name in spec if name.endswith("ReplicaSpecs")), None)
    if roles:
        return _sum(_number(_map(roles, role), "replicas", 1) for role in roles)
    return None


def _at_once(kind: str, spec: Mapping[str, Any]) -> bool:
    if kind == "StatefulSet":
        return spec.get("podManagementPolicy") == "Parallel"
    if kind == "MPIJob":
        return spec.get("launcherCreationPolicy") != "WaitForWorkersReady"
    if kind == "JobSet":
        in_order = _map(spec, "startupPolicy").get("startupPolicyOrder") == "InOrder"
        return not in_order and not any(
            one.get("dependsOn") for one in _maps(spec, "replicatedJobs")
        )
    return kind not in _LATER


def _sum(counts: Any) -> int | None:
    """Sum of counts, None where one is not known or there are none."""
    listed = list(counts)
    return None if not listed or None in listed else sum(listed)


def _times(
    left: Mapping[str, Any], left_key: str, right: Mapping[str, Any], right_key: str
) -> int | None:
    first, second = _number(left, left_key, 1), _number(right, right_key, 1)
    return None if first is None or second is None else first * second


def _number(raw: Mapping[str, Any], key: str, default: int) -> int | None:
    value = raw.get(key)
    if value is None:
        return default
    return value if type(value) is int and value >= 0 else None


def _true(value: Any) -> bool:
    return value is True or value == "True"


def _map(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _maps(raw: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = raw.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
