from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from models.findings import UsageError
from planner.samples import DEFAULT_SAMPLE, sample_names, sample_path, sample_title

ROOT = Path(__file__).resolve().parents[3]


def written(name: str) -> str:
    spec = importlib.util.spec_from_file_location(f"make_{name}", ROOT / "data" / f"make_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"make_{name}"] = module
    spec.loader.exec_module(module)
    text: str = getattr(module, f"{name}_text")()
    return text


def test_every_sample_has_a_file_and_a_title():
    assert DEFAULT_SAMPLE in sample_names()
    for name in sample_names():
        assert sample_path(name).is_file()
        assert len(sample_title(name)) > 20


@pytest.mark.parametrize("ask", [sample_path, sample_title])
def test_an_unknown_sample_is_a_usage_error_that_names_the_known(ask):
    with pytest.raises(UsageError, match=r"no sample '\.\./demo'; there is: demo, evening, night"):
        ask("../demo")


@pytest.mark.parametrize("name", sample_names())
def test_a_sample_is_what_its_script_writes(name):
    assert sample_path(name).read_text(encoding="utf-8") == written(name)
