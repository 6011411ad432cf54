"""``gangplan whatif``: scenarios, short forms, sweeps, and everything that can be wrong with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from planner.samples import sample_path

Gangplan = Callable[..., Any]
FAST = ("--quiet", "--deterministic")


@pytest.fixture
def demo() -> Path:
    """The sample cluster."""
    return sample_path("demo")


@pytest.fixture
def base_plan(gangplan: Gangplan, demo: Path, tmp_path: Path) -> Path:
    """Its plan."""
    path = tmp_path / "base.json"
    done = gangplan("plan", demo, *FAST, "-o", "json", "--out", path)
    assert done.exit_code == 0, done.stderr
    return path


def test_short_forms_and_files_stand_side_by_side(
    gangplan: Gangplan, demo: Path, base_plan: Path, tmp_path: Path
) -> None:
    scenario = tmp_path / "fails.yaml"
    scenario.write_text("edits:\n- fail: {nodes: h100-2}\n")
    saved, kept = tmp_path / "mine.yaml", tmp_path / "kept"
    done = gangplan(
        *("whatif", demo, "--base", base_plan, "--scenario", scenario, "--add", "H100=1"),
        *("--set", "queue/eval.weight=6", "--name", "mine", "--save", saved, "--keep", kept),
        *(*FAST, "-o", "json"),
    )
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    names = [one["name"] for one in document["scenarios"]]
    assert names == ["fails", "mine"]
    gpus = {
        one["name"]: next(f for f in one["figures"] if f["key"] == "gpus_after")
        for one in document["scenarios"]
    }
    assert gpus["fails"]["value"] < document["figures"]["gpus_after"] < gpus["mine"]["value"]
    assert (
        yaml.safe_load(saved.read_text())["edits"][0]
        == {"add_nodes": {"like": "H100", "count": "1"}}
        or yaml.safe_load(saved.read_text())["edits"][0]["add_nodes"]["like"] == "H100"
    )
    again = gangplan("whatif", demo, "--base", base_plan, "--scenario", saved, *FAST, "-o", "json")
    assert (
        json.loads(again.stdout)["scenarios"][0]["figures"] == document["scenarios"][1]["figures"]
    )
    snapshot, plan = kept / "mine.snapshot.json", kept / "mine.plan.json"
    assert gangplan("verify", snapshot, plan).exit_code == 0


@pytest.mark.parametrize("form", ["table", "wide", "yaml", "md", "html"])
def test_every_form(gangplan: Gangplan, demo: Path, base_plan: Path, form: str) -> None:
    arguments = ("whatif", demo, "--base", base_plan, "--drain", "a100-1", *FAST, "-o", form)
    done = gangplan(*arguments)
    assert done.exit_code == 0, done.stderr
    assert "drain a100-1" in done.stdout
    assert "worse" in done.stdout
    if form == "html":
        assert "GPUs allocated of queues by plan" in done.stdout
        assert "<script" not in done.stdout


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tidy_tables(
    gangplan: Gangplan, demo: Path, base_plan: Path, tmp_path: Path, form: str
) -> None:
    import pandas as pd

    if form == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra 'parquet')")
    out = tmp_path / "tables"
    arguments = ("--base", base_plan, "--drain", "a100-1", "--remove", "h100-5", *FAST)
    done = gangplan("whatif", demo, *arguments, "-o", form, "--out", out)
    assert done.exit_code == 0, done.stderr
    read = pd.read_csv if form == "csv" else pd.read_parquet
    figures = read(out / f"figures.{form}")
    assert set(figures["scenario"]) == {"remove nodes h100-5; drain a100-1"}
    assert {"key", "base", "value", "undecided"} <= set(figures.columns)
    assert len(read(out / f"gangs.{form}")) > 0


def test_filters_cut_lists_and_not_figures(gangplan: Gangplan, demo: Path, base_plan: Path) -> None:
    arguments = ("whatif", demo, "--base", base_plan, "--drain", "a100-*", *FAST, "-o", "json")
    every = json.loads(gangplan(*arguments).stdout)["scenarios"][0]
    only = json.loads(gangplan(*arguments, "-q", "eval").stdout)["scenarios"][0]
    assert (
        {gang["queue"] for gang in only["gangs"]}
        == {"eval"}
        != {g["queue"] for g in every["gangs"]}
    )
    assert only["figures"] == every["figures"]


def test_a_requirement_holds_for_every_scenario(
    gangplan: Gangplan, demo: Path, base_plan: Path
) -> None:
    arguments = ("whatif", demo, "--base", base_plan, "--drain", "a100-*", *FAST)
    assert gangplan(*arguments, "--require", "gpusAfter>=1").exit_code == 0
    missed = gangplan(*arguments, "--require", "gpusAfter>=60")
    assert missed.exit_code == 7
    assert "drain a100-*: required gpusAfter>=60" in missed.stderr


def test_a_gang_is_pinned_and_forbidden(
    gangplan: Gangplan, demo: Path, base_plan: Path, tmp_path: Path
) -> None:
    plan = json.loads(base_plan.read_text())
    gang = next(one for one in plan["gangs"] if one["decision"] == "start")
    name = f"{gang['namespace']}/{gang['name']}"
    nodes = sorted({pods["node"] for pods in gang["pods"] if pods["action"] == "place"})
    saved = tmp_path / "pins.yaml"
    arguments = ("whatif", demo, "--base", base_plan, *FAST, "-o", "json")
    done = gangplan(*arguments, "--pin", f"{name}={'+'.join(nodes)}", "--save", saved)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["scenarios"][0]["gangs"] == []
    edits = yaml.safe_load(saved.read_text())["edits"]
    assert list(edits[0]) == ["pin_gang"]
    kept = tmp_path / "kept"
    forbid = ("--forbid", f"{name}={nodes[0]}", "--name", "f", "--keep", kept)
    assert gangplan(*arguments, *forbid).exit_code == 0
    again = json.loads((kept / "f.plan.json").read_text())
    placed = next(one for one in again["gangs"] if one["name"] == gang["name"])["pods"]
    assert nodes[0] not in {pods.get("node") for pods in placed}
    assert gangplan("verify", kept / "f.snapshot.json", kept / "f.plan.json").exit_code == 0
    assert gangplan(*arguments, "--pin", name).exit_code == 2
    wrong = gangplan(*arguments, "--forbid", f"{name}=h100-99")
    assert wrong.exit_code == 3
    assert "did you mean 'h100-" in wrong.stderr


def test_marginal_values(gangplan: Gangplan, demo: Path, base_plan: Path) -> None:
    done = gangplan("whatif", demo, "--base", base_plan, "--marginal", "--jobs", "1", *FAST)
    assert done.exit_code == 0, done.stderr
    assert "WHAT ONE MORE IS WORTH" in done.stdout
    assert "node of NVIDIA-H100" in done.stdout
    assert "starts nothing" in done.stdout


def test_a_sweep_resumes_and_draws(
    gangplan: Gangplan, demo: Path, base_plan: Path, folder: Path
) -> None:
    (folder / "grid.yaml").write_text(
        "grid:\n  add/H100: 0..2\n  queue/eval.capability.gpu: [24, 32]\n"
    )
    arguments = ("whatif", demo, "--base", base_plan, "--sweep", "grid.yaml", "--jobs", "1", *FAST)
    done = gangplan(*arguments, "-o", "html")
    assert done.exit_code == 0, done.stderr
    assert "6 of 6 points planned" in done.stdout
    assert 'class="h-cell"' in done.stdout
    assert (folder / "grid.journal.jsonl").exists()
    again = json.loads(gangplan(*arguments, "-o", "json").stdout)
    assert again["resumed"] == 6
    table = gangplan(*arguments)
    assert "BEST POINTS" not in table.stdout
    assert "queue/eval.capability.gpu" in table.stdout


BAD: list[tuple[list[str], int, str]] = [
    ([], 2, "say what varies"),
    (["--add", "H100"], 2, "--add 'H100': write it as KEY=VALUE"),
    (["--add", "H100=many"], 2, "no number of nodes"),
    (["--set", "quue/eval.weight=4"], 2, "did you mean 'queue'?"),
    (["--set", "queue/eval.weigth=4"], 2, "did you mean 'weight'?"),
    (["--set", "policy.evict=[preempt"], 3, "not valid YAML"),
    (["--scale", "eval=much"], 2, "not a number"),
    (["--drain", "b100-1"], 3, "command line: edit 1 (drain): there is no node"),
    (["--set", "queue/evl.weight=4"], 3, "did you mean 'eval'?"),
    (["--set", "policy.evct=[]"], 3, "unknown policy key 'evct'"),
    (["--scenario", "missing.yaml"], 3, "missing.yaml: cannot be read"),
    (["--scenario", "broken.yaml"], 3, "broken.yaml: is not valid YAML"),
    (["--scenario", "wrong.yaml"], 3, "wrong.yaml: edit 2 (drian)"),
    (["--sweep", "wrong.yaml"], 3, "no sweep key 'edits'"),
    (["--sweep", "grid.yaml", "--add", "H100=1"], 2, "--sweep stands alone"),
    (["--sweep", "grid.yaml", "--engine", "slurm"], 2, "known: local, ray"),
    (["--sweep", "grid.yaml", "--ray-address", "x"], 2, "needs --engine ray"),
    (["--sweep", "grid.yaml"], 3, "value 'z-1'"),
    (["--save", "x.yaml", "--marginal"], 2, "--save keeps the short forms"),
    (["--effort", "fast", "--marginal"], 2, "duration"),
    (["--base", "missing.json", "--drain", "a100-1"], 3, "missing.json"),
    (["--remove", ""], 2, "--remove names no nodes"),
    (["--set", "queue/eval.weight=3", "--set", "queue/eval.weight=5"], 2, "is given twice"),
    (["--journal", "j.jsonl", "--drain", "a100-1"], 2, "--journal needs --sweep"),
    (["--engine", "spark", "--drain", "a100-1"], 2, "--engine and --ray-address need --sweep"),
    (["--keep", "grid.yaml", "--drain", "a100-1"], 2, "is a file; name a folder"),
    (["--scenario", "twice.yaml"], 3, "the key 'nodes' is written twice"),
]


@pytest.mark.parametrize(("options", "code", "message"), BAD)
def test_wrong_use_and_wrong_files(
    gangplan: Gangplan, demo: Path, folder: Path, options: list[str], code: int, message: str
) -> None:
    (folder / "broken.yaml").write_text("edits: [")
    (folder / "wrong.yaml").write_text("edits:\n- fail: {nodes: a}\n- drian: {nodes: a}\n")
    (folder / "grid.yaml").write_text("grid: {drain: [none, z-1]}\n")
    (folder / "twice.yaml").write_text("edits: [{drain: {nodes: a100-1, nodes: a100-2}}]\n")
    done = gangplan("whatif", demo, *options, *FAST)
    assert done.exit_code == code, done.stderr
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_and_counts_nothing_twice(
    gangplan: Gangplan, demo: Path, base_plan: Path, folder: Path
) -> None:
    (folder / "grid.yaml").write_text(
        "grid:\n  add/H100: 0..3\n  queue/eval.capability.gpu: [24, 28, 32, 40, 48, 64]\n"
    )
    arguments = ("whatif", demo, "--base", base_plan, "--sweep", "grid.yaml", "--jobs", "2")
    command = [sys.executable, "-m", "planner.cli", *map(str, arguments), *FAST]
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    journal = folder / "grid.journal.jsonl"
    begun = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while time.monotonic() < end and begun.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= 5:
            break
        time.sleep(0.02)
    begun.kill()
    assert begun.wait() == -signal.SIGKILL
    done = gangplan(*arguments, *FAST, "-o", "json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["resumed"] >= 4
    assert [row["number"] for row in document["rows"]] == list(range(24))
    rows = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    assert sorted(row["number"] for row in rows) == list(range(24))
    fresh = json.loads(gangplan(*arguments, *FAST, "-o", "json", "--journal", "new.jsonl").stdout)
    kept = ("number", "gpusAfter", "gangsStarted", "gangsWaiting", "judgement", "queues")
    assert [[row[key] for key in kept] for row in document["rows"]] == [
        [row[key] for key in kept] for row in fresh["rows"]
    ]
