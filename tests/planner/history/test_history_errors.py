"""Every way in which a database fails is one clear message with a remedy, and no password."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from models.plan import GangEntry
from planner.history.errors import HistoryError, told
from planner.history.opening import open_history
from planner.history.redact import redact_url, without_secrets


def many_gangs(count: int) -> tuple[GangEntry, ...]:
    return tuple(
        GangEntry(namespace="team", name=f"gang-{number}", decision="wait")
        for number in range(count)
    )


def fault_of(url: str, **options: object) -> tuple[str, str, str]:
    with pytest.raises(HistoryError) as caught, open_history(url, **options) as history:  # type: ignore[arg-type]
        history.nights()
    (finding,) = caught.value.findings
    assert caught.value.exit_code == 3
    assert finding.remedy
    assert "\n" not in str(caught.value)
    return finding.code, str(caught.value), finding.remedy


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    file.write_bytes(b"not a database at all" * 100)
    assert fault_of(str(file))[0] == "history_corrupt"


def test_a_damaged_file(tmp_path: Path, sqlite_url: str, nights: Callable) -> None:
    with open_history(sqlite_url) as history:
        history.record(*nights(10))
    file = tmp_path / "history.db"
    size = file.stat().st_size
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * (size - 4096))
    code, message, remedy = fault_of(sqlite_url)
    assert code == "history_corrupt", message
    assert "--import" in remedy


def test_a_locked_file_is_waited_for_and_then_told(sqlite_url: str, nights: Callable) -> None:
    with open_history(sqlite_url, wait_s=0.05) as history:
        holder = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HistoryError, match="another process holds the database") as caught:
            history.record(*nights(10))
        assert caught.value.findings[0].code == "history_locked"
        holder.execute("COMMIT")
        holder.close()
        history.record(*nights(10))
        assert len(history.nights()) == 1


def test_a_file_that_may_only_be_read_can_be_listed(sqlite_url: str, nights: Callable) -> None:
    with open_history(sqlite_url) as history:
        history.record(*nights(10))
    path = sqlite_url.removeprefix("sqlite:///")
    with open_history(f"sqlite:///file:{path}?mode=ro&uri=true") as history:
        assert len(history.nights()) == 1
        with pytest.raises(HistoryError, match="cannot be written") as caught:
            history.record(*nights(11))
    assert caught.value.findings[0].code == "history_read_only"


def test_a_full_disk_keeps_what_was_there(sqlite_url: str, nights: Callable) -> None:
    from sqlalchemy import event

    with open_history(sqlite_url) as history:
        history.record(*nights(10))
        event.listen(
            history._engine, "begin", lambda c: c.exec_driver_sql("PRAGMA max_page_count = 1")
        )
        large = nights(11)[1].model_copy(update={"gangs": many_gangs(1_000)})
        with pytest.raises(HistoryError, match="the disk is full") as caught:
            history.record(nights(11)[0], large, None)
        assert caught.value.findings[0].code == "history_full"
    with open_history(sqlite_url) as history:
        assert history.nights()[0].night.day == 10


def test_a_missing_folder_and_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    code, message, _ = fault_of(str(tmp_path / "no" / "history.db"))
    assert code == "history_cannot_open"
    assert "does not exist" in message
    assert fault_of(str(tmp_path))[0] == "history_cannot_open"


@pytest.mark.parametrize(("number", "words"), [(13, "Permission denied"), (30, "Read-only file")])
def test_a_folder_in_which_no_file_may_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refused(*given: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("planner.history.opening.os.open", refused)
    code, message, remedy = fault_of(str(tmp_path / "history.db"))
    assert code == "history_cannot_open"
    assert words in message
    assert "access to its folder" in remedy


def test_nothing_is_made_where_nothing_may_be_made(tmp_path: Path) -> None:
    file = tmp_path / "history.db"
    assert fault_of(str(file), create=False)[0] == "history_empty"
    assert not file.exists()
    file.touch()
    assert fault_of(str(file), create=False)[0] == "history_empty"


@pytest.mark.parametrize("url", ["", "  ", "mysql://u:geheim@h/d", "://x:geheim@", "nonsense://"])
def test_wrong_urls(url: str) -> None:
    code, message, remedy = fault_of(url)
    assert code == "history_url"
    assert "geheim" not in message + remedy


def test_a_driver_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    code, message, remedy = fault_of("postgresql://u:geheim@localhost/d")
    assert code == "history_no_driver"
    assert "geheim" not in message
    assert "gangplan[postgres]" in remedy


def test_tables_of_a_newer_release(sqlite_url: str) -> None:
    open_history(sqlite_url).close()
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE schema_version SET version_num = '0999'")
    connection.close()
    code, message, remedy = fault_of(sqlite_url)
    assert code == "history_newer"
    assert "0999" in message
    assert "upgrade" in remedy


@pytest.mark.parametrize("table", ["nights", "schema_version"])
def test_a_database_of_another_program(tmp_path: Path, table: str) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute(f"CREATE TABLE {table} (id INTEGER)")
    connection.close()
    code, message, _ = fault_of(str(tmp_path / "other.db"))
    assert code == "history_foreign", message


def test_a_server_that_is_down() -> None:
    code, message, _ = fault_of("postgresql://u:geheim-12@127.0.0.1:9/d")
    assert code == "history_server_down", message
    assert "geheim" not in message


def test_a_server_that_refuses() -> None:
    server = os.environ.get("GANGPLAN_TEST_POSTGRES")
    if not server:
        pytest.skip("GANGPLAN_TEST_POSTGRES names no PostgreSQL server (.ci/run starts one)")
    parts = urlsplit(server)
    nobody = parts._replace(netloc=f"nobody:geheim-12@{parts.netloc.rpartition('@')[2]}").geturl()
    code, message, _ = fault_of(nobody)
    assert code == "history_password", message
    assert "geheim" not in message
    nowhere = parts._replace(path="/no_such_database").geturl()
    assert fault_of(nowhere)[0] == "history_no_database"
    assert fault_of(f"{server}?options=-csearch_path%3Dnowhere")[0] == "history_no_schema"


class Failed(Exception):
    """What a driver raises, with its SQLSTATE."""

    def __init__(self, text: str, sqlstate: str) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("53100", "history_full"),
        ("55P03", "history_locked"),
        ("25006", "history_read_only"),
        ("28P01", "history_password"),
        ("3D000", "history_no_database"),
        ("3F000", "history_no_schema"),
        ("42501", "history_no_right"),
        ("42703", "history_foreign"),
        ("57P03", "history_server_down"),
        ("XX001", "history_corrupt"),
        ("22012", "history_failed"),
    ],
)
def test_what_a_server_says_is_told_by_its_state(state: str, code: str) -> None:
    from sqlalchemy.exc import OperationalError

    with pytest.raises(HistoryError) as caught, told("postgresql://u:geheim@h/d"):
        raise OperationalError("SELECT", {}, Failed("FATAL: geheim is wrong\nDETAIL: x", state))
    assert caught.value.findings[0].code == code
    assert "geheim" not in str(caught.value)
    assert "DETAIL" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p@h/d", "postgresql://u:***@h/d"),
        ("postgresql+psycopg://u:a@b:c@h:5/d", "postgresql+psycopg://u:***@h:5/d"),
        ("postgresql://h/d?user=u&password=x%20y&a=b", "postgresql://h/d?user=u&password=***&a=b"),
        ("postgresql://h/d?sslpassword=x", "postgresql://h/d?sslpassword=***"),
        ("host=h password='a b' user=u", "host=h password=*** user=u"),
        ("sqlite:///history.db", "sqlite:///history.db"),
        ("history.db", "history.db"),
    ],
)
def test_passwords_are_never_shown(url: str, shown: str) -> None:
    assert redact_url(url) == shown


def test_a_message_that_repeats_a_password() -> None:
    url = "postgresql://u:se%40cret@h/d"
    assert without_secrets("bad se@cret and se%40cret", url) == "bad *** and ***"
    assert without_secrets("ab is wrong", "postgresql://u:ab@h/d") == ""
    assert without_secrets("all wrong", "postgresql://u:xy@h/d") == "all wrong"


def test_a_killed_writer_leaves_the_night_before(
    sqlite_url: str, nights: Callable, tmp_path: Path
) -> None:
    """The file and its journal as they lie on the disk in the middle of a transaction."""
    with open_history(sqlite_url) as history:
        history.record(*nights(10))
        before = history.night(history.nights()[0].night, with_plan=True)
    writer = sqlite3.connect(tmp_path / "history.db", isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("PRAGMA cache_spill = 1")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM gang_outcomes")
    writer.execute("UPDATE nights SET sentence = printf('%.*c', 900000, 'x')")
    copy = tmp_path / "killed"
    copy.mkdir()
    for name in ("history.db", "history.db-journal"):
        shutil.copy(tmp_path / name, copy / name)
    writer.execute("ROLLBACK")
    writer.close()
    assert (copy / "history.db").read_bytes() != (tmp_path / "history.db").read_bytes()
    with open_history(str(copy / "history.db")) as history:
        assert history.night(before.night.night, with_plan=True) == before
        history.record(*nights(11))
        assert len(history.nights()) == 2
