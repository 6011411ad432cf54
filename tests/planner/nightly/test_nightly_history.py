from __future__ import annotations

import shutil
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from models.findings import InputError
from models.nightly.run import NightRun
from planner.history.opening import open_history
from planner.history.store import History
from planner.nightly import history as history_module
from planner.nightly.config_file import read_config
from planner.nightly.folders import night_in
from planner.nightly.history import history_url


@pytest.fixture
def kept(place, at_once):
    """A place whose runs keep a history in a file of the output folder."""
    place.configure(history=None)
    return place


def known(place) -> dict[str, str]:
    with open_history(str(place.output / "history.db")) as history:
        return {one.night.isoformat(): one.run_id for one in history.nights()}


def test_every_night_is_kept_and_the_next_sees_it(kept, monkeypatch) -> None:
    seen = []
    from planner.nightly import run as module

    writers = (*module.WRITERS, lambda night, folder: seen.append(night.trend))
    monkeypatch.setattr(module, "WRITERS", writers)
    first = kept.run().run
    kept.export(day=16)
    second = kept.run().run
    assert known(kept) == {"2026-09-15": first.run_id, "2026-09-16": second.run_id}
    assert [len(one.points) for one in seen] == [0, 1]
    assert seen[1].points[0].night == date(2026, 9, 15)
    assert kept.hidden() == []


def test_a_locked_history_costs_no_night(kept) -> None:
    kept.run()
    lock = sqlite3.connect(kept.output / "history.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    kept.export(day=16)
    end = kept.run(history_wait_s=0.1)
    assert end.run.exit_code == 2
    (fault,) = end.faults
    assert "another process holds the database" in fault
    assert fault.endswith("the next run tries again")
    assert sum("another process" in note for note in end.run.notes) == 1
    assert kept.nights() == ["2026-09-15", "2026-09-16"]
    assert kept.hidden() == [".pending-2026-09-16"]
    told = NightRun.model_validate_json((kept.output / "last-run.json").read_bytes())
    assert told.exit_code == 2
    lock.close()
    kept.export(day=17)
    assert kept.run().run.exit_code == 0
    assert list(known(kept)) == ["2026-09-15", "2026-09-16", "2026-09-17"]
    assert known(kept)["2026-09-16"] == night_in(kept.output / "2026-09-16").run.run_id
    assert kept.hidden() == []


def test_retention_waits_for_the_history(kept) -> None:
    kept.configure(history=None, retention=1)
    kept.run()
    lock = sqlite3.connect(kept.output / "history.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    for day in (16, 17):
        kept.export(day=day)
        kept.run(history_wait_s=0.05)
    assert kept.nights() == ["2026-09-16", "2026-09-17"]
    lock.close()
    kept.export(day=18)
    kept.run()
    assert kept.nights() == ["2026-09-18"]
    assert len(known(kept)) == 4


def test_a_damaged_night_does_not_stop_the_others(kept) -> None:
    kept.run()
    (kept.output / ".pending-2026-09-15").touch()
    (kept.output / ".pending-2026-09-14").touch()
    (kept.output / "2026-09-15" / "plan.json").write_text("{")
    kept.export(day=16)
    end = kept.run()
    assert end.run.exit_code == 0
    assert any("2026-09-15 is not in the history" in note for note in end.run.notes)
    assert list(known(kept)) == ["2026-09-15", "2026-09-16"]
    assert kept.hidden() == []


def test_a_failed_run_is_kept_only_where_the_night_is_unknown(kept) -> None:
    good = kept.run().run
    (kept.root / "policy.yaml").write_text("queue_model: nonsense")
    kept.configure(history=None, policy="policy.yaml")
    with pytest.raises(InputError):
        kept.run()
    nights = known(kept)
    assert nights.pop("2026-09-15") == good.run_id
    ((failed, _),) = nights.items()
    with open_history(str(kept.output / "history.db")) as history:
        night = history.night(date.fromisoformat(failed)).night
    assert night.outcome == "input_error"
    assert "policy.yaml" in night.error


def test_where_the_history_is(place) -> None:
    def url(text, **environment):
        place.configure(history=text)
        return history_url(read_config(place.config), environment)

    root = place.root.absolute()
    assert url(None) == f"sqlite:///{root}/out/history.db"
    assert url("none") is None
    assert url("nights.db") == f"sqlite:///{root}/nights.db"
    assert url("sqlite:///nights.db") == f"sqlite:///{root}/nights.db"
    assert url("sqlite:////srv/nights.db") == "sqlite:////srv/nights.db"
    assert url("postgresql://me:${PW}@db/x", PW="s") == "postgresql://me:s@db/x"
    with pytest.raises(InputError, match="no variable PW"):
        url("postgresql://me:${PW}@db/x")


def test_the_morning_report_tells_what_became_of_the_plan_before(kept) -> None:
    kept.run()
    first = (kept.output / "2026-09-15" / "report.html").read_text()
    assert "Planned against actual" not in first
    kept.export(day=16)
    folder = kept.run().folder
    second = (folder / "report.html").read_text()
    assert "Planned against actual" in second
    assert "Plan of 2026-09-15: 0 of" in second


def test_an_odd_amount_is_a_finding_and_no_night_is_lost(shared: Path, place) -> None:
    """A running pod with 2^63 - 1 GPUs: the sum broke the history's write, and that of every later night."""
    for name in ("nightly.yaml", "snap.json"):
        shutil.copy(shared / "cases" / "faults" / "poison-running" / name, place.root)
    end = place.run()
    assert (end.run.exit_code, end.faults) == (0, ())
    (odd,) = (one for one in end.findings if one.code == "running_pod_larger_than_any_node")
    assert odd.object == "pod/monitoring/node-exporter-e9ed4d"
    text = (place.root / "snap.json").read_text()
    clean = text.replace("9223372036854775807", "1").replace("2026-11-17T", "2026-11-18T")
    (place.root / "snap.json").write_text(clean)
    assert place.run().run.exit_code == 0
    with open_history(str(place.root / "history.db")) as history:
        nights = history.nights()
    assert [one.night.isoformat() for one in nights] == ["2026-11-17", "2026-11-18"]
    assert nights[0].figures is not None
    assert nights[0].figures.gpus_before >= (1 << 63) - 1


@pytest.mark.parametrize("broken", ["night_in", "record_night"])
def test_an_unexpected_error_with_an_old_night_never_stops_a_later_one(
    kept, monkeypatch, broken: str
) -> None:
    kept.run()
    (kept.output / ".pending-2026-09-15").touch()

    def fails(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(history_module, broken, fails)
    kept.export(day=16)
    end = kept.run()
    assert end.run.exit_code == 0
    (note,) = (one for one in end.run.notes if "2026-09-15 is not in the history" in one)
    assert "unexpected error (OverflowError)" in note
    assert "gangplan history --import" in note
    assert list(known(kept)) == ["2026-09-15", "2026-09-16"]
    assert kept.hidden() == []


@pytest.mark.parametrize("question", ["trend", "adopted_by_now", "observed_durations", "record"])
def test_a_history_that_fails_unexpectedly_costs_no_night(kept, monkeypatch, question: str) -> None:
    kept.run()

    def fails(*_: object, **__: object) -> None:
        raise ValueError("what nobody foresaw")

    monkeypatch.setattr(History, question, fails)
    kept.export(day=16)
    end = kept.run()
    assert kept.nights() == ["2026-09-15", "2026-09-16"]
    assert end.run.exit_code == (2 if question == "record" else 0)
    told = [*end.faults, *end.run.notes]
    assert any("ValueError" in one for one in told) or question == "adopted_by_now"
