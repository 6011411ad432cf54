"""The demo through every verb, with the real planner."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner.samples import DEFAULT_SAMPLE, sample_path

Gangplan = Callable[..., Any]
SAMPLE = sample_path(DEFAULT_SAMPLE)


@pytest.fixture
def demo_plan(gangplan: Gangplan, folder: Path) -> Path:
    """The demo's plan document."""
    done = gangplan("plan", SAMPLE, "-o", "json", "--deterministic", "--out", "plan.json")
    assert done.exit_code == 0, done.stderr
    return folder / "plan.json"


def test_a_plan_verifies_and_compares_equal_to_itself(gangplan: Gangplan, demo_plan: Path) -> None:
    checked = gangplan("verify", SAMPLE, demo_plan)
    assert checked.exit_code == 0, checked.stderr
    assert checked.stdout.startswith("Verified: 0 violations")
    assert gangplan("compare", demo_plan, demo_plan, "--fail-on-change").exit_code == 0


def test_a_moved_pod_is_found(gangplan: Gangplan, demo_plan: Path) -> None:
    document = json.loads(demo_plan.read_text())
    started = next(gang for gang in document["gangs"] if gang["decision"] == "start")
    closed = next(node["name"] for node in document["nodes"] if node["conditions"])
    started["pods"][0]["node"] = closed
    demo_plan.write_text(json.dumps(document))
    done = gangplan("verify", SAMPLE, demo_plan, "-o", "json")
    assert done.exit_code == 6
    assert "node_predicates" in {one["rule"] for one in json.loads(done.stdout)["violations"]}


def test_deterministic_documents_are_equal(gangplan: Gangplan, demo_plan: Path) -> None:
    again = gangplan("plan", SAMPLE, "-o", "json", "--deterministic")
    assert without_seconds(json.loads(again.stdout)) == without_seconds(
        json.loads(demo_plan.read_text())
    )


def without_seconds(document: dict[str, Any]) -> dict[str, Any]:
    certificate = document["certificate"]
    for key in ("seconds", "stages"):
        certificate.pop(key, None)
    for tier in certificate["tiers"]:
        tier.pop("seconds")
    document["summary"].pop("sentence")
    return document


def test_the_policy_of_the_plan_is_used_for_its_verification(
    gangplan: Gangplan, folder: Path
) -> None:
    made = gangplan("plan", SAMPLE, "-o", "json", "--set-policy", "objective=throughput")
    assert made.exit_code == 0, made.stderr
    (folder / "plan.json").write_text(made.stdout)
    done = gangplan("verify", SAMPLE, "plan.json", "-o", "json")
    assert done.exit_code == 0, done.stdout
    assert json.loads(done.stdout)["policyFrom"] == "plan document"


def test_no_name_survives_anonymizing_and_the_figures_stay(
    gangplan: Gangplan, demo_plan: Path, folder: Path
) -> None:
    assert gangplan("convert", SAMPLE, "--anonymize", "--out", "anonymous.json").exit_code == 0
    assert "pretrain" not in (folder / "anonymous.json").read_text()
    done = gangplan("plan", "anonymous.json", "-o", "json")
    figures = json.loads(demo_plan.read_text())["summary"]
    assert json.loads(done.stdout)["summary"]["gpusAfter"] == figures["gpusAfter"]


@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml", "csv", "md", "html"])
def test_every_form_is_written(gangplan: Gangplan, demo_plan: Path, form: str) -> None:
    done = gangplan("report", demo_plan, "-o", form, "--out", f"as-{form}")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert Path(f"as-{form}").exists()


@pytest.mark.parametrize("name", ["vs01", "vs02", "vs03", "vs04", "vs08"])
def test_conformance_snapshots_are_planned(gangplan: Gangplan, shared: Path, name: str) -> None:
    case = shared / "cases" / "volcano" / f"{name}.snapshot.yaml"
    done = gangplan("plan", case, "-o", "json", "--set-policy", "queue_model=capacity")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["verification"]["violations"] == []
