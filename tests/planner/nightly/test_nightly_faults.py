from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from models.findings import InputError, NoPlanInTimeError, PlannerError, VerificationError
from models.nightly.run import NightRun
from models.plan import RuleViolation, Verification
from planner.documents.withheld import PlanningError
from planner.nightly.lock import BusyError, output_lock
from planner.nightly.staged import OutputError
from planner.testing.night_folders import broken_nights


def last(place) -> NightRun:
    return NightRun.model_validate_json((place.output / "last-run.json").read_bytes())


def full(*given, **more) -> None:
    raise OSError(errno.ENOSPC, "No space left on device", "plan.json")


@pytest.mark.parametrize("step", ["write_plan", "fsync", "run.json", "rename"])
def test_a_full_disk_is_one_message_and_the_night_before_stays(
    place, at_once, monkeypatch, step
) -> None:
    place.run()
    before = (place.output / "2026-09-15" / "run.json").read_bytes()
    targets = {
        "write_plan": ("planner.nightly.writers.gzip.compress", full),
        "fsync": ("planner.nightly.staged.os.fsync", full),
        "run.json": ("planner.nightly.run.write_run", full),
        "rename": ("planner.nightly.folders.replace_folder", full),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*targets[step])
        with pytest.raises(PlannerError, match="No space left on device") as caught:
            place.run()
    assert caught.value.exit_code == 2
    assert (place.output / "2026-09-15" / "run.json").read_bytes() == before
    assert broken_nights(place.output) == []
    assert place.hidden() == []
    place.run()
    assert (place.output / "2026-09-15" / "run.json").read_bytes() != before


@pytest.mark.slow
def test_a_file_that_may_not_grow_is_a_full_disk_of_its_own(place) -> None:
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000));"
        "from planner.cli.main import main; sys.argv[0] = 'gangplan'; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "nightly", "--config", place.config, "--deterministic"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert place.nights() == []
    assert place.hidden() == []


@pytest.mark.parametrize("what", ["a file", "below a file"])
def test_an_output_that_cannot_be_a_folder(place, at_once, what) -> None:
    (place.root / "taken").write_text("x")
    place.configure(output="taken" if what == "a file" else "taken/out")
    with pytest.raises(OutputError, match=r"cannot write .*taken"):
        place.run()


def test_two_runs_at_once(place, at_once) -> None:
    place.run()
    code = (
        "import sys, time; from pathlib import Path; from planner.nightly.lock import output_lock\n"
        "with output_lock(Path(sys.argv[1]), '2026-09-15T20:00:00Z'):\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, place.output], stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(BusyError) as caught:
            place.run()
        assert f"process {other.pid}, since 2026-09-15T20:00:00Z" in str(caught.value)
        assert caught.value.exit_code == 2
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
        if other.stdout is not None:
            other.stdout.close()
    place.run()  # the lock of a killed run is free


def test_the_lock_tells_who_holds_it(tmp_path) -> None:
    with output_lock(tmp_path, "now"):
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()} now\n"


def test_no_schedule_in_time_and_a_stop_before_one(place, at_once) -> None:
    def never(*given, **more):
        raise NoPlanInTimeError("no schedule was found; raise --time-limit")

    at_once(never)
    with pytest.raises(NoPlanInTimeError):
        place.run()
    assert (last(place).outcome, last(place).exit_code) == ("no_plan", 5)
    stop = threading.Event()

    def stopped(*given, **more):
        stop.set()
        return never()

    at_once(stopped)
    with pytest.raises(KeyboardInterrupt):
        place.run(stop=stop)
    assert (last(place).outcome, last(place).exit_code) == ("interrupted", 130)
    assert place.nights() == []


def test_a_withheld_schedule_leaves_a_bundle_and_no_folder(place, at_once, schedule) -> None:
    broken = Verification(violations=(RuleViolation(rule="x", object="o", message="m"),))

    def wrong(*given, **more):
        raise PlanningError("failed", schedule.model_copy(update={"verification": broken}))

    at_once(wrong)
    with pytest.raises(VerificationError, match="gangplan-bundle-") as caught:
        place.run()
    assert caught.value.exit_code == 6
    assert [one.suffix for one in place.output.glob("gangplan-bundle-*")] == [".zip"]
    assert last(place).outcome == "withheld"
    assert place.nights() == []


def test_a_stop_in_the_search_keeps_its_best(place, at_once, schedule) -> None:
    stop = threading.Event()

    def cut_short(*given, **more):
        stop.set()
        return schedule

    at_once(cut_short)
    end = place.run(stop=stop)
    assert end.run.exit_code == 0
    assert any("was stopped" in note for note in end.run.notes)
    assert place.nights() == ["2026-09-15"]


def test_a_fault_of_ours_is_told_too(place, at_once) -> None:
    def wrong(*given, **more):
        raise ZeroDivisionError("oh")

    at_once(wrong)
    with pytest.raises(ZeroDivisionError):
        place.run()
    assert (last(place).outcome, last(place).exit_code, last(place).error) == ("failed", 2, "oh")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"inputs": "gone.json"}, "gone.json"),
        ({"policy": "gone.yaml"}, "gone.yaml: cannot be read"),
        ({"demand": "gone.csv"}, "gone.csv"),
        ({"inputs": "nightly.yaml"}, "nightly.yaml"),
    ],
)
def test_input_that_cannot_be_read(place, at_once, keys, said) -> None:
    place.configure(**keys)
    with pytest.raises(InputError, match=said):
        place.run()
    assert last(place).exit_code == 3
    assert place.nights() == []


def test_an_export_without_any_time(place, at_once) -> None:
    text = (place.root / "cluster.json").read_text()
    for word in ("creationTimestamp", "lastHeartbeatTime"):
        text = text.replace(word, "x")
    (place.root / "cluster.json").write_text(text)
    with pytest.raises(InputError, match="holds no time"):
        place.run()


def test_a_damaged_plan_of_the_night_before_is_a_note(place, at_once) -> None:
    place.run()
    (place.output / "2026-09-15" / "plan.json").write_text("{")
    place.export(day=16)
    end = place.run()
    assert any("plan of 2026-09-15 cannot be used" in note for note in end.run.notes)
    assert end.run.changed is None


def test_exports_and_clocks_that_do_not_fit(place, at_once, monkeypatch) -> None:
    def clock(moment: str) -> list[str]:
        monkeypatch.setattr("planner.nightly.run._now", lambda: moment)
        return list(place.run().run.notes)

    assert not [note for note in clock("2026-09-15T20:10:00Z") if "export" in note]
    assert any("1 d 3 h before this run" in note for note in clock("2026-09-16T23:00:00Z"))
    late = clock("2026-09-15T19:00:00Z")
    assert any("ahead of this machine's clock" in note for note in late)
    assert any("went back" in note for note in late)
    place.export(day=14)
    assert any("Nights up to 2026-09-15" in note for note in clock("2026-09-14T20:05:00Z"))


@pytest.mark.slow
def test_a_signal_while_the_command_runs_ends_both(place) -> None:
    began, ended = place.root / "began", place.root / "ended"
    code = f"import time; open({str(began)!r}, 'w'); time.sleep(100); open({str(ended)!r}, 'w')"
    place.configure(inputs={"command": [sys.executable, "-c", code]})
    process = subprocess.Popen(
        [sys.executable, "-m", "planner.cli", "nightly", "--config", place.config],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 90
    while not began.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert last(place).outcome == "interrupted"
    assert not ended.exists()
