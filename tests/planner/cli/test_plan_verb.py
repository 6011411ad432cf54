"""``plan``: every exit code, with a stand-in for the planning itself."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.findings import BackendError, InfeasibleError, NoPlanInTimeError, VerificationError
from models.plan import PlanResult, RuleViolation, Verification

Gangplan = Callable[..., Any]
Replace = Callable[[Callable[..., PlanResult]], None]
MakePlan = Callable[..., PlanResult]


def wait_until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end and not holds():
        time.sleep(0.01)
    return holds()


def test_a_plan_is_data_on_stdout_and_talk_on_stderr(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    done = gangplan("plan", snapshot_file, "-o", "json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(a_plan().model_dump_json(by_alias=True))


def test_the_first_line_of_the_tables_is_the_sentence(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    done = gangplan("plan", snapshot_file)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("1 of 2 waiting gangs can start now")
    assert "\x1b" not in done.stdout


def test_options_reach_the_planner(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, tmp_path: Path
) -> None:
    seen: dict[str, Any] = {}

    def make_plan(snapshot: Any, policy: Any, limits: Any, **rest: Any) -> PlanResult:
        seen.update(snapshot=snapshot, policy=policy, limits=limits, **rest)
        return a_plan()

    planned(make_plan)
    policy = tmp_path / "policy.yaml"
    policy.write_text("queue_model: capacity\nobjective: throughput\n")
    options = ["--policy", policy, "--set-policy", "objective=default", "--time-limit", "2m"]
    search = ["--gap", "0.1%", "--seed", "7", "--workers", "3", "--deterministic", "--quiet"]
    assert gangplan("plan", snapshot_file, *options, *search).exit_code == 0
    limits = seen["limits"]
    assert (limits.time_limit_s, limits.gap, limits.seed) == (120, 0.001, 7)
    assert (limits.workers, limits.deterministic) == (3, True)
    assert seen["policy"].queue_model == "capacity"
    assert seen["policy"].policy.objective == "default"
    assert [gang.full_name for gang in seen["snapshot"].gangs] == ["ml/train"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InfeasibleError("proved"), 4),
        (NoPlanInTimeError("too short"), 5),
        (BackendError("no solver"), 2),
        (RuntimeError("a bug"), 2),
    ],
)
def test_errors_of_planning_have_their_exit_codes(
    gangplan: Gangplan, planned: Replace, snapshot_file: Path, error: Exception, code: int
) -> None:
    def make_plan(*a: Any, **k: Any) -> PlanResult:
        raise error

    planned(make_plan)
    done = gangplan("plan", snapshot_file)
    assert done.exit_code == code
    assert str(error) in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_plan_that_fails_verification_is_withheld_and_bundled(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, folder: Path
) -> None:
    violation = RuleViolation(rule="node_capacity", object="node/gpu-1", message="9 of 8 GPUs")
    bad = a_plan(verification=Verification(violations=(violation,), rules=13))

    def make_plan(*a: Any, **k: Any) -> PlanResult:
        error = VerificationError("1 violation")
        error.result = bad  # type: ignore[attr-defined]
        raise error

    planned(make_plan)
    done = gangplan("plan", snapshot_file, "-o", "json")
    assert done.exit_code == 6
    assert done.stdout == ""
    assert "9 of 8 GPUs" in done.stderr
    [bundle] = folder.glob("gangplan-bundle-*.zip")
    assert bundle.name in done.stderr
    with zipfile.ZipFile(bundle) as archive:
        assert set(archive.namelist()) == {
            "snapshot.json",
            "policy.yaml",
            "plan.json",
            "violations.json",
        }
        assert json.loads(archive.read("violations.json"))[0]["rule"] == "node_capacity"
        archive.extractall(folder)
    planned(lambda *a, **k: a_plan())
    again = gangplan("plan", folder / "snapshot.json", "--policy", folder / "policy.yaml")
    assert again.exit_code == 0, again.stderr


def test_a_missed_requirement_is_7_and_the_plan_is_still_written(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    asked = ["--require", "gpusAfter>=4", "--require", "gangsWaiting<1"]
    done = gangplan("plan", snapshot_file, "-o", "json", *asked)
    assert done.exit_code == 7
    assert json.loads(done.stdout)["summary"]["gpusAfter"] == 4
    assert "required gangsWaiting<1, but gangsWaiting is 1" in done.stderr
    assert "gpusAfter>=4" not in done.stderr
    assert gangplan("plan", snapshot_file, *asked[:2]).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--require", "gpusAfter"],
        ["--set-policy", "evict"],
        ["--time-limit", "soon"],
        ["--gap", "200%"],
        ["--workers", "0"],
        ["-o", "xml"],
        ["--no-such-option"],
        ["-o", "csv"],
    ],
)
def test_wrong_use_is_2_before_anything_is_planned(
    gangplan: Gangplan,
    planned: Replace,
    a_plan: MakePlan,
    snapshot_file: Path,
    arguments: list[str],
) -> None:
    calls: list[object] = []
    planned(lambda *a, **k: calls.append(a) or a_plan())
    done = gangplan("plan", snapshot_file, *arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr
    assert calls == []


def test_parquet_without_its_library_is_refused_before_anything_is_planned(
    gangplan: Gangplan, monkeypatch: pytest.MonkeyPatch, snapshot_file: Path, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = gangplan("plan", snapshot_file, "-o", "parquet", "--out", tmp_path / "tables")
    assert done.exit_code == 2
    assert "gangplan[parquet]" in done.stderr
    assert "searching" not in done.stderr


def test_ctrl_c_gives_the_best_plan_and_0(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path
) -> None:
    def make_plan(*a: Any, stop: Any, **k: Any) -> PlanResult:
        os.kill(os.getpid(), signal.SIGINT)
        assert wait_until(stop.is_set)
        return a_plan()

    planned(make_plan)
    done = gangplan("plan", snapshot_file, "-o", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["kind"] == "PlanResult"
    assert "stopping" in done.stderr


def test_ctrl_c_without_a_plan_is_130(
    gangplan: Gangplan, planned: Replace, snapshot_file: Path
) -> None:
    def make_plan(*a: Any, stop: Any, **k: Any) -> PlanResult:
        os.kill(os.getpid(), signal.SIGINT)
        assert wait_until(stop.is_set)
        raise NoPlanInTimeError("stopped before there was a plan")

    planned(make_plan)
    done = gangplan("plan", snapshot_file, "-o", "json")
    assert done.exit_code == 130
    assert done.stdout == ""


def test_out_takes_the_data_and_is_named(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, folder: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    done = gangplan("plan", snapshot_file, "-o", "json", "--out", "deep/plan.json")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "wrote deep/plan.json" in done.stderr
    assert json.loads((folder / "deep/plan.json").read_text())["kind"] == "PlanResult"
    tables = gangplan("plan", snapshot_file, "-o", "csv", "--out", "tables")
    assert tables.exit_code == 0
    assert {"gangs.csv", "pods.csv", "queues.csv", "nodes.csv"} <= {
        path.name for path in (folder / "tables").iterdir()
    }


def test_a_place_that_cannot_be_written_is_told(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, folder: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    (folder / "file").write_text("in the way")
    done = gangplan("plan", snapshot_file, "-o", "json", "--out", "file/plan.json")
    assert done.exit_code == 2
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


def test_namespace_and_queue_narrow_what_is_shown(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    _add_pod_of(snapshot_file, "other")
    done = gangplan("plan", snapshot_file, "-o", "json", "-n", "other")
    shown = json.loads(done.stdout)
    assert shown["gangs"] == []
    assert shown["summary"]["gangsWaiting"] == 1


def test_manifests_of_the_plan_are_written_beside_it(
    gangplan: Gangplan, planned: Replace, a_plan: MakePlan, snapshot_file: Path, tmp_path: Path
) -> None:
    planned(lambda *a, **k: a_plan())
    folder = tmp_path / "advice" / "manifests"
    done = gangplan("plan", snapshot_file, "--manifests", folder)
    assert done.exit_code == 0, done.stderr
    assert (folder / "README.md").read_text().startswith("# Manifests for the plan")
    assert f"wrote {folder / 'README.md'}" in done.stderr.replace("\n", "")


def test_manifests_are_not_mixed_with_other_files(
    gangplan: Gangplan, planned: Replace, snapshot_file: Path, tmp_path: Path
) -> None:
    """It is said before the search, which would take a minute."""

    def never(*given: Any, **more: Any) -> PlanResult:
        raise AssertionError("planned")

    planned(never)
    (tmp_path / "other.yaml").write_text("")
    for wrong in (tmp_path, tmp_path / "other.yaml"):
        done = gangplan("plan", snapshot_file, "--manifests", wrong)
        assert done.exit_code == 2
        assert "--manifests" in done.stderr
    done = gangplan("plan", snapshot_file, "--clusters", "--manifests", tmp_path / "new")
    assert done.exit_code == 2


def _add_pod_of(file: Path, namespace: str) -> None:
    """A pod of another namespace, whose name ``-n`` then takes."""
    meta = f"metadata: {{namespace: {namespace}, name: one}}"
    pod = (
        f"apiVersion: v1\nkind: Pod\n{meta}\nspec: {{containers: []}}\nstatus: {{phase: Running}}\n"
    )
    file.write_text(f"{file.read_text()}\n---\n{pod}")
