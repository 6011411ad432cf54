from __future__ import annotations

import io

import pytest

from planner.report.formats import render


def lines_of(result, fmt="table", **options):
    stream = io.StringIO()
    render(result, fmt, stream=stream, **options)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(demo, width):
    assert max(map(len, lines_of(demo, width=width))) <= width


def test_headings_are_those_that_users_know(demo):
    lines = lines_of(demo, width=160)
    queues = lines[lines.index("QUEUES") + 2]
    assert queues.split() == ["DESERVED", "ALLOCATED", "PLANNED", "BORROWS", "LENDS", "WAITING"]
    units = lines[lines.index("QUEUES") + 3]
    assert units.split() == ["QUEUE", "WEIGHT", *["GPUs"] * 5, "gangs"]
    heads = " ".join(lines[lines.index("GANGS") + 1 : lines.index("GANGS") + 3]).split()
    for word in ("GANG", "QUEUE", "PRIORITY", "MEMBERS", "MIN", "GPUS", "DECISION", "ON", "WHY"):
        assert word in heads


def test_columns_left_out_for_width_are_named(demo):
    text = "\n".join(lines_of(demo, width=80))
    assert "Not shown at this width: PRIORITY, MEMBERS, MIN" in text
    assert "Not shown" not in "\n".join(lines_of(demo, width=160))


@pytest.mark.parametrize("width", [30, 60, 70, 80, 90, 100, 110, 120, 160, 240])
def test_nothing_is_cut_at_any_width(demo, width):
    from planner.report.frames import changes_frame, gangs_frame, waits_frame

    lines = lines_of(demo, width=width)
    start = lines.index("GANGS")
    head = next(place for place in range(start, len(lines)) if lines[place].startswith("GANG "))
    end = next(
        place for place in range(head, len(lines)) if lines[place].startswith(("3 gangs", "Not "))
    )
    first = lines[head].index("QUEUE")
    last = lines[head].index("WHY")
    gangs = gangs_frame(demo)
    rows = [*changes_frame(gangs).itertuples(), *waits_frame(gangs).itertuples()]
    for expected, found in (
        ("".join(row.why or "-" for row in rows), [line[last:] for line in lines[head + 2 : end]]),
        ("".join(row.gang for row in rows), [line[:first] for line in lines[head + 2 : end]]),
    ):
        assert "".join("".join(found).split()) == "".join(expected.split())


def test_widths_give_long_texts_the_room():
    from planner.report.column_widths import column_widths
    from planner.report.tables import Column

    columns = (Column("GANG"), Column("GPUS", numeric=True), Column("WHY", grows=True))
    rows = [("ns/short", "1,024", "x" * 300)]
    assert column_widths(columns, rows, width=100, gap=2) == [8, 5, 83]
    assert column_widths(columns, rows, width=400, gap=2) == [8, 5, 300]
    assert column_widths(columns, rows, width=10, gap=2) == [4, 5, 3]


def test_colour_only_where_allowed(demo):
    assert not any("\x1b" in line for line in lines_of(demo, width=120))
    assert any("\x1b[" in line for line in lines_of(demo, width=120, color=True))


def test_no_colour_reaches_a_file(demo, tmp_path):
    (path,) = render(demo, "table", out=tmp_path / "plan.txt", width=120, color=True)
    assert "\x1b" not in path.read_text("utf-8")


def test_many_gangs_are_grouped_and_counted(medium):
    lines = lines_of(medium, width=160)
    text = "\n".join(lines)
    assert len(lines) < 160
    starts = sum(gang.decision == "start" for gang in medium.gangs)
    waits = sum(gang.decision == "wait" for gang in medium.gangs)
    assert f"Grouped: {starts:,} gangs in" in text
    assert f"Grouped: {waits:,} gangs in" in text
    assert "gangs.csv" in text
    shown = [line for line in lines if line.startswith("team-") and "job-" in line]
    assert 0 < len(shown) <= 60
    assert "more classes" in text


def test_what_waits_is_shown_however_much_starts(medium):
    # Before, the largest starts filled the table and no waiting gang was seen.
    lines = lines_of(medium, width=160)
    first, second = lines.index("Gangs that start"), lines.index("Gangs that wait")
    assert any("job-" in line for line in lines[first:second])
    waiting = [gang for gang in medium.gangs if gang.decision == "wait"]
    assert any(gang.reasons[0].message[1:40] in line for line in lines[second:] for gang in waiting)
    codes = {reason.code for gang in waiting for reason in gang.reasons}
    why = next(line for line in lines if line.startswith(f"Why {len(waiting):,} gangs wait"))
    assert all(code in why for code in codes)


def test_wide_lists_every_gang(samples):
    plan = samples.large_plan(nodes=60, gangs=200)
    text = "\n".join(lines_of(plan, "wide", width=240))
    assert all(gang.full_name in text for gang in plan.gangs)


def test_footer_has_as_of_digest_verification_certificate_seed_versions(demo):
    footer = "\n".join(lines_of(demo, width=200)[-3:])
    for words in (
        "As of 2026-11-29T08:15:00Z",
        "4f0c1d9a77e3",
        "Verified: 0 violations of 13 rules",
        "proved optimal",
        "Seed 0, 2 workers, deterministic",
        "ortools 9.15.6755",
    ):
        assert words in footer
