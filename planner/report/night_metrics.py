"""Figures of a night as OpenMetrics text, for the textfile collector of node_exporter.

All are gauges: a night is a state, not a stream. Lines that OpenMetrics adds to the older text format (``# UNIT``,
``# EOF``) are comments there, so both kinds of readers take the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from models.gpu import gpus_in
from models.moments import epoch_seconds
from models.nightly.run import NightRun
from models.plan import PlanResult, Status
from models.rules import RuleId
from models.schedule import Schedule
from models.schedule_rules import SENTENCES
from planner.report.gpus import gpu_names, is_closed, pool_of

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

PREFIX = "gangplan_"
Sample = tuple[tuple[str, ...], float]


@dataclass(frozen=True)
class Gauge:
    """One metric: name without prefix, unit ("" for counts), labels, help, and its samples."""

    name: str
    unit: str
    labels: tuple[str, ...]
    help: str
    samples: tuple[Sample, ...]


def metrics_text(run: NightRun, result: PlanResult) -> str:
    """The OpenMetrics text of a night with a schedule.

    Raises
    ------
    ValueError
        The document has no schedule.
    """
    from prometheus_client.core import GaugeMetricFamily
    from prometheus_client.openmetrics.exposition import generate_latest
    from prometheus_client.registry import CollectorRegistry

    gauges = night_gauges(run, result)

    class Night:
        def collect(self) -> Iterable[Metric]:
            for one in gauges:
                family = GaugeMetricFamily(
                    f"{PREFIX}{one.name}", one.help, labels=one.labels, unit=one.unit
                )
                for labels, value in one.samples:
                    family.add_metric(labels, value)
                yield family

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Night())
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text.decode("utf-8")


def night_gauges(run: NightRun, result: PlanResult) -> tuple[Gauge, ...]:
    """Every metric with its samples; one without samples is not known tonight."""
    schedule = result.schedule
    if schedule is None:
        raise ValueError("the document has no schedule")
    moment = epoch_seconds(run.finished_at or run.started_at)
    return (
        Gauge(
            "plan_timestamp",
            "seconds",
            (),
            "When the plan was made, since the epoch.",
            () if moment is None else (((), float(moment)),),
        ),
        Gauge(
            "plan_as_of",
            "seconds",
            (),
            "Moment of the cluster's export, since the epoch.",
            tuple(((), float(at)) for at in [epoch_seconds(result.snapshot.as_of)] if at),
        ),
        Gauge(
            "plan_status",
            "",
            ("status",),
            "1 for the status of the certificate, 0 for the others.",
            tuple(((one,), float(one == result.certificate.status)) for one in get_args(Status)),
        ),
        Gauge(
            "plan_gap",
            "ratio",
            ("tier",),
            "Relative gap of a tier of the objective; absent where nothing is proved.",
            tuple(
                ((one.name,), one.gap) for one in result.certificate.tiers if one.gap is not None
            ),
        ),
        Gauge(
            "solve",
            "seconds",
            ("stage",),
            "Time by stage of the run.",
            tuple(((stage,), float(s)) for stage, s in sorted(_stages(run, result).items())),
        ),
        *_gpus(result, schedule),
        *_waiting(schedule),
        *_loans(schedule),
        *_checks(result),
    )


def _stages(run: NightRun, result: PlanResult) -> dict[str, float]:
    return dict(run.stages) or result.certificate.stage_seconds()


def _gpus(result: PlanResult, schedule: Schedule) -> Iterator[Gauge]:
    yield Gauge(
        "gpus",
        "",
        ("pool", "state"),
        "GPUs of a pool: allocatable, allocated before the plan, planned after it, unavailable (free on closed nodes), "
        "lent (most at one time within the horizon).",
        tuple(_pool_samples(result, schedule)),
    )
    names = gpu_names(result)
    yield Gauge(
        "queue_gpus",
        "",
        ("queue", "kind"),
        "GPUs of a queue after the plan: deserved, allocated (before it), planned, borrowed, lent.",
        tuple(
            ((queue.name, kind), float(gpus_in(amounts, names)))
            for queue in result.queues
            for kind, amounts in (
                ("deserved", queue.deserved),
                ("allocated", queue.before),
                ("planned", queue.after),
                ("borrowed", queue.borrowed),
                ("lent", queue.lent),
            )
        ),
    )
    yield Gauge(
        "gpu_time",
        "seconds",
        ("kind",),
        "GPU-seconds within the horizon: work (gangs that wait now), running (gangs that run now), lost (restarts and "
        "work not saved), lent (online GPUs).",
        (
            (("work",), float(schedule.work_gpu_seconds)),
            (("running",), float(schedule.running_gpu_seconds)),
            (("lost",), float(sum(gang.lost_gpu_seconds for gang in schedule.gangs))),
            (("lent",), float(sum(loan.gpu_seconds for loan in schedule.loans))),
        ),
    )


def _pool_samples(result: PlanResult, schedule: Schedule) -> Iterator[Sample]:
    names = gpu_names(result)
    totals: dict[str, Counter[str]] = {}
    for node in result.nodes:
        offered = gpus_in(node.allocatable, names)
        held = gpus_in(node.after, names)
        if offered or held:
            sums = totals.setdefault(pool_of(node), Counter())
            sums["allocatable"] += offered
            sums["allocated"] += gpus_in(node.before, names)
            sums["planned"] += held
            sums["unavailable"] += max(offered - held, 0) if is_closed(node) else 0
    lent = {pool.name: max(pool.lent, default=0) for pool in schedule.pools}
    for pool, sums in sorted(totals.items()):
        for state in ("allocatable", "allocated", "planned", "unavailable"):
            yield (pool, state), float(sums[state])
        yield (pool, "lent"), float(lent.get(pool, 0))


def _waiting(schedule: Schedule) -> Iterator[Gauge]:
    waits = [gang for gang in schedule.gangs if gang.status == "waits"]
    counts = Counter(
        (gang.queue, code) for gang in waits for code in {reason.code for reason in gang.reasons}
    )
    gpus: Counter[str] = Counter()
    for gang in waits:
        gpus[gang.queue] += gang.gpus
    queues = sorted({gang.queue for gang in schedule.gangs})
    yield Gauge(
        "waiting_gangs",
        "",
        ("queue", "reason"),
        "Gangs that do not start within the horizon, by binding reason; a gang with several counts for each.",
        tuple((key, float(count)) for key, count in sorted(counts.items())),
    )
    yield Gauge(
        "waiting_gpus",
        "",
        ("queue",),
        "GPUs that the minimum of those gangs lacks.",
        tuple(((queue,), float(gpus[queue])) for queue in queues),
    )
    by_status = Counter(gang.status for gang in schedule.gangs)
    yield Gauge(
        "gangs",
        "",
        ("status",),
        "Gangs of the schedule: running, starts (within the horizon), waits.",
        tuple(((status,), float(by_status[status])) for status in ("running", "starts", "waits")),
    )


def _loans(schedule: Schedule) -> Iterator[Gauge]:
    services: dict[str, set[str]] = {}
    for curve in schedule.lending.demand if schedule.lending is not None else ():
        services.setdefault(curve.service, set()).add(curve.pool)
    slack: list[Sample] = []
    for service, pools in sorted(services.items()):
        found = [
            own.slack_s
            for loan in schedule.loans
            if loan.pool in pools
            for own in loan.services
            if own.service == service
        ]
        if found:
            slack.append(((service,), float(min(found))))
    yield Gauge(
        "loan_return_slack",
        "seconds",
        ("service",),
        "Least time, over the loans of the service's GPUs, between the planned return of the last GPU that the service "
        "takes back and the moment it had to be back.",
        tuple(slack),
    )


def _checks(result: PlanResult) -> Iterator[Gauge]:
    violations = result.verification.violations if result.verification is not None else ()
    counts = Counter(one.rule for one in violations)
    rules: Sequence[str] = sorted({*map(str, RuleId), *map(str, SENTENCES), *counts})
    yield Gauge(
        "verification_violations",
        "",
        ("rule",),
        "Violations that the independent check found, by rule.",
        tuple(((rule,), float(counts[rule])) for rule in rules)
        if result.verification is not None
        else (),
    )
    severities = Counter(one.severity for one in result.snapshot.findings)
    yield Gauge(
        "input_findings",
        "",
        ("severity",),
        "Findings about the input.",
        tuple(((one,), float(severities[one])) for one in ("error", "warning", "info")),
    )
