from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _load_samples() -> ModuleType:
    path = Path(__file__).with_name("samples.py")
    spec = importlib.util.spec_from_file_location("gangplan_report_samples", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The builders of plan documents and snapshots in samples.py."""
    return sys.modules.get("gangplan_report_samples") or _load_samples()


@pytest.fixture(scope="session")
def demo(samples):
    """A small plan: three queues, ten nodes."""
    return samples.demo_plan()


@pytest.fixture(scope="session")
def medium(samples):
    """1,000 nodes, 1,300 gangs."""
    return samples.large_plan(nodes=1_000, gangs=1_300)
