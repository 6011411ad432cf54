from __future__ import annotations

import pytest

from models.checks.time_annotations import positive_duration

SLA = "sla-waiting-time"


def test_a_waiting_time_that_is_no_duration(make):
    found = make.tells(
        "sla_unreadable",
        make.snapshot(make.gang(annotations={SLA: "30 minutes"})),
        make.snapshot(make.gang(annotations={SLA: "30m"})),
    )
    assert "'30 minutes'" in found.message


@pytest.mark.parametrize("text", ["1h30m", "0.5h", "90s", "1m0.5s", "+5m", "100ms", "1µs"])
def test_go_durations(text):
    assert positive_duration(text)


@pytest.mark.parametrize("text", ["", "0s", "-5m", "5", "5 m", "1d", "m", "1h30", "1e3s", "٣m"])
def test_what_is_no_positive_go_duration(text):
    assert not positive_duration(text)


@pytest.mark.parametrize(
    ("key", "bad", "good"),
    [
        ("runtime", "tomorrow", "4h"),
        ("runtime", "0", "14400"),
        ("checkpoint-interval", "often", "30m"),
        ("restart-cost", "-3m", "3m"),
        ("deadline", "2026-08-20", "2026-08-20T08:00:00Z"),
        ("earliest-start", "8 o'clock", "2026-08-20T08:00:00+02:00"),
        ("domain-request", "storage", "storage=4, scratch=1"),
    ],
)
def test_own_annotations_that_cannot_be_read(make, key, bad, good):
    name = f"gangplan.io/{key}"
    found = make.tells(
        "annotation_unreadable",
        make.snapshot(make.gang(annotations={name: bad})),
        make.snapshot(make.gang(annotations={name: good})),
    )
    assert name in found.message
    assert "ignored" in found.message
