from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from models.findings import Finding
from planner.cli.option_groups import TalkOptions
from planner.cli.talk import SHOWN_PER_CODE, Talk


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def many(number: int) -> list[Finding]:
    return [
        Finding("pod_too_large", "warning", f"pod/ml/p-{i}", "is larger than any node", "shrink it")
        for i in range(number)
    ]


def test_findings_beyond_the_first_are_counted_not_hidden(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Talk(TalkOptions()).findings(many(SHOWN_PER_CODE + 4))
    said = capsys.readouterr().err
    assert said.count("is larger than any node; shrink it [pod_too_large]") == SHOWN_PER_CODE
    assert "4 more pod_too_large" in said


def test_v_lists_all_findings(capsys: pytest.CaptureFixture[str]) -> None:
    Talk(TalkOptions(verbose=1)).findings(many(30))
    assert capsys.readouterr().err.count("[pod_too_large]") == 30


def test_errors_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    worst = Finding("queue_missing", "error", "queue/x", "does not exist")
    Talk(TalkOptions()).findings([*many(1), worst])
    said = capsys.readouterr().err
    assert said.index("queue_missing") < said.index("pod_too_large")


def test_quiet_leaves_only_errors(capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk(TalkOptions(quiet=True))
    talk.findings(many(1))
    talk.note("a note")
    talk.error("an error")
    assert capsys.readouterr().err == "an error\n"


def test_talk_never_reaches_standard_output_and_is_harmless(
    capsys: pytest.CaptureFixture[str],
) -> None:
    talk = Talk(TalkOptions())
    talk.note("[bold]not markup[/bold] \x1b[31m")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "[bold]not markup[/bold] \\x1b[31m\n"
