from __future__ import annotations

import pytest
import typer

from models.findings import (
    BackendError,
    Finding,
    InfeasibleError,
    InputError,
    NoPlanInTimeError,
    UsageError,
    VerificationError,
)
from planner.cli.guard import guarded


def raising(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (BackendError("x"), 2),
        (InputError("x"), 3),
        (InfeasibleError("x"), 4),
        (NoPlanInTimeError("x"), 5),
        (VerificationError("x"), 6),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
        (ZeroDivisionError("x"), 2),
        (MemoryError(), 2),
        (PermissionError(13, "Permission denied", "plan.json"), 2),
    ],
)
def test_each_error_has_its_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(lambda: raising(error)) == code
    assert "Traceback" not in capsys.readouterr().err


def test_the_code_of_the_work_is_passed_on() -> None:
    assert guarded(lambda: 7) == 7
    assert guarded(lambda: None) == 0
    with pytest.raises(typer.Exit):
        guarded(lambda: raising(typer.Exit(3)))


def test_findings_are_said_with_file_object_and_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [
        Finding("a", "error", "pods.json", "cut off at byte 7", "export it again"),
        Finding("b", "error", "nodes.json", "two clusters"),
    ]
    guarded(lambda: raising(InputError("cannot be trusted", findings)))
    said = capsys.readouterr().err
    assert "cannot be trusted" in said
    assert "pods.json: cut off at byte 7" in said
    assert "remedy: export it again" in said
    assert "nodes.json: two clusters" in said


def test_a_finding_is_not_repeated_after_the_same_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    finding = Finding("a", "error", "p.yaml", "unknown key 'x'")
    guarded(lambda: raising(InputError("p.yaml: unknown key 'x'", [finding])))
    assert capsys.readouterr().err.count("unknown key") == 1


def test_a_fault_of_ours_asks_for_a_report_and_shows_the_traceback_with_v(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guarded(lambda: raising(RuntimeError("boom")))
    said = capsys.readouterr().err
    assert "RuntimeError: boom" in said
    assert "gangplan doctor" in said
    guarded(lambda: raising(RuntimeError("boom")), verbose=1)
    assert "Traceback" in capsys.readouterr().err


def test_names_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(lambda: raising(InputError("queue \x1b[2Jevil\r\x07\u202e")))
    said = capsys.readouterr().err
    assert "\\x1b[2Jevil" in said
    assert not set(said) & {"\x1b", "\r", "\x07", "\u202e"}
