from __future__ import annotations

from pathlib import Path

import pytest

from models.findings import UsageError
from planner.samples import named_sample, sample_demand
from planner.usecases.cluster_session import open_sample
from planner.usecases.inputs.demand_files import read_demand
from planner.usecases.inputs.policies import read_policy


def test_a_sample_is_named_unless_a_file_has_this_name(tmp_path, monkeypatch):
    assert named_sample("sample:evening") == "evening"
    assert named_sample("evening") == ""
    monkeypatch.chdir(tmp_path)
    Path("sample:evening").write_text("{}")
    assert named_sample("sample:evening") == ""


def test_policy_and_demand_of_a_sample_are_read_by_its_name():
    assert read_policy(Path("sample:evening")).services[0].name == "chat"
    (found,) = read_demand(["sample:night"])
    assert found.service == "chat"
    assert found.most > 0


@pytest.mark.parametrize(
    "read", [lambda: read_policy(Path("sample:demo")), lambda: read_demand(["sample:demo"])]
)
def test_what_a_sample_lacks_is_said(read):
    with pytest.raises(UsageError, match="the sample 'demo' has no"):
        read()


def test_a_sample_opens_under_its_own_policy():
    assert open_sample("evening").under({}).policy.policy.services[0].name == "chat"
    assert not open_sample("demo").under({}).policy.policy.services
    assert sample_demand("demo") is None
