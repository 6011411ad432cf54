"""A command that prints a snapshot: run without a shell, within a time limit, and told when it fails."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from models.findings import Finding, InputError
from models.readers.input_files import MemoryFile, memory_file

POLL_S = 0.05
TAIL_BYTES = 600
MOST_BYTES = 4 << 30
"""More than any export has; an endless output must not fill the disk."""


def command_words(command: str | Sequence[str]) -> list[str]:
    """Words of a command; a text is split as a shell would split it.

    Raises
    ------
    InputError
        No words, or an open quote.
    """
    if not isinstance(command, str):
        return list(command)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise _failed(command, f"cannot be split into words: {error}") from error
    if not words:
        raise _failed("inputs.command", "is empty")
    return words


def command_output(
    words: Sequence[str],
    timeout_s: int,
    folder: Path,
    stopped: Callable[[], bool],
    *,
    most_bytes: int = MOST_BYTES,
) -> MemoryFile:
    """What a command prints to standard output, as an input file; it runs in ``folder``.

    Raises
    ------
    InputError
        It cannot be started, fails, takes too long, or prints nothing or too much; with the end of what it says on
        standard error.
    KeyboardInterrupt
        ``stopped`` became true.
    """
    name = words[0]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                process_group=0,
            )
        except (OSError, ValueError) as error:
            raise _failed(name, _why_not_started(error, name, folder)) from error
        try:
            fault = _wait(process, timeout_s, stopped, lambda: _size(out) > most_bytes)
        finally:
            _end(process)
        if not fault and process.returncode:
            fault = _exit_words(process.returncode)
        size = _size(out)
        if not fault and not size:
            fault = "printed nothing"
        if fault:
            raise _failed(name, f"{fault}{_said(err)}")
        out.seek(0)
        return memory_file(f"output of {Path(name).name}", out.read())


def _wait(
    process: subprocess.Popen[bytes],
    timeout_s: int,
    stopped: Callable[[], bool],
    too_much: Callable[[], bool],
) -> str:
    """Wait for the end; what is wrong if it had to be ended, else ""."""
    deadline = time.monotonic() + timeout_s
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_S)
            return ""
        if stopped():
            raise KeyboardInterrupt
        if time.monotonic() > deadline:
            return f"took longer than {timeout_s:,} s (inputs.timeout) and was ended"
        if too_much():
            return "printed more than any export has and was ended"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and what it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _exit_words(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _why_not_started(error: Exception, name: str, folder: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return "was not found" if folder.is_dir() else f"has no folder to run in ({folder})"
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror or error}"
    return f"cannot be started: {error}"


def _size(stream: IO[bytes]) -> int:
    return os.fstat(stream.fileno()).st_size


def _said(err: IO[bytes]) -> str:
    """The end of standard error, on one line."""
    size = _size(err)
    err.seek(max(size - TAIL_BYTES, 0))
    text = " ".join(err.read().decode("utf-8", "replace").split())
    return f"; it said: {'… ' if size > TAIL_BYTES else ''}{text}" if text else ""


def _failed(name: str, what: str) -> InputError:
    remedy = "run the command by hand as the same user; see `inputs` in the nightly file"
    finding = Finding("input_command_failed", "error", f"command {name}", what, remedy)
    return InputError(f"command {name} {what}", [finding])
