from __future__ import annotations

import json

import pytest

from planner.testing.tiny_night import tiny_export


@pytest.fixture
def nightly(gangplan, folder):
    """Runs the verb on the tiny cluster in the current folder."""
    (folder / "cluster.json").write_text(tiny_export("2026-09-15T20:00:00Z"))
    (folder / "nightly.yaml").write_text(
        "inputs: cluster.json\noutput: out\nhorizon: 2h\nhistory: none\n"
    )

    def run(*arguments):
        return gangplan("nightly", "--config", "nightly.yaml", "--deterministic", *arguments)

    return run


def test_one_line_on_standard_error_and_nothing_else(nightly) -> None:
    done = nightly()
    assert done.exit_code == 0
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("night 2026-09-15: 2 gangs to start (2 now), 0 waiting")
    assert "out/2026-09-15" in line
    assert line.endswith("exit code 0")


def test_quiet_says_nothing_and_data_go_to_standard_output(nightly) -> None:
    done = nightly("--quiet", "-o", "json")
    assert done.stderr == ""
    assert json.loads(done.stdout)["night"] == "2026-09-15"


@pytest.mark.parametrize("form", ["table", "md", "html", "csv"])
def test_every_form(nightly, folder, form) -> None:
    done = nightly("-o", form, "--out", "data")
    assert done.exit_code == 0, done.stderr
    written = folder / "data"
    text = (written / "files.csv" if form == "csv" else written).read_text()
    assert "plan.json" in text


def test_a_missing_file_and_a_wrong_key_are_one_message(gangplan, folder) -> None:
    done = gangplan("nightly", "--config", "nightly.yaml")
    assert done.exit_code == 3
    assert "nightly.yaml: cannot be read" in done.stderr
    (folder / "nightly.yaml").write_text("input: a\n")
    done = gangplan("nightly", "--config", "nightly.yaml")
    assert done.exit_code == 3
    assert "did you mean 'inputs'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_configuration_the_option_is_named(gangplan, folder) -> None:
    done = gangplan("nightly")
    assert done.exit_code == 2
    assert "Missing option '--config'" in done.stderr
    assert "pathlib" not in done.stderr
    assert "MISSING" not in gangplan("nightly", "--help").stdout
