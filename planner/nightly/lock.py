"""One run at a time per output folder; the lock of a killed run is free at once.

POSIX record locks belong to the process: the kernel frees them at its end, however it comes, and children (the search)
do not inherit them.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from models.findings import PlannerError

LOCK_NAME = ".lock"


class BusyError(PlannerError):
    """Another run works in the same output folder."""


@contextmanager
def output_lock(output: Path, now: str) -> Iterator[None]:
    """Hold the lock of an output folder; ``now`` (RFC 3339) is told to whoever comes second.

    Raises
    ------
    BusyError
        Another process holds it; says which and since when.
    PlannerError
        The file system knows no locks.
    OSError
        The folder cannot be written.
    """
    path = output / LOCK_NAME
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise BusyError(_busy(output, handle)) from None
            raise PlannerError(f"{path}: cannot be locked: {error.strerror or error}") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()} {now}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _busy(output: Path, handle: int) -> str:
    pid, _, since = os.pread(handle, 200, 0).decode("utf-8", "replace").strip().partition(" ")
    who = f" (process {pid}, since {since})" if pid and since else ""
    return f"another nightly run is at work in {output}{who}; wait for it, or end it"
