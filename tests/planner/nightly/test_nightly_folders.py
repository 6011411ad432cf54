from __future__ import annotations

import errno
from pathlib import Path

import pytest

from models.nightly.run import NightRun
from planner.nightly import folders as module
from planner.nightly import swap
from planner.nightly.folders import NightFolders
from planner.nightly.staged import write_run

ID = "0" * 32


def staged(folders: NightFolders, night: str, text: str = "", run_id: str = ID) -> Path:
    path = folders.stage(night, run_id)
    (path / "text").write_text(text)
    write_run(NightRun(night=night, run_id=run_id), path)
    return path


@pytest.fixture
def folders(tmp_path) -> NightFolders:
    return NightFolders(tmp_path)


def names(folders: NightFolders) -> list[str]:
    return sorted(one.name for one in folders.output.iterdir())


@pytest.fixture(params=["exchange", "two steps"])
def way(request, monkeypatch) -> str:
    """Both ways of replacing a folder."""
    if request.param == "two steps":
        monkeypatch.setattr(swap, "exchange", lambda one, two: False)
    return request.param


def test_a_folder_is_replaced_whole(folders, way) -> None:
    folders.publish(staged(folders, "2026-09-15", "old"), "2026-09-15", ID)
    folders.publish(staged(folders, "2026-09-15", "new", "1" * 32), "2026-09-15", "1" * 32)
    assert names(folders) == ["2026-09-15", "latest"]
    assert (folders.output / "latest" / "text").read_text() == "new"


def test_a_failed_replacement_keeps_the_old_folder(folders, way, monkeypatch) -> None:
    folders.publish(staged(folders, "2026-09-15", "old"), "2026-09-15", ID)
    path = staged(folders, "2026-09-15", "new", "1" * 32)

    def refuse(*given) -> bool:
        raise OSError(errno.EIO, "Input/output error")

    if way == "exchange":
        monkeypatch.setattr(swap, "exchange", refuse)
    else:
        rename = Path.rename
        monkeypatch.setattr(
            Path, "rename", lambda one, to: refuse() if one == path else rename(one, to)
        )
    with pytest.raises(OSError, match="Input/output"):
        folders.publish(path, "2026-09-15", "1" * 32)
    folders.discard(path)
    assert (folders.output / "2026-09-15" / "text").read_text() == "old"
    assert names(folders) == ["2026-09-15", "latest"]


def test_what_killed_runs_left_goes_and_a_night_moved_aside_comes_back(folders) -> None:
    folders.publish(staged(folders, "2026-09-14"), "2026-09-14", ID)
    staged(folders, "2026-09-15", "half")
    (folders.output / "2026-09-14").rename(folders.output / f".old-2026-09-14-{ID}")
    (folders.output / f".trash-2026-09-01-{ID}").mkdir()
    (folders.output / ".staging-mine").mkdir()
    assert folders.clean() == 3
    assert names(folders) == [".staging-mine", "2026-09-14", "latest"]


def test_strangers_are_no_nights(folders) -> None:
    (folders.output / "2026-09-15").mkdir()
    (folders.output / "2026-09-16").mkdir()
    write_run(NightRun(night="2026-09-17"), folders.output / "2026-09-16")
    (folders.output / "2026-09-17").write_text("a file")
    (folders.output / "2026-09-18").symlink_to("2026-09-16")
    (folders.output / "2026-09-19").mkdir()
    (folders.output / "2026-09-19" / "run.json").write_text("{")
    assert folders.nights() == []


def test_latest_is_a_file_where_there_are_no_links(folders, monkeypatch) -> None:
    def refuse(*given, **more) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(module.Path, "symlink_to", refuse)
    folders.publish(staged(folders, "2026-09-15"), "2026-09-15", ID)
    assert (folders.output / "latest").read_text() == "2026-09-15\n"


def test_a_folder_called_latest_is_left_alone(folders) -> None:
    (folders.output / "latest").mkdir()
    (folders.output / "latest" / "mine").write_text("x")
    folders.publish(staged(folders, "2026-09-15"), "2026-09-15", ID)
    assert (folders.output / "latest" / "mine").read_text() == "x"


def test_names_are_exchanged_in_one_step(tmp_path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / "a").touch()
    if not swap.exchange(one, two):
        pytest.skip("this file system cannot exchange two names")
    assert (two / "a").exists()
    with pytest.raises(FileNotFoundError):
        swap.exchange(one, tmp_path / "three")
