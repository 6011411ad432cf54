"""The same against a real Prometheus (Debian's package ``prometheus``)."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.findings import InputError
from models.prometheus import PrometheusQuery
from planner.usecases.inputs.demand_prometheus import prometheus_demand

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("prometheus") and shutil.which("promtool")),
        reason="prometheus and promtool are not installed (apt-get install prometheus)",
    ),
]
STEP, HOURS = 60, 6
READY_WITHIN_S = 60.0


def lines(now: int) -> Iterator[str]:
    """Six hours: a gauge with a hole of two hours, one that ended, and a counter of GPU-seconds that began anew."""
    start = now - HOURS * 3600
    moments = range(start, now + 1, STEP)
    yield "# TYPE needed gauge"
    for at in moments:
        if not now - 4 * 3600 <= at < now - 2 * 3600:
            yield f'needed{{service="chat"}} {4 + (at - start) // 3600} {at}'
    for at in moments:
        if at < now - 3 * 3600:
            yield f'needed{{service="rag"}} 2.5 {at}'
    yield "# TYPE busy counter"
    for at in moments:
        anew = now - 3600
        value = 5 * (at - start) if at < anew else 5 * (at - anew)
        yield f'busy_total{{service="chat"}} {value} {at}'
    yield "# EOF"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prometheus")
    now = int(time.time()) // STEP * STEP
    (folder / "data.om").write_text("\n".join(lines(now)) + "\n")
    (folder / "prometheus.yml").write_text("scrape_configs: []\n")
    made = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "data.om", "data"]
    subprocess.run(made, cwd=folder, check=True, capture_output=True, timeout=60)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{found.getsockname()[1]}"
    words = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*words, f"--web.listen-address={address}"], cwd=folder, stdout=log, stderr=log
        )
    try:
        wait_until_ready(address, process, folder / "log")
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until_ready(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + READY_WITHIN_S
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        try:
            with urllib.request.urlopen(f"http://{address}/-/ready", timeout=5):
                return
        except OSError:
            time.sleep(0.2)


def test_gaps_and_ended_series_are_what_prometheus_makes_of_them(url: str) -> None:
    query = PrometheusQuery(url=url, query="needed", step="1m", range="6h")
    chat, rag = prometheus_demand(query)
    assert set(chat.gpus) <= {4, 5, 6, 8, 9, 10}
    holes = [b - a for a, b in zip(chat.seconds, chat.seconds[1:], strict=False) if b - a > STEP]
    assert len(holes) == 1
    assert 7000 - 300 <= holes[0] <= 7200  # Prometheus holds a value for five minutes
    assert any("values are missing" in note for note in chat.notes)
    assert set(rag.gpus) == {3}
    assert any("The series ended" in note for note in rag.notes)


def test_a_counter_that_began_anew_is_counted_on(url: str) -> None:
    query = PrometheusQuery(url=url, query="busy_total", step="1m", range="5h")
    (chat,) = prometheus_demand(query)
    assert sorted(set(chat.gpus)) in ([5], [0, 5], [1, 5], [2, 5], [3, 5], [4, 5])
    assert chat.gpus.count(5) >= len(chat.gpus) - 6  # but for the five minutes that a value is held
    assert any("began anew 1 times" in note for note in chat.notes)


def test_long_ranges_in_pieces_are_taken(url: str) -> None:
    query = PrometheusQuery(url=url, query="needed", step="1s", range="6h")
    chat, _ = prometheus_demand(query)
    assert len(chat.seconds) > 12_000


def test_its_own_words_are_told(url: str) -> None:
    query = PrometheusQuery(url=url, query="sum(", step="1m", range="1h")
    with pytest.raises(InputError, match="parse error"):
        prometheus_demand(query)
