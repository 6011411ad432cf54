"""What only a real process shows: import time, pipes that close, signals, closed streams."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("ortools", "pulp", "highspy", "pandas", "numpy", "scipy", "altair", "jinja2", "streamlit")


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


@pytest.mark.parametrize("module", ["planner.cli.app", "models", "models.snapshot", "models.plan"])
def test_imports_stay_light(module: str) -> None:
    done = run("-c", f"import sys, {module}; print(*sorted(sys.modules))")
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert done.returncode == 0
    assert not loaded & set(HEAVY)


def test_help_loads_nothing_heavy_either() -> None:
    code = (
        "import sys, planner.cli.app as m\n"
        "try:\n    m.app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = run("-c", code)
    assert "Usage" in done.stdout
    assert not {name.partition(".")[0] for name in done.stderr.split()} & set(HEAVY)


MAIN = "import sys; from planner.cli.main import main; sys.argv[0] = 'gangplan'; main()"


def test_a_reader_that_goes_away_is_no_error(plan_file: Path) -> None:
    line = f'{sys.executable} -c "{MAIN}" report {plan_file} -o json | head -c 1'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "{"
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_full_disk_is_told(plan_file: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as stream:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "report", str(plan_file)],
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_usage_error_is_2_on_standard_error() -> None:
    done = run("-c", MAIN, "plan", "--no-such-option")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no-such-option" in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code(closed: str, plan_file: Path) -> None:
    program = f'{sys.executable} -c "{MAIN}"'
    for arguments, code in ((f"report {plan_file}", 0), ("report -", 3)):
        done = subprocess.run(
            ["bash", "-c", f"{program} {arguments} {closed}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr


EARLY = """
import builtins, os, signal
plain = builtins.__import__
def interrupted(name, *rest):
    if name == "MODULE":
        os.kill(os.getpid(), signal.NUMBER)
    return plain(name, *rest)
builtins.__import__ = interrupted
from planner.cli.main import main
main()
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("module", ["planner.cli.app", "planner.nightly.config_file"])
def test_a_signal_while_modules_load_is_130_with_one_message(number: str, module: str) -> None:
    program = EARLY.replace("MODULE", module).replace("NUMBER", number)
    done = run("-c", program, "nightly", "--config", "missing.yaml")
    assert done.returncode == 130
    assert done.stderr == "interrupted\n"
