"""Scenarios compared over schedules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from models.demand import DemandSamples
from models.edits.catalogue import edit_from
from models.edits.scenario import Scenario
from models.effective import resolve_policy
from models.findings import InputError
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.cli.app import app
from planner.samples import sample_path
from planner.usecases.whatif.scenarios import prepare_scenarios
from planner.usecases.whatif.timed import OverTime, scaled

SAMPLES = (DemandSamples("chat", (0, 60), (5, 10)), DemandSamples("search", (0,), (3,)))


@pytest.fixture(scope="module")
def night() -> Snapshot:
    """The sample of a night."""
    return read_snapshot([sample_path("night")])


def _scenario(service: str, factor: str) -> Scenario:
    edit = edit_from({"scale_demand": {"service": service, "factor": factor}})
    return Scenario("hot", (edit,), source="hot.yaml")


def test_factors_multiply_and_parts_of_a_gpu_are_rounded_up(night: Snapshot) -> None:
    policy = resolve_policy(night)
    twice = Scenario("s", (*_scenario("chat", "1.5").edits, *_scenario("chat", "50%").edits))
    found = scaled(SAMPLES, twice.applied(night, policy))
    assert [one.gpus for one in found] == [(4, 8), (3,)]
    (unnamed,) = scaled(
        (DemandSamples("", (0,), (4,)),), _scenario("chat", "2").applied(night, policy)
    )
    assert unnamed.gpus == (8,)


def test_services_without_demand_are_told_before_anything_is_planned(night: Snapshot) -> None:
    policy = resolve_policy(night)
    with pytest.raises(InputError, match=r"hot\.yaml: scaling service 'chat' needs a schedule"):
        prepare_scenarios(night, policy, [_scenario("chat", "2")])
    with pytest.raises(InputError, match="no service with demand 'chats'") as caught:
        prepare_scenarios(night, policy, [_scenario("chats", "2")], OverTime(SAMPLES))
    assert "did you mean 'chat'?" in caught.value.findings[0].remedy


def _whatif(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["whatif", *(str(one) for one in arguments), "--quiet"])


def test_starts_and_work_over_the_horizon_are_compared(tmp_path: Path) -> None:
    demand = sample_path("night").with_name("night-demand.csv")
    path = tmp_path / "hot.yaml"
    path.write_text("name: hot\nedits:\n- scale_demand: {service: chat, factor: 1.2}\n")
    done = _whatif(
        *(sample_path("night"), "--demand", demand, "--horizon", "12h", "--scenario", path),
        *("--add", "L40S=2", "--deterministic", "-o", "json"),
    )
    assert done.exit_code == 0, done.stderr
    hot, more = json.loads(done.stdout)["scenarios"]
    # night-run needs two whole nodes, which the services' pods leave free at no time; two more nodes are enough.
    assert hot["schedule"]["baseStarts"] == more["schedule"]["baseStarts"] == 0
    assert more["schedule"]["starts"] > 0
    for one in (hot, more):
        assert one["verdict"]["by"] == "figures"
    assert more["schedule"]["workGpuSeconds"] > hot["schedule"]["workGpuSeconds"]
    assert more["schedule"]["gangs"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--horizon", "6h", "--add", "L40S=1"], "need --demand"),
        (["--demand", "x.csv", "--marginal"], "prices plans for now"),
        (["--demand", "x.csv", "--bucket", "5s", "--add", "L40S=1"], "below a minute"),
        (["--demand", "x.csv", "--horizon", "5s", "--add", "L40S=1"], "shorter than a minute"),
    ],
)
def test_wrong_use(options: list[str], message: str) -> None:
    done = _whatif(sample_path("night"), *options)
    assert done.exit_code == 2
    assert message in done.stderr
