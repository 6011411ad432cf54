"""Tables fit a page 1280 pixels wide: what they need at least, as the browser gets it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ui.messages import CATALOGS, Words
from ui.parts.history_lists import COLUMNS as NIGHTS
from ui.parts.labels import LABELS
from ui.parts.schedule_result import GANG_COLUMNS, LOAN_COLUMNS, PROOF_COLUMNS
from ui.parts.topology import COLUMNS as DOMAINS
from ui.parts.widths import (
    LEAST_TEXT_PX,
    MOST_NAME_PX,
    MOST_TEXT_PX,
    PADDING_PX,
    ROOM_PX,
    fitted,
    text_px,
)

TIMES = {"starts_at", "ends_at", "returned_by", "leave_by", "from"}
RARE = {"parent", "state", "gangs_running", "domain", "short_gpus", "gpus_unavailable"}
"""Columns that few clusters fill, or that stand in for another one."""


def needed_px(table):
    """The widths of the columns that are shown, at least those of their headings."""
    told = json.loads(table.proto.columns)
    columns = [told[name] for name in table.proto.column_order]
    return sum(one.get("width") or text_px(one["label"]) + PADDING_PX for one in columns)


def test_a_table_with_room_keeps_its_own_widths():
    shown = pd.DataFrame({"gang": ["ml/a"], "gpus": [8]})
    assert fitted({"gang": "Gang", "gpus": "GPUs"}, shown, ["gang"]) == {}


def test_texts_give_way_and_numbers_stay_whole():
    shown = pd.DataFrame(
        {"gang": ["ml/" + "x" * 24], "gpus": [1_234_567], "why": ["long " * 80], "what": ["y" * 60]}
    )
    labels = {"gang": "Gang", "gpus": "GPUs", "why": "Why it waits", "what": "What helps"}
    found = fitted(labels, shown, ["gang", "why", "what"], room=600)
    assert 597 <= sum(found.values()) <= 600
    assert found["gang"] == text_px("ml/" + "x" * 24) + PADDING_PX, "names are cut last"
    assert found["gpus"] == text_px("1,234,567") + PADDING_PX
    assert found["why"] == found["what"], "the longest give way first"
    assert max(found.values()) <= MOST_TEXT_PX


def test_nothing_is_cut_below_what_can_be_read():
    shown = pd.DataFrame({name: ["z" * 50] for name in "abcdefgh"})
    found = fitted(dict.fromkeys("abcdefgh", "A"), shown, list("abcdefgh"), room=300)
    assert found.pop("a") == MOST_NAME_PX
    assert set(found.values()) == {LEAST_TEXT_PX}


@pytest.mark.parametrize("language", CATALOGS)
@pytest.mark.parametrize(
    ("columns", "select"),
    [
        (NIGHTS, False),
        (GANG_COLUMNS, True),
        (LOAN_COLUMNS, False),
        (PROOF_COLUMNS, False),
        (DOMAINS, False),
    ],
    ids=["nights", "starts", "loans", "return proof", "domains"],
)
def test_headings_fit(language, columns, select):
    say = Words(language)
    needed = [
        max(text_px(say(LABELS[name])), text_px("2026-09-15 21:00") if name in TIMES else 0)
        + PADDING_PX
        for name in columns
        if name not in RARE
    ]
    assert sum(needed) <= ROOM_PX - 36 * select


def test_the_tables_of_a_plan_fit(planned):
    for view in ("overview", "inventory", "queues", "waiting", "plan", "proof"):
        for table in planned.open(view).dataframe:
            if table.proto.column_order:  # not those that are edited
                assert needed_px(table) <= ROOM_PX, (view, list(table.proto.column_order))
