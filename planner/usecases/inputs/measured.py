"""Measured use of GPUs from a Prometheus into a snapshot, so that everything after it can be repeated from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from models.findings import Finding, InputError
from models.gpu import gpus_in, whole_gpu_names
from models.moments import epoch_seconds
from models.policy import Policy
from models.prometheus import PrometheusQuery
from models.snapshot import PodUse, Snapshot
from models.use import WEEK_S
from models.workloads import Pod
from models.writers.snapshot_json import snapshot_digest

if TYPE_CHECKING:
    from planner.live.prometheus import RangeAnswer, Series

POD_LABELS = (("exported_namespace", "exported_pod"), ("namespace", "pod"))
"""Labels of the pod that is measured; the first stand where the scrape has pods of its own in the second."""
STALE_STEPS = 3
OLD_S = 86_400


def with_use(snapshot: Snapshot, policy: Policy) -> Snapshot:
    """The snapshot with the measured use that the policy asks for; as it is where it holds one, or none is asked for.

    What cannot be had is a finding; nothing is called idle that was not measured.

    Raises
    ------
    UsageError
        The extra ``live`` is not installed.
    """
    query = policy.use.prometheus
    if query is None or snapshot.use:
        return snapshot
    from planner.live.prometheus import ask_range

    try:
        answer = ask_range(query.model_copy(update={"range": min(query.range, WEEK_S)}))
    except InputError as error:
        return _noted(snapshot, [_lacks(query, str(error))])
    as_of = epoch_seconds(snapshot.as_of)
    if as_of is not None and answer.end - as_of > OLD_S:
        when = datetime.fromtimestamp(answer.end, UTC).strftime("%Y-%m-%d")
        what = f"the snapshot is of {snapshot.as_of}, and what is measured now ({when}) says nothing of it"
        return _noted(snapshot, [_lacks(query, what)])
    return _measured(snapshot, policy, query, answer)


def _measured(
    snapshot: Snapshot, policy: Policy, query: PrometheusQuery, answer: RangeAnswer
) -> Snapshot:
    names = whole_gpu_names(policy.gpu_models)
    holders = {
        pod.full_name: pod
        for pod in snapshot.pods
        if pod.running and gpus_in(pod.spec.request, names)
    }
    by_pod: dict[str, list[Series]] = {}
    unnamed = 0
    for series in answer.series:
        name = _pod_of(series.labels)
        unnamed += name is None
        if name in holders:
            by_pod.setdefault(str(name), []).append(series)
    use = [
        found
        for name, series in sorted(by_pod.items())
        if (found := _use(holders[name], series, query, answer.end, policy.use.idle_below))
    ]
    lacking = [_lacks(query, f"Prometheus answers in part: {one}") for one in answer.warnings]
    if unnamed:
        what = f"{unnamed:,} of {len(answer.series):,} series have no labels namespace and pod"
        lacking.append(_lacks(query, what))
    missing = sorted(holders.keys() - {one.pod for one in use})
    if missing:
        what = f"{len(missing):,} of {len(holders):,} running pods with GPUs are not measured, e.g. {missing[0]}"
        lacking.append(_lacks(query, what))
    return _noted(replace(snapshot, use=tuple(use)), lacking)


def _pod_of(labels: Mapping[str, str]) -> str | None:
    for namespace, pod in POD_LABELS:
        if labels.get(namespace) and labels.get(pod):
            return f"{labels[namespace]}/{labels[pod]}"
    return None


def _use(
    pod: Pod, series: Iterable[Series], query: PrometheusQuery, end: int, below: int
) -> PodUse | None:
    """What was measured since the pod started; an earlier pod of the same name is another one. None without values."""
    started = epoch_seconds(pod.started or pod.created) or 0
    values: dict[int, list[float]] = {}
    for one in series:  # of a pod with several GPUs one each, where the query does not sum them up
        for moment, value in one.points:
            if moment >= started and moment > end - WEEK_S:
                values.setdefault(moment, []).append(value)
    if not values:
        return None
    moments = sorted(values)
    working = [max(values[moment]) >= below for moment in moments]
    mean = sum(sum(one) / len(one) for one in values.values()) / len(values)
    longest = STALE_STEPS * query.step
    return PodUse(
        pod=pod.full_name,
        measured_s=len(moments) * query.step,
        worked_permille=round(10 * min(max(mean, 0.0), 100.0)),
        idle_total_s=working.count(False) * query.step,
        idle_s=None if end - moments[-1] > longest else _idle_at_end(moments, working, longest),
    )


def _idle_at_end(moments: list[int], working: list[bool], longest: int) -> int:
    """Seconds from the last work, or from where values begin or have a gap, to the last value."""
    since = moments[-1]
    for moment, works in zip(reversed(moments), reversed(working), strict=True):
        if works or since - moment > longest:
            break
        since = moment
    return moments[-1] - since


def _lacks(query: PrometheusQuery, what: str) -> Finding:
    remedy = "try the query of use.prometheus in the server's own page"
    return Finding("use_unknown", "warning", query.name, what, remedy)


def _noted(snapshot: Snapshot, findings: list[Finding]) -> Snapshot:
    told = sorted({*snapshot.findings, *findings}, key=lambda f: (f.code, f.object, f.message))
    changed = replace(snapshot, findings=tuple(told), digest="")
    return replace(changed, digest=snapshot_digest(changed))
