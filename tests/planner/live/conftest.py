from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.snapshot import Snapshot
from planner.live.api_server import ApiServer
from planner.live.cluster import LiveCluster
from planner.live.patience import Patience
from planner.samples import sample_path
from planner.testing.api_server import FakeApiServer, serving

pytest.importorskip("kubernetes", reason="the extra live is not installed")


@pytest.fixture
def demo() -> list[dict[str, Any]]:
    """Objects of the demo cluster."""
    documents = yaml.safe_load_all(sample_path("demo").read_text(encoding="utf-8"))
    found = []
    for one in documents:
        found += one["items"] if one and "items" in one else [one] if one else []
    return found


@pytest.fixture
def server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: list[dict[str, Any]]
) -> Iterator[FakeApiServer]:
    """An API server that holds the demo cluster, and a kubeconfig that names it ``prod``."""
    fake = FakeApiServer()
    with serving(fake.respond) as fake.url:
        fake.put(demo)
        config = tmp_path / "kubeconfig"
        config.write_text(fake.kubeconfig())
        monkeypatch.setenv("KUBECONFIG", str(config))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        yield fake


class Naps:
    """Waits that are written down instead of waited for."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def patience(self, **changes: Any) -> Patience:
        return Patience(**{"sleep": self.slept.append, **changes})


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def read(naps: Naps) -> Callable[..., Snapshot]:
    """Reads the cluster ``prod`` through the client, in pages of a size."""
    from models.readers import read_snapshot
    from planner.live import cluster

    def read_now(page: int = 500, **changes: Any) -> Snapshot:
        live = LiveCluster("cluster:prod", ApiServer("prod", patience=naps.patience(**changes)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cluster, "PAGE", page)
            return read_snapshot([live])

    return read_now
