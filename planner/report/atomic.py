"""Files appear whole or not at all; what is no regular file is written through, never replaced."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from models.findings import UsageError

_DESCRIPTOR = re.compile(r"/dev/fd/(\d+)|/proc/(self|thread-self|\d+)(?:/task/\d+)?/fd/(\d+)")
"""Names of open files of a process: opening them anew would cut off what a shell appends to."""
_LINKS = 40


@contextmanager
def atomic_text(path: Path) -> Iterator[TextIO]:
    """Open ``path`` for UTF-8 text, as :func:`atomic_bytes` does."""
    with atomic_bytes(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="", write_through=True)
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def atomic_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary neighbour of ``path`` and rename it over ``path`` if all went well.

    A symbolic link stays and its target is written. Devices, FIFOs and open files (``/dev/stdout``) are written
    through; a reader of them that goes away early is no error. A file that is replaced keeps its permissions, a new one
    is its owner's alone (:func:`new_file_mode`). Missing folders are made.

    Raises
    ------
    UsageError
        The place cannot be written; says which and why.
    """
    try:
        handle = _open_special(path)
        target = Path(os.path.realpath(path))
        if handle is None:
            with _renamed(target) as stream:
                yield stream
            return
        with os.fdopen(handle, "wb") as stream:
            yield stream
    except BrokenPipeError:
        return
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def _renamed(path: Path) -> Iterator[BinaryIO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else new_file_mode()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _open_special(path: Path) -> int | None:
    """A descriptor of what must be written through, None where ``path`` is a regular file, a folder or nothing yet."""
    descriptor = _open_file(path)
    if descriptor is not None:
        sys.stdout.flush()
        return os.dup(descriptor)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))


def _open_file(path: Path) -> int | None:
    """Number of the open file that ``path`` names directly or by links (``/dev/stdout``)."""
    place = os.path.abspath(path)  # noqa: PTH100 (`resolve` would follow the last link, too)
    for _ in range(_LINKS):
        found = _DESCRIPTOR.fullmatch(place)
        if found is not None and found[2] in (None, "self", "thread-self", str(os.getpid())):
            return int(found[1] or found[3])
        try:
            link = os.readlink(place)  # noqa: PTH115 (a text, relative to the folder of the link)
        except OSError:
            return None
        place = os.path.normpath(os.path.join(os.path.dirname(place), link))  # noqa: PTH118, PTH120
    return None


def new_file_mode() -> int:
    """Permissions of a new file: 0600, as it holds names of a cluster, or ``GANGPLAN_FILE_MODE`` (octal, like 0640).

    Raises
    ------
    UsageError
        The variable holds no permissions.
    """
    given = os.environ.get("GANGPLAN_FILE_MODE", "0600")
    if re.fullmatch(r"0?[0-7]{3}", given) is None:
        raise UsageError(f"GANGPLAN_FILE_MODE is {given!r}; write permissions like 0640")
    return int(given, 8)
