"""``gangplan history`` as a person uses it."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models.plan import PlanResult
from models.writers.snapshot_json import snapshot_to_json
from planner.cli.app import app
from planner.history.opening import open_history


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def run(*arguments: object) -> Said:
    result = CliRunner().invoke(app, ["history", *map(str, arguments)], env={"COLUMNS": "200"})
    return Said(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def database(tmp_path: Path, nights: Callable) -> Path:
    """Two nights: one with a plan, one without."""
    path = tmp_path / "history.db"
    with open_history(str(path)) as history:
        history.record(*nights(10))
        failed = {"outcome": "no_plan", "exit_code": 5, "error": "no schedule within 60 s"}
        history.record(nights(11)[0].model_copy(update=failed), None, nights(11)[2])
    return path


def dated_folder(parent: Path, night: tuple) -> Path:
    """A folder as `gangplan nightly` writes it."""
    told, plan, snapshot = night
    folder = parent / told.night
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(told.model_dump_json(by_alias=True))
    (folder / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    (folder / "snapshot.json.gz").write_bytes(gzip.compress(snapshot_to_json(snapshot)))
    return folder


def test_nights_are_listed(database: Path) -> None:
    said = run("--database", database)
    assert said.code == 0
    assert "2 nights, 2026-09-10 to 2026-09-11; 1 without a plan." in said.out
    assert "no plan (5)" in said.out
    assert "2026-09-11: no schedule within 60 s" in said.out
    assert "2026-09-10" not in run("--database", database, "--last", 1).out
    assert "2026-09-11 " not in run("--database", database, "--until", "2026-09-10").out


@pytest.mark.parametrize("form", ["json", "yaml", "md", "html", "wide"])
@pytest.mark.parametrize(
    "view",
    [
        (),
        ("--night", "2026-09-10"),
        ("--night", "2026-09-10", "--actual"),
        ("--compare", "2026-09-10", "last"),
        ("-n", "team"),
    ],
    ids=["list", "night", "actual", "compare", "gangs"],
)
def test_every_view_has_every_form(database: Path, view: Sequence[str], form: str) -> None:
    said = run("--database", database, *view, "-o", form)
    assert said.code == 0, said.err
    assert said.err == ""
    assert "2026-09-1" in said.out
    if form == "json":
        document = json.loads(said.out)
        assert document["schemaVersion"] == 1
        assert document["sentence"]


def test_tables_as_csv_keep_whole_numbers(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "csv"
    assert run("--database", database, "-o", "csv", "--out", folder).code == 0
    head, *rows = (folder / "nights.csv").read_text().splitlines()
    column = head.split(",").index("work_gpu_seconds")
    assert [row.split(",")[column] for row in rows] == ["5000000000", ""]
    night = ("--night", "2026-09-10", "-o", "csv", "--out", folder)
    assert run("--database", database, *night).code == 0
    assert {path.stem for path in folder.iterdir()} == {
        "nights",
        "night",
        "gangs",
        "sightings",
        "queues",
        "loans",
        "findings",
        "adoption",
    }


def test_the_plan_comes_back_as_it_was(database: Path, nights: Callable) -> None:
    said = run("--database", database, "--night", "2026-09-10", "--plan", "-o", "json")
    assert PlanResult.model_validate_json(said.out) == nights(10)[1]
    missing = run("--database", database, "--night", "last", "--plan")
    assert (missing.code, "left no plan" in missing.err) == (2, True)


def test_only_gangs_that_are_asked_for(database: Path) -> None:
    said = run("--database", database, "--night", "2026-09-10", "-q", "q", "-o", "json")
    assert {one["name"] for one in json.loads(said.out)["gangs"]} == {"now-1", "later-1"}
    one = run("--database", database, "--gang", "team/waits", "-o", "json")
    assert [gang["name"] for gang in json.loads(one.out)["gangs"]] == ["waits"]


def test_dated_folders_are_imported(tmp_path: Path, nights: Callable) -> None:
    output, database = tmp_path / "out", tmp_path / "history.db"
    for day in (10, 11):
        dated_folder(output, nights(day))
    (output / "latest").symlink_to("2026-09-11")
    (output / "notes").mkdir()
    said = run("--database", database, "--import", output / "latest")
    assert said.code == 0, said.err
    assert "1 night, 2026-09-11" in said.out
    assert "2 nights" in run("--database", database, "--import", output).out
    with open_history(str(database)) as history:
        assert history.night(nights(10)[0].night and history.nights()[0].night).sightings
        assert history.adopted(history.nights()[0].night).next_night is not None
    shutil.rmtree(output / "2026-09-11")
    (output / "2026-09-10" / "plan.json").write_text("{")
    broken = run("--database", database, "--import", output)
    assert broken.code == 3
    assert "plan.json" in broken.err
    empty = run("--database", database, "--import", tmp_path)
    assert (empty.code, "holds no night" in empty.err) == (3, True)


def test_the_database_of_a_configuration(tmp_path: Path, database: Path) -> None:
    config = tmp_path / "nightly.yaml"
    config.write_text("inputs: snap/\nhistory: history.db\n")
    assert "2 nights" in run("--config", config).out
    config.write_text("inputs: snap/\nhistory: none\n")
    said = run("--config", config)
    assert (said.code, "keeps no history" in said.err) == (2, True)


def test_the_environment_names_the_database(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GANGPLAN_HISTORY", str(database))
    assert "2 nights" in run().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--night", "yesterday"], "'yesterday' is no night"),
        (["--night", "2026-02-30"], "is no night"),
        (["--night", "last", "--compare", "last", "last"], "cannot be combined"),
        (["--actual"], "add --night"),
        (["--night", "last", "--actual", "--plan"], "cannot be combined"),
        (["--night", "last", "--last", "3"], "do not go with --night"),
        (["--gang", "waits"], "NAMESPACE/NAME"),
        (["--config", "x.yaml"], "give one of them"),
    ],
)
def test_options_that_make_no_sense(database: Path, options: Sequence[str], message: str) -> None:
    said = run("--database", database, *options)
    assert (said.code, message in said.err) == (2, True), said.err


def test_no_history_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GANGPLAN_HISTORY", raising=False)
    said = run()
    assert (said.code, "no history is named" in said.err) == (2, True)


def test_faults_are_one_message_without_password(tmp_path: Path, database: Path) -> None:
    absent = run("--database", tmp_path / "no.db")
    assert (absent.code, "there is no history yet" in absent.err) == (3, True)
    assert not (tmp_path / "no.db").exists()
    down = run("--database", "postgresql://u:geheim@127.0.0.1:9/d")
    assert (down.code, "cannot be reached" in down.err) == (3, True)
    assert "geheim" not in down.out + down.err
    assert "Traceback" not in down.err
    unknown = run("--database", database, "--night", "2026-09-01")
    assert unknown.code == 3
    assert "2 nights from 2026-09-10 to 2026-09-11" in unknown.err
