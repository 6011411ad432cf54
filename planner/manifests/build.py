"""The folder ``manifests/`` of one schedule, or of one plan for now."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.manifests.departures import departures
from planner.manifests.early_starts import early_starts
from planner.manifests.entitlements import entitle_queues
from planner.manifests.evictions_now import evictions_now
from planner.manifests.files import Names, evictions_file, resubmit_file, steps_of
from planner.manifests.holds import hold_gangs
from planner.manifests.manifest_file import Advice, ManifestFile
from planner.manifests.moment import moments_of, rivals, schedule_of
from planner.manifests.night import Night
from planner.manifests.queue_limits import limit_queues
from planner.manifests.readme import readme_text
from planner.manifests.resubmit import resubmits
from planner.manifests.room import room_of

README = "README.md"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def manifests_of(
    snapshot: Snapshot, result: PlanResult, policy: EffectivePolicy
) -> tuple[ManifestFile, ...]:
    """Those of the schedule where the document has one, else those of the plan for now."""
    make = plan_manifests if result.schedule is None else night_manifests
    return make(snapshot, result, policy)


def night_manifests(
    snapshot: Snapshot, result: PlanResult, policy: EffectivePolicy
) -> tuple[ManifestFile, ...]:
    """All files, ``README.md`` first; nothing here changes a cluster.

    Raises
    ------
    ValueError
        The document has no schedule.
    """
    if result.schedule is None:
        raise ValueError("the document has no schedule")
    night = Night(snapshot, result, policy, result.schedule)
    advice = Advice()
    evictions_now(night, advice)
    departures(night, advice)
    early = early_starts(room_of(snapshot, result.schedule, policy.policy))
    hold_gangs(night, early, advice)
    limit_queues(night, advice)
    entitle_queues(night, advice)
    return _files(night, advice)


def plan_manifests(
    snapshot: Snapshot, result: PlanResult, policy: EffectivePolicy
) -> tuple[ManifestFile, ...]:
    """The same for a plan for now: who leaves, who is held until the plan's gangs run, and how everything is put back.

    Entitlements of queues stay: what the scheduler reclaims by them is part of the plan.
    """
    schedule = schedule_of(snapshot, result, policy)
    night = Night(snapshot, result, policy, schedule, moments_of(schedule, result))
    advice = Advice()
    evictions_now(night, advice)
    hold_gangs(night, rivals(room_of(snapshot, schedule, policy.policy)), advice)
    limit_queues(night, advice)
    return _files(night, advice)


def _files(night: Night, advice: Advice) -> tuple[ManifestFile, ...]:
    steps = steps_of(night, advice.actions)
    leaving = sorted(advice.departures, key=lambda d: (d.leave_by, d.stop_by, d.namespace, d.name))
    names = Names()
    again = tuple(resubmit_file(one, names) for one in resubmits(night))
    readme = ManifestFile(README, readme_text(night, steps, advice, leaving, again), "readme")
    files = [file for step in steps for _, file in step.actions if file is not None]
    lists = [evictions_file(night, leaving)] if leaving else []
    return (readme, *lists, *files, *again)


def manifest_archive(files: Sequence[ManifestFile]) -> bytes:
    """The files as a zip archive; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(f"manifests/{file.path}", _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.text.encode())
    return out.getvalue()
