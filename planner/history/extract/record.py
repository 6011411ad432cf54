"""The whole record of one night."""

from __future__ import annotations

from models.gpu import WHOLE_GPU_RESOURCES, documented_gpu_names
from models.history.night import PastNight
from models.history.record import NightRecord
from models.history.rows import GangOutcome, GangSighting
from models.nightly.run import NightRun
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.history.extract.figures import figures_of
from planner.history.extract.gangs import outcomes_of
from planner.history.extract.queues import findings_of, loans_of, queues_of
from planner.history.extract.sightings import sightings_of
from planner.history.times import night_of, utc_text


def record_of(run: NightRun, result: PlanResult | None, snapshot: Snapshot | None) -> NightRecord:
    """What the history keeps; a run without a plan leaves what its snapshot showed."""
    names = WHOLE_GPU_RESOURCES if result is None else documented_gpu_names(result.policy)
    sightings = () if snapshot is None else sightings_of(snapshot, names)
    outcomes = () if result is None else dated(outcomes_of(result), sightings)
    night = PastNight(
        night=night_of(run),
        run_id=run.run_id,
        timezone=run.timezone,
        outcome=run.outcome,
        exit_code=run.exit_code,
        horizon_s=run.horizon_s,
        started_at=utc_text(run.started_at),
        finished_at=utc_text(run.finished_at),
        as_of=utc_text(run.snapshot.as_of),
        seen=snapshot is not None,
        snapshot_digest=run.snapshot.digest,
        policy_digest=run.policy_digest,
        proof="" if result is None else result.certificate.status,
        sentence=run.sentence,
        error=run.error,
        version=run.versions.get("gangplan", ""),
        figures=None if result is None else figures_of(result, outcomes, sightings),
    )
    return NightRecord(
        night=night,
        gangs=outcomes,
        sightings=sightings,
        queues=() if result is None else queues_of(result),
        loans=() if result is None else loans_of(result),
        findings=() if result is None else findings_of(result),
        plan=result,
    )


def dated(
    outcomes: tuple[GangOutcome, ...], sightings: tuple[GangSighting, ...]
) -> tuple[GangOutcome, ...]:
    """Outcomes with the creation that the snapshot tells where the plan leaves it out: it identifies the gang."""
    created = {(one.namespace, one.name): one.created for one in sightings}
    return tuple(
        one
        if one.created or not created.get((one.namespace, one.name))
        else one.model_copy(update={"created": created[one.namespace, one.name]})
        for one in outcomes
    )
