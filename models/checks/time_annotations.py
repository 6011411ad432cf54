"""Annotations that carry times, and cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.policy_domains import ANNOTATION, annotated_requests

SLA_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_GO_DURATION = re.compile(
    r"\+?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+", re.ASCII
)


def sla_unreadable(subject: Subject) -> Iterator[Hit]:
    """``sla-waiting-time`` is no positive Go duration: Volcano ignores it."""
    for gang in subject.live_gangs:
        for key in SLA_KEYS:
            text = gang.annotations.get(key)
            if text is not None and not positive_duration(text):
                yield Hit(
                    f"gang/{gang.full_name}",
                    f"gang {gang.full_name}: annotation {key} is {text[:40]!r}, no duration above 0 "
                    "(such as 30m or 1h30m): it is ignored",
                )


def annotation_unreadable(subject: Subject) -> Iterator[Hit]:
    """A ``gangplan.io/`` annotation of a gang cannot be read."""
    for gang in subject.live_gangs:
        for key, (readable, form) in FORMS.items():
            text = gang.annotations.get(key)
            if text is not None and not readable(text):
                yield Hit(
                    f"gang/{gang.full_name}",
                    f"gang {gang.full_name}: annotation {key} is {text[:40]!r}, not {form}: it is ignored",
                )


def positive_duration(text: str) -> bool:
    """Whether the text is a Go duration above 0, e.g. ``1h30m``."""
    if _GO_DURATION.fullmatch(text.strip()) is None:
        return False
    return any(digit in "123456789" for digit in text)


def _duration_or_seconds(text: str) -> bool:
    return positive_duration(text) or (text.strip().isdecimal() and int(text[:20]) > 0)


def _moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text.strip()).tzinfo is not None
    except ValueError:
        return False


def _domain_request(text: str) -> bool:
    return annotated_requests({ANNOTATION: text}) is not None


FORMS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "gangplan.io/runtime": (_duration_or_seconds, "a duration such as 4h"),
    "gangplan.io/checkpoint-interval": (_duration_or_seconds, "a duration such as 30m"),
    "gangplan.io/restart-cost": (_duration_or_seconds, "a duration such as 10m"),
    "gangplan.io/deadline": (_moment, "a time such as 2026-08-20T08:00:00Z"),
    "gangplan.io/earliest-start": (_moment, "a time such as 2026-08-20T08:00:00Z"),
    ANNOTATION: (_domain_request, "name=amount pairs with whole numbers"),
}


MAINTENANCE = Check(
    "run_meets_maintenance",
    "warning",
    "The plan places pods on a node that goes into a maintenance window of the policy before their run would end "
    "(a run without a known duration counts with the policy's default). Told of a plan, which does not yet avoid such "
    "nodes; a schedule does.",
    "hold the run until the window is over, or move the window; gangplan schedule plans around it",
    noun="gangs",
    phrase="run into maintenance",
)

CHECKS = (
    MAINTENANCE,
    Check(
        "sla_unreadable",
        "warning",
        "The annotation `sla-waiting-time` of a gang is no positive duration; Volcano ignores it, so does the plan.",
        "write a Go duration, for example 1h30m",
        noun="gangs",
        phrase="have an sla-waiting-time that cannot be read",
        see_all="kubectl get podgroups -A -o yaml",
        find=sla_unreadable,
    ),
    Check(
        "annotation_unreadable",
        "warning",
        "A `gangplan.io/` annotation of a gang (runtime, checkpoint-interval, restart-cost, deadline, earliest-start, "
        "domain-request) cannot be read and is ignored.",
        "write durations like 4h and times like 2026-08-20T08:00:00Z",
        noun="annotations",
        phrase="cannot be read",
        see_all="kubectl get podgroups,jobs.batch.volcano.sh -A -o yaml",
        find=annotation_unreadable,
    ),
)
