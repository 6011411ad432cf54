from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.hostlist import hostlist
from planner.report.text import (
    clean,
    counted,
    cpu_text,
    duration,
    gap_words,
    gibibytes_text,
    percent,
    ratio_percent,
    resource_text,
    seconds_between,
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain-name", "plain-name"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines", "two\\x0alines"),
        ("ab\u202egpj.exe", "ab\\u202egpj.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("lone\ud800", "lone\\ud800"),
        ("Prüfung 训练", "Prüfung 训练"),
    ],
)
def test_clean_makes_control_characters_visible_and_keeps_letters(raw, shown):
    assert clean(raw) == shown


@given(st.text())
def test_cleaned_text_is_encodable_and_one_line(text):
    shown = clean(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1
    assert not any(ord(character) < 32 or ord(character) == 127 for character in shown)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (0.0, "0.00 s"),
        (1.834, "1.83 s"),
        (90, "90 s"),
        (150, "2 min 30 s"),
        (3_600, "1 h"),
        (9_000, "2 h 30 min"),
        (93_600, "1 d 2 h"),
    ],
)
def test_durations_carry_units(seconds, shown):
    assert duration(seconds) == shown


def test_a_gap_that_is_not_zero_never_reads_as_zero():
    assert ratio_percent(0) == "0 %"
    assert ratio_percent(1e-9) == "<0.01 %"
    assert ratio_percent(0.008) == "0.80 %"
    assert ratio_percent(None) == "not proved"


def test_shares_and_amounts():
    assert percent(412, 448) == "92.0 %"
    assert percent(1, 0) == "-"
    assert counted(1, "class", "classes") == "1 class"
    assert counted(2_000, "class", "classes") == "2,000 classes"
    assert cpu_text(1_500) == "1.5"
    assert cpu_text(-250) == "-0.25"
    assert gibibytes_text(1_536 * 1024**2) == "1.5"
    assert resource_text("rdma/hca", 4) == "4 rdma/hca"
    assert resource_text("cpu", 64_000) == "64 CPUs"


def test_seconds_between_needs_both_times():
    assert seconds_between("2026-11-29T08:00:00Z", "2026-11-29T08:01:30Z") == 90
    assert seconds_between("2026-11-29T09:00:00+01:00", "2026-11-29T08:00:00Z") == 0
    assert seconds_between("", "2026-11-29T08:00:00Z") is None
    assert seconds_between("yesterday", "2026-11-29T08:00:00Z") is None
    assert seconds_between("2026-11-29T08:00:00", "2026-11-29T08:00:00Z") is None


def test_hostlist_folds_runs_of_one_width_and_keeps_every_name():
    names = ["gpu-001", "gpu-002", "gpu-003", "gpu-007", "gpu-10", "login", "a1"]
    assert hostlist(names) == "a1, gpu-10, gpu-[001-003,007], login"
    assert hostlist([]) == ""
    assert hostlist(["n1", "n1"]) == "n1"


@given(st.sets(st.from_regex(r"[a-z]{1,3}-?[0-9]{0,4}", fullmatch=True), max_size=30))
def test_hostlist_can_be_unfolded_to_the_same_names(names):
    assert _unfold(hostlist(names)) == names


def _unfold(text: str) -> set[str]:
    found: set[str] = set()
    for part in filter(None, text.split(", ")):
        if "[" not in part:
            found.add(part)
            continue
        prefix, inner = part[:-1].split("[")
        for run in inner.split(","):
            first, _, last = run.partition("-")
            for value in range(int(first), int(last or first) + 1):
                found.add(f"{prefix}{value:0{len(first)}d}")
    return found


def test_large_gaps_tell_what_is_open_in_the_unit_of_the_tier():
    """One GPU of at most nine in a late rank is not 800 % of anything that a reader cares for."""
    assert gap_words(8.0, 1, 9, "GPUs") == "8 GPUs"
    assert gap_words(0.36, 3_347, 2_460, "points") == "36.00 %"
    assert gap_words(0.008, 1_000, 1_008, "GPUs") == "0.80 %"
    assert gap_words(None, 1, None, "GPUs") == "not proved"
    assert gap_words(0, 1, 1, "GPUs") == "0 %"
