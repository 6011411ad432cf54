"""``gangplan explain`` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.explanation import Explanations
from planner.samples import sample_path

Gangplan = Callable[..., Any]
DEMO = sample_path("demo")
GANG = "serving/speech-canary"
NARROW = ("--deterministic", "--time-limit", "20s")


def test_the_document_is_data_and_every_change_was_planned(gangplan: Gangplan) -> None:
    done = gangplan("explain", DEMO, "--gang", GANG, "-o", "json", *NARROW)
    assert done.exit_code == 0, done.stderr
    document = Explanations.model_validate(json.loads(done.stdout))
    (one,) = document.gangs
    assert one.full_name == GANG
    assert one.decision == "wait"
    assert [reason.code for reason in one.reasons] == ["node_selection"]
    assert one.fixes
    assert all(fix.basis == "planned in full" and fix.scenario for fix in one.fixes)


@pytest.mark.parametrize("form", ["table", "wide", "yaml", "md", "html"])
def test_every_form_names_the_gang_and_a_change(gangplan: Gangplan, form: str) -> None:
    done = gangplan("explain", DEMO, "--gang", GANG, "-o", form, *NARROW)
    assert done.exit_code == 0, done.stderr
    assert GANG in done.stdout
    assert "NVIDIA-H200" in done.stdout


def test_csv_is_a_set_of_files(gangplan: Gangplan, tmp_path: Path) -> None:
    out = tmp_path / "set"
    done = gangplan("explain", DEMO, "--gang", GANG, "-o", "csv", "--out", out, *NARROW)
    assert done.exit_code == 0, done.stderr
    assert {one.name for one in out.iterdir()} >= {"explained.csv", "reasons.csv", "fixes.csv"}


def test_the_same_question_gets_the_same_document(gangplan: Gangplan) -> None:
    texts = [
        gangplan("explain", DEMO, "--gang", GANG, "-o", "json", *NARROW).stdout for _ in range(2)
    ]
    assert texts[0] == texts[1]


def test_an_unknown_gang_is_a_usage_error_with_the_nearest_name(gangplan: Gangplan) -> None:
    done = gangplan("explain", DEMO, "--gang", "serving/speech-canry")
    assert done.exit_code == 2
    assert f"did you mean '{GANG}'" in done.stderr
    assert done.stdout == ""
    assert gangplan("explain", DEMO).exit_code == 2


def test_a_missed_requirement_is_told(gangplan: Gangplan) -> None:
    done = gangplan("explain", DEMO, "--gang", GANG, "--require", "gpusAfter>=9999", *NARROW)
    assert done.exit_code == 7
