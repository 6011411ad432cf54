"""``demo``, ``inspect``, ``verify``, ``report``, ``convert``, ``compare`` and ``doctor``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.plan import PlanResult, RuleViolation, Summary, Verification
from planner.usecases import environment

Gangplan = Callable[..., Any]
Replace = Callable[[Callable[..., PlanResult]], None]
MakePlan = Callable[..., PlanResult]


def test_demo_prints_tables_and_writes_the_report(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, folder: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    done = gangplan("demo")
    assert done.exit_code == 0, done.stderr
    assert "1 of 2 waiting gangs" in done.stdout
    assert "gangplan-report-demo.html" in done.stderr
    page = (folder / "gangplan-report-demo.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")


def test_demo_names_the_samples_it_knows(gangplan: Gangplan) -> None:
    done = gangplan("demo", "nothing-like-it")
    assert done.exit_code == 2
    assert "demo" in done.stderr


def test_inspect_needs_no_solver(gangplan: Gangplan, snapshot_file: Path) -> None:
    done = gangplan("inspect", snapshot_file)
    assert done.exit_code == 0, done.stderr
    assert "train" in done.stdout
    document = json.loads(gangplan("inspect", snapshot_file, "-o", "json").stdout)
    assert document["schemaVersion"] == 1


def test_a_snapshot_may_come_from_standard_input(gangplan: Gangplan, snapshot_file: Path) -> None:
    done = gangplan("inspect", "-", stdin=snapshot_file.read_text())
    assert done.exit_code == 0, done.stderr
    assert "train" in done.stdout


def test_report_renders_a_document_again(gangplan: Gangplan, plan_file: Path) -> None:
    table = gangplan("report", plan_file)
    assert table.exit_code == 0, table.stderr
    assert table.stdout.startswith("1 of 2 waiting gangs")
    same = gangplan("report", plan_file, "-o", "json")
    assert json.loads(same.stdout) == json.loads(plan_file.read_text())
    piped = gangplan("report", "-", "-o", "md", stdin=plan_file.read_text())
    assert piped.exit_code == 0, piped.stderr
    assert "1 of 2 waiting gangs" in piped.stdout


def test_report_does_not_show_a_plan_that_failed(
    gangplan: Gangplan, a_plan: MakePlan, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    violation = RuleViolation(rule="node_capacity", object="node/gpu-1", message="9 of 8 GPUs")
    bad = a_plan(verification=Verification(violations=(violation,), rules=13))
    path.write_text(bad.model_dump_json(by_alias=True))
    done = gangplan("report", path)
    assert done.exit_code == 6
    assert done.stdout == ""
    assert "9 of 8 GPUs" in done.stderr


def test_compare_finds_differences(
    gangplan: Gangplan, a_plan: MakePlan, plan_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    summary = Summary(sentence="Nothing.", gpus_allocatable=8, gangs_waiting=2)
    other.write_text(a_plan(summary=summary, gangs=()).model_dump_json(by_alias=True))
    assert gangplan("compare", plan_file, plan_file, "--fail-on-change").exit_code == 0
    assert gangplan("compare", plan_file, other).exit_code == 0
    changed = gangplan("compare", plan_file, other, "--fail-on-change", "-o", "json")
    assert changed.exit_code == 1
    assert json.loads(changed.stdout)["schemaVersion"] == 1
    assert gangplan("compare", "-", "-").exit_code == 2


def test_convert_gives_one_snapshot_that_reads_the_same(
    gangplan: Gangplan, snapshot_file: Path, folder: Path
) -> None:
    first = gangplan("convert", snapshot_file)
    assert first.exit_code == 0, first.stderr
    (folder / "one.json").write_text(first.stdout)
    assert gangplan("convert", "one.json", "--out", "two.json.gz").exit_code == 0
    packed = json.loads(gzip.decompress((folder / "two.json.gz").read_bytes()))
    assert packed["digest"] == json.loads(first.stdout)["digest"]


def test_anonymize_leaves_no_name(gangplan: Gangplan, snapshot_file: Path) -> None:
    done = gangplan("convert", snapshot_file, "--anonymize")
    assert done.exit_code == 0, done.stderr
    assert not [name for name in ("train", "gpu-1", "research") if name in done.stdout]


def test_verify_says_what_a_plan_breaks(
    gangplan: Gangplan, a_plan: MakePlan, snapshot_file: Path, tmp_path: Path
) -> None:
    plan = a_plan()
    pods = plan.gangs[0].pods[0].model_copy(update={"node": "no-such-node"})
    gang = plan.gangs[0].model_copy(update={"pods": (pods,)})
    path = tmp_path / "by-hand.json"
    path.write_text(a_plan(gangs=(gang,)).model_dump_json(by_alias=True))
    done = gangplan("verify", snapshot_file, path, "-o", "json")
    assert done.exit_code == 6, done.stderr
    document = json.loads(done.stdout)
    assert document["verified"] is False
    assert any("no-such-node" in one["message"] for one in document["violations"])
    assert "another snapshot" in done.stderr


@pytest.mark.parametrize("arguments", [["only-one"], ["-", "-"]])
def test_verify_wants_a_snapshot_and_a_plan(gangplan: Gangplan, arguments: list[str]) -> None:
    done = gangplan("verify", *arguments)
    assert done.exit_code == 2
    assert "snapshot" in done.stderr


def test_doctor_tells_versions_and_solvers(gangplan: Gangplan) -> None:
    done = gangplan("doctor")
    assert done.exit_code == 0
    assert "CP-SAT" in done.stdout
    document = json.loads(gangplan("doctor", "-o", "json").stdout)
    assert document["kind"] == "Environment"
    assert document["machine"]["cores"] >= 1


def test_doctor_fails_without_a_solver(gangplan: Gangplan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_loads", lambda module: "gone")
    done = gangplan("doctor")
    assert done.exit_code == 2
    assert "cannot plan" in done.stdout


def test_version_and_no_verb(gangplan: Gangplan) -> None:
    assert gangplan("--version").stdout.startswith("gangplan ")
    assert "Usage" in gangplan().output
