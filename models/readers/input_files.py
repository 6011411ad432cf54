"""The input files: paths as given, folders expanded, standard input."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from models.readers.problems import BadFile

STDIN_NAME: Final = "standard input"
_STDIN_PATH: Final = "-"


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file to read; ``name`` is what messages call it, never an absolute path that the user did not give."""

    name: str
    path: Path | None

    @contextmanager
    def open(self, stdin: BinaryIO | None) -> Iterator[BinaryIO]:
        """The open file.

        Raises
        ------
        BadFile
            It cannot be opened or read.
        """
        try:
            with self._stream(stdin) as stream:
                yield stream
        except OSError as error:
            raise _unreadable(error) from None

    def _stream(self, stdin: BinaryIO | None) -> AbstractContextManager[BinaryIO]:
        if self.path is not None:
            try:
                return self.path.open("rb")
            except ValueError as error:  # a name with a zero byte
                raise _unreadable(error) from None
        if stdin is None:
            raise BadFile("file_unreadable", "standard input is not connected", "name a file")
        return nullcontext(stdin)


@dataclass(frozen=True, slots=True)
class MemoryFile(InputFile):
    """A file that is at hand as bytes, e.g. an upload; its name is a label and never a path.

    ``path`` is None.
    """

    data: bytes = b""

    def _stream(self, stdin: BinaryIO | None) -> AbstractContextManager[BinaryIO]:
        return BytesIO(self.data)


def memory_file(name: str, data: bytes) -> MemoryFile:
    """Bytes under the last part of a name that a person gave."""
    label = name.replace("\\", "/").rpartition("/")[2] or "upload"
    return MemoryFile(label if label.isprintable() else ascii(label), None, data)


def list_input_files(
    paths: Sequence[str | Path | MemoryFile],
) -> tuple[list[InputFile], list[tuple[str, BadFile]]]:
    """Files in the order given, folders expanded in name order; and what could not be listed.

    Hidden files of a folder and what is no regular file are left out. A file that is named twice is read once.
    """
    found: dict[Path | MemoryFile | None, InputFile] = {}
    faults: list[tuple[str, BadFile]] = []
    for given in paths:
        if isinstance(given, MemoryFile):
            found.setdefault(given, given)
            continue
        if str(given) == _STDIN_PATH:
            found.setdefault(None, InputFile(STDIN_NAME, None))
            continue
        path = Path(given)
        try:
            inside = list(_walk(path)) if path.is_dir() else [path]
        except (OSError, ValueError) as error:
            faults.append((shown_name(path), _unreadable(error)))
            continue
        for file in inside:
            found.setdefault(file, InputFile(shown_name(file), file))
    return list(found.values()), faults


def shown_name(path: Path) -> str:
    """Name of a file as given; of an absolute path only the last two parts, since reports travel."""
    name = str(Path(*path.parts[-2:])) if path.is_absolute() else str(path)
    return name if name.isprintable() else ascii(name)


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise error

    for root, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(root, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _unreadable(error: Exception) -> BadFile:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return BadFile("file_unreadable", f"cannot be read: {reason}", "check path and permissions")
