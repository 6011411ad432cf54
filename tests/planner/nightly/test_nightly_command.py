from __future__ import annotations

import sys
import time

import pytest

from models.findings import InputError
from planner.nightly.command import command_output, command_words
from planner.testing.tiny_night import tiny_export


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def output(code: str, tmp_path, **more):
    given = {"timeout_s": 20, "folder": tmp_path, "stopped": lambda: False, **more}
    return command_output(python(code), **given)


def fault(code: str, tmp_path, **more) -> str:
    with pytest.raises(InputError) as caught:
        output(code, tmp_path, **more)
    (finding,) = caught.value.findings
    assert finding.remedy
    return str(caught.value)


def test_words_of_a_text_are_split_without_a_shell() -> None:
    assert command_words("kubectl get 'a b' -o json; echo $HOME") == [
        "kubectl",
        "get",
        "a b",
        "-o",
        "json;",
        "echo",
        "$HOME",
    ]
    assert command_words(["a b", "$x"]) == ["a b", "$x"]
    for wrong in ("kubectl 'get", "  "):
        with pytest.raises(InputError):
            command_words(wrong)


def test_standard_output_is_the_input_and_the_folder_is_that_of_the_file(tmp_path) -> None:
    (tmp_path / "here").write_text("x")
    code = "import os, sys; print(os.listdir('.')); print('noise', file=sys.stderr)"
    found = output(code, tmp_path)
    assert found.data == b"['here']\n"
    assert found.name.startswith("output of python")


def test_what_a_failed_command_said_is_told(tmp_path) -> None:
    code = "import sys; print('{}'); print('no\\nroute', file=sys.stderr); sys.exit(3)"
    said = fault(code, tmp_path)
    assert "ended with exit code 3; it said: no route" in said
    assert "was ended by SIGKILL" in fault("import os; os.kill(os.getpid(), 9)", tmp_path)
    long = fault("import sys; sys.exit('x' * 5000)", tmp_path)
    assert "… xxx" in long
    assert len(long) < 900


def test_nothing_printed_is_a_fault(tmp_path) -> None:
    assert "printed nothing" in fault("pass", tmp_path)


def test_a_slow_command_is_ended_with_its_children(tmp_path) -> None:
    marker = tmp_path / "alive"
    child = f"import time; time.sleep(2.5); open({str(marker)!r}, 'w')"
    code = (
        f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]);"
        "time.sleep(60)"
    )
    before = time.monotonic()
    said = fault(code, tmp_path, timeout_s=1)
    assert "took longer than 1 s" in said
    assert time.monotonic() - before < 15
    time.sleep(2)
    assert not marker.exists()


def test_an_endless_output_is_ended(tmp_path) -> None:
    code = "while True: print('x' * 10000)"
    assert "more than any export" in fault(code, tmp_path, most_bytes=100_000)


def test_a_stop_ends_the_wait(tmp_path) -> None:
    with pytest.raises(KeyboardInterrupt):
        output("import time; time.sleep(60)", tmp_path, stopped=lambda: True)


def test_a_command_that_is_not_there(tmp_path) -> None:
    with pytest.raises(InputError, match="no-such-program was not found"):
        command_output(["no-such-program"], 5, tmp_path, lambda: False)
    script = tmp_path / "plain.txt"
    script.write_text("x")
    with pytest.raises(InputError, match="cannot be started: Permission denied"):
        command_output([str(script)], 5, tmp_path, lambda: False)
    with pytest.raises(InputError, match="has no folder to run in"):
        command_output(["true"], 5, tmp_path / "gone", lambda: False)


def test_a_night_from_a_command_also_packed(place, at_once) -> None:
    export = place.root / "export.json"
    export.write_text(tiny_export("2026-09-15T20:00:00Z"))
    place.configure(inputs={"command": f"cat {export}"})
    run = place.run().run
    assert run.snapshot.nodes == 1
    code = f"import gzip, sys; sys.stdout.buffer.write(gzip.compress(open({str(export)!r},'rb').read()))"
    place.configure(inputs={"command": python(code)})
    assert place.run().run.snapshot.digest == run.snapshot.digest
    place.configure(inputs={"command": "echo hello world"})
    with pytest.raises(InputError, match="output of echo"):
        place.run()
