from __future__ import annotations

import pytest

from models.findings import InputError, UsageError
from planner.samples import sample_path
from planner.usecases.inputs.inputs import read_inputs


def test_a_sample_is_named_without_a_path():
    named = read_inputs(["sample:night"])
    assert named.digest == read_inputs([sample_path("night")]).digest
    assert [source.name for source in named.sources] == ["samples/night.yaml"]


def test_an_unknown_sample_is_told():
    with pytest.raises(UsageError, match="no sample 'nigth'; there is: demo, evening, night"):
        read_inputs(["sample:nigth"])


def test_a_file_of_this_name_goes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample:night").write_text("not a cluster")
    with pytest.raises(InputError):
        read_inputs(["sample:night"])
