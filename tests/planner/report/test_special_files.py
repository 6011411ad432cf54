"""``--out`` on what is no regular file: root's ``--out /dev/null`` once replaced the device of the machine.

Devices are made in the test's own folder with the numbers of ``/dev/null`` and ``/dev/full``.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from models.findings import UsageError
from planner.report.atomic import atomic_bytes, atomic_text

NULL, FULL = (1, 3), (1, 7)


def device(path: Path, number: tuple[int, int]) -> Path:
    """A character device, where the user of this run may make one."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(*number))
    except (PermissionError, AttributeError):
        pytest.skip("only root makes devices")
    return path


def gangplan(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own; its standard output is captured."""
    command = [sys.executable, "-m", "planner.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "one.yaml"
    path.write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1, creationTimestamp: '2026-11-01T10:00:00Z'}\n"
        "status: {allocatable: {cpu: '4', pods: '10'}, conditions: [{type: Ready, status: 'True'}]}\n",
        encoding="utf-8",
    )
    return path


def read_all(fifo: Path) -> tuple[threading.Thread, list[bytes]]:
    """A reader of a FIFO, and where what it read ends up."""
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(fifo.read_bytes()), daemon=True)
    thread.start()
    return thread, found


def test_a_device_is_written_through_and_stays(tmp_path: Path) -> None:
    null = device(tmp_path / "null", NULL)
    with atomic_text(null) as stream:
        stream.write("x")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["null"]


def test_a_full_device_is_an_error_with_its_name(tmp_path: Path) -> None:
    full = device(tmp_path / "full", FULL)
    with pytest.raises(UsageError, match=r"cannot write .*full: No space left"):  # noqa: SIM117
        with atomic_text(full) as stream:
            stream.write("x")
    assert stat.S_ISCHR(full.stat().st_mode)


def test_a_link_to_a_device_keeps_both(tmp_path: Path) -> None:
    null, link = device(tmp_path / "null", NULL), tmp_path / "link"
    link.symlink_to(null)
    with atomic_bytes(link) as stream:
        stream.write(b"x")
    assert link.is_symlink()
    assert stat.S_ISCHR(null.stat().st_mode)


def test_a_fifo_gives_its_reader_everything(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    thread, found = read_all(fifo)
    with atomic_text(fifo) as stream:
        stream.write("läuft\n" * 50_000)
    thread.join(20)
    assert found == ["läuft\n".encode() * 50_000]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_reader_that_leaves_a_fifo_early_is_no_error(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    thread = threading.Thread(target=lambda: fifo.open("rb").close(), daemon=True)
    thread.start()
    with atomic_text(fifo) as stream:
        thread.join(20)
        stream.write("x" * 1_000_000)
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "plan.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(Path("far") / "plan.json")
    with atomic_text(link) as stream:
        stream.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_to_nothing_yet_makes_its_target_and_a_failure_leaves_it(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "new" / "plan.json")
    with pytest.raises(ValueError, match="no data"):  # noqa: SIM117
        with atomic_text(link):
            raise ValueError("no data")
    assert link.is_symlink()
    assert list((tmp_path / "new").iterdir()) == []
    with atomic_text(link) as stream:
        stream.write("x")
    assert link.is_symlink()
    assert (tmp_path / "new" / "plan.json").read_text() == "x"


def test_links_in_a_circle_are_one_message(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UsageError, match="cannot write"):  # noqa: SIM117
        with atomic_text(tmp_path / "a") as stream:
            stream.write("x")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_name_is_standard_output(
    export: Path, tmp_path: Path, name: str
) -> None:
    if not Path(name).exists():
        pytest.skip(f"no {name} here")
    plain = gangplan("convert", export, folder=tmp_path)
    named = gangplan("convert", export, "--out", name, folder=tmp_path)
    assert named.returncode == 0, named.stderr
    assert named.stdout == plain.stdout
    assert '"n1"' in plain.stdout


def test_what_a_shell_appends_to_is_not_cut_off(export: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as stream:
        command = [sys.executable, "-m", "planner.cli", "inspect", export, "-o", "json"]
        subprocess.run([*command, "--out", "/dev/stdout"], stdout=stream, check=True, cwd=tmp_path)
    assert log.read_text().startswith("before\n{")


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "-o", "json"),
        ("plan", "-o", "html"),
        ("inspect", "-o", "md"),
        ("convert",),
        ("whatif", "--drain", "n1", "-o", "json"),
    ],
    ids=lambda one: " ".join(one),
)
def test_every_verb_leaves_devices_alone(
    export: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    null = device(tmp_path / "null", NULL)
    verb, *rest = arguments
    done = gangplan(verb, export, *rest, "--out", null, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert stat.S_ISCHR(null.stat().st_mode)


def test_a_table_of_a_set_that_is_a_link_keeps_it(export: Path, tmp_path: Path) -> None:
    folder, kept = tmp_path / "set", tmp_path / "kept.csv"
    folder.mkdir()
    (folder / "nodes.csv").symlink_to(kept)
    done = gangplan("plan", export, "-o", "csv", "--out", folder, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (folder / "nodes.csv").is_symlink()
    assert "n1" in kept.read_text()


def test_a_journal_is_a_regular_file(tmp_path: Path) -> None:
    from planner.usecases.whatif.journal import Journal

    fifo = tmp_path / "journal"
    os.mkfifo(fifo)
    with pytest.raises(UsageError, match="no regular file"):
        Journal(fifo, {}).open()


def test_new_files_are_their_owners_alone_unless_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, wanted in (("", 0o600), ("0640", 0o640)):
        monkeypatch.setenv("GANGPLAN_FILE_MODE", name) if name else None
        with atomic_text(tmp_path / f"plan{name}.json") as stream:
            stream.write("{}")
        assert stat.S_IMODE((tmp_path / f"plan{name}.json").stat().st_mode) == wanted
    monkeypatch.setenv("GANGPLAN_FILE_MODE", "rw")
    with pytest.raises(UsageError, match="like 0640"), atomic_text(tmp_path / "x"):
        pass


def test_a_history_is_its_owners_alone(tmp_path: Path) -> None:
    from planner.history.opening import open_history

    open_history(f"sqlite:///{tmp_path / 'history.db'}").close()
    assert stat.S_IMODE((tmp_path / "history.db").stat().st_mode) == 0o600
