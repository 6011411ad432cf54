"""Each executor reports every job exactly once, whatever becomes of workers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.findings import UsageError
from planner.execute.engines import executor_named
from planner.execute.jobs import Done, Executor, Job
from planner.execute.local import LocalProcesses
from planner.testing import executed_jobs

JOBS = tuple(Job(f"n{number}", number) for number in range(12))


@pytest.fixture(scope="module", params=["local", pytest.param("ray", marks=pytest.mark.slow)])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Two local processes, and a Ray cluster of two nodes on this machine."""
    if request.param == "local":
        yield LocalProcesses(2)
        return
    pytest.importorskip("ray", reason="Ray is not installed (extra 'ray')")
    from planner.testing.two_ray_nodes import two_ray_nodes

    with two_ray_nodes() as address:
        yield executor_named("ray", workers=2, ray_address=address)


def _by_key(results: Iterator[Done]) -> dict[str, Done]:
    listed = list(results)
    found = {one.key: one for one in listed}
    assert len(found) == len(listed), "a job was reported twice"
    return found


def test_results_errors_and_one_state_per_worker(executor: Executor, tmp_path: Path) -> None:
    jobs = (*JOBS, Job("bad", 13))
    shared = {"folder": str(tmp_path), "plus": 1}
    found = _by_key(executor.run(executed_jobs.begin, executed_jobs.square, shared, jobs))
    assert {key: one.value for key, one in found.items() if not one.error} == {
        f"n{number}": number * number + 1 for number in range(12)
    }
    assert found["bad"].error == "ValueError: thirteen is refused"
    workers = [int(one.name.removeprefix("worker-")) for one in tmp_path.iterdir()]
    assert os.getpid() not in workers
    assert len(workers) == len(set(workers)) > 0


def test_a_worker_that_dies_loses_nothing_and_counts_nothing_twice(
    executor: Executor, tmp_path: Path
) -> None:
    shared = {"folder": str(tmp_path)}
    found = _by_key(executor.run(executed_jobs.begin, executed_jobs.kill_first, shared, JOBS))
    assert {key: (one.value, one.error) for key, one in found.items()} == {
        f"n{number}": (number, "") for number in range(12)
    }
    assert {path.name for path in tmp_path.glob("tried-*")} == {"tried-0", "tried-5", "tried-10"}


def test_a_stop_ends_with_what_had_begun(executor: Executor, tmp_path: Path) -> None:
    done: list[Done] = []
    shared = {"folder": str(tmp_path)}
    many = tuple(Job(f"n{number}", number) for number in range(200))
    for one in executor.run(
        executed_jobs.begin,
        executed_jobs.wait_a_little,
        shared,
        many,
        stopped=lambda: len(done) >= 3,
    ):
        done.append(one)  # noqa: PERF402 (the run looks at it meanwhile)
    assert 3 <= len(done) < 100
    assert all(one.error == "" for one in done)


def test_a_job_that_always_kills_is_given_up_and_harms_no_other(tmp_path: Path) -> None:
    shared = {"folder": str(tmp_path)}
    jobs = JOBS[:6]
    found = _by_key(
        LocalProcesses(2).run(executed_jobs.begin, executed_jobs.kill_always, shared, jobs)
    )
    assert "died 3 times" in found["n3"].error
    assert {key: one.value for key, one in found.items() if key != "n3"} == {
        f"n{number}": number for number in range(6) if number != 3
    }


def test_no_job_is_no_result(tmp_path: Path) -> None:
    shared = {"folder": str(tmp_path)}
    assert not list(LocalProcesses(2).run(executed_jobs.begin, executed_jobs.square, shared, ()))


def test_engines_by_name() -> None:
    assert executor_named("local", workers=2).name == "local"
    with pytest.raises(UsageError, match="known: local, ray"):
        executor_named("slurm", workers=2)
    with pytest.raises(UsageError, match="needs --engine ray"):
        executor_named("local", workers=2, ray_address="here:1")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"gangplan\[ray\]"):
        executor_named("ray", workers=2)


ORPHANS = """
import os, sys, time
from planner.execute.jobs import Job
from planner.execute.local import LocalProcesses
from planner.testing import executed_jobs

if __name__ == "__main__":
    shared = {"folder": sys.argv[1]}
    jobs = [Job(str(number), number) for number in range(3)]
    for done in LocalProcesses(1).run(executed_jobs.begin, executed_jobs.wait_a_little, shared, jobs):
        os.kill(os.getpid(), 9)
"""


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    folder = tmp_path / "workers"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, script, folder], env=environment, check=False, capture_output=True
    )
    assert done.returncode == -9, done.stderr
    (worker,) = (int(one.name.removeprefix("worker-")) for one in folder.iterdir())
    end = time.monotonic() + 20
    while time.monotonic() < end and _alive(worker):
        time.sleep(0.05)
    assert not _alive(worker)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().split(")")[-1].split()[0] != "Z"
