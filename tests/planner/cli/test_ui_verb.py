from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planner.cli.app import app
from ui.launch import parse_launch


@pytest.fixture
def served(monkeypatch):
    """Command lines that would have started the server."""
    cli = pytest.importorskip("streamlit.web.cli")
    found: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["gangplan"])
    monkeypatch.setattr(cli, "main", lambda **options: found.append(list(sys.argv)))
    return found


def run(*arguments):
    return CliRunner().invoke(app, ["ui", *arguments])


def test_the_demo_is_served_on_localhost_with_protection_on(served):
    assert run().exit_code == 0
    (line,) = served
    assert line[1] == "run"
    assert line[2].endswith("app.py")
    for flag in (
        "--server.address=localhost",
        "--server.enableXsrfProtection=true",
        "--browser.gatherUsageStats=false",
        "--runner.postScriptGC=false",
        "--client.showErrorDetails=none",
        "--server.maxUploadSize=200",
    ):
        assert flag in line
    assert not any(one.startswith("--server.port") for one in line)
    assert line[-1] == "--"


def test_a_history_reaches_the_app_and_one_that_is_none_is_refused(served, tmp_path):
    from planner.history.opening import open_history

    url = f"sqlite:///{tmp_path / 'h.db'}"
    result = run("--history", url)
    assert result.exit_code != 0
    assert not served
    open_history(url).close()
    assert run("--history", url).exit_code == 0
    assert f"--history={url}" in served[0]


def test_a_folder_of_nights_is_read_into_a_history_of_its_own(served, tmp_path, monkeypatch):
    from planner.nightly import importing

    seen = []
    monkeypatch.setattr(importing, "import_nights", lambda history, folders: seen.append(folders))
    assert run("--history", str(tmp_path)).exit_code == 0
    assert seen == [[tmp_path]]
    (given,) = [one for one in served[0] if one.startswith("--history=")]
    assert given.startswith("--history=sqlite:///")
    assert str(tmp_path) not in given


def test_options_reach_the_app(served, tmp_path):
    snapshot, policy = tmp_path / "-odd.json", tmp_path / "policy.yaml"
    snapshot.write_text("{}")
    policy.write_text("objective: throughput\n")
    options = ["--read-only", "--max-upload", "5", "--port", "9000", "--policy", str(policy)]
    result = run(*options, "--set-policy", "queue_model=capacity", "--", str(snapshot))
    assert result.exit_code == 0, result.output
    (line,) = served
    started = parse_launch(line[line.index("--") + 1 :])
    assert started.fault == ""
    assert started.paths == (str(snapshot),)
    assert started.read_only
    assert started.max_upload_mb == 5
    assert started.policy.objective == "throughput"
    assert started.flags == {"queue_model": "capacity"}
    assert "--server.port=9000" in line


def test_samples_are_served_by_their_names(served):
    given = ("sample:evening", "--policy", "sample:evening", "--demand", "sample:night")
    assert run(*given).exit_code == 0
    (line,) = served
    started = parse_launch(line[line.index("--") + 1 :])
    assert started.fault == ""
    assert started.policy is not None
    assert [Path(one).name for one in (*started.paths, *started.demand)] == [
        "evening.yaml",
        "night-demand.csv",
    ]


def test_other_addresses_are_served_with_a_warning(served):
    result = run("--host", "0.0.0.0")
    assert "authenticating proxy" in result.stderr
    assert "--server.address=0.0.0.0" in served[0]
    assert "authenticating proxy" not in run("--host", "127.0.0.1").stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-"], 2, "save it to a file"),
        (["sample:nigth"], 2, "no sample"),
        (["--demand", "sample:demo"], 2, "has no demand"),
        (["no-such-file.json"], 3, "there is no such file"),
        (["--set-policy", "queue_modl=capacity"], 2, "queue_model"),
        (["--policy", "no-such-policy.yaml"], 3, "no-such-policy.yaml"),
        (["--port", "0"], 2, ""),
    ],
)
def test_what_cannot_be_served_is_refused_before(served, arguments, code, words):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert words in result.stderr
    assert not served
