"""Bytes of a file as text: gzip undone within limits, encoding by byte order mark, binary content refused early."""

from __future__ import annotations

import codecs
import gzip
import zlib
from typing import BinaryIO, Final, cast

from models.readers.problems import BadFile, damaged, hostile, unknown_format

PEEK: Final = 64 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
# Exports compress 10 to 60 times; a deflate bomb reaches 1,000.
_LARGEST_RATIO: Final = 300
_FREE_BYTES: Final = 64 * 1024 * 1024
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\f\x1b\x85")


class TextSource:
    """Reads text in pieces, with a look ahead at its start.

    Parameters
    ----------
    stream
        Open binary file; it is read forward only, so a pipe will do.
    """

    def __init__(self, stream: BinaryIO) -> None:
        start = _read_up_to(stream, 2)
        self._raw: _Bytes | _Unzipped = _Bytes(start, stream)
        if start == _GZIP_MAGIC:
            self._raw = _Unzipped(self._raw)
        first = self._raw.read(PEEK)
        encoding, skipped = _encoding(first)
        if encoding == "utf-8":
            _refuse_binary(first[:1024])
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._done = False
        self._ahead = self._decode(first[skipped:])
        while not self._ahead and not self._done:
            self._ahead = self._more(PEEK)

    def peek(self) -> str:
        """The start of what is not read yet, up to 64 KiB; "" for an empty file."""
        return self._ahead

    def read(self, size: int = PEEK) -> str:
        """About ``size`` characters, "" at the end."""
        if self._ahead:
            found, self._ahead = self._ahead, ""
            return found
        found = ""
        while not found and not self._done:
            found = self._more(size)
        return found

    def _more(self, size: int) -> str:
        return self._decode(self._raw.read(max(size, 1)))

    def _decode(self, data: bytes) -> str:
        self._done = not data
        try:
            return self._decoder.decode(data, final=self._done)
        except UnicodeDecodeError as error:
            raise damaged(
                f"the text is not valid {error.encoding.upper()}: {error.reason}"
            ) from None


class _Bytes:
    """A stream with its first bytes put back."""

    def __init__(self, start: bytes, stream: BinaryIO) -> None:
        self._start, self._stream = start, stream
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes."""
        if self._start:
            data, self._start = self._start, b""
            data += self._stream.read(size - len(data)) if size > len(data) else b""
        else:
            data = self._stream.read(size)
        self.taken += len(data)
        return data


class _Unzipped:
    """gzip content; refuses what expands out of all proportion."""

    def __init__(self, packed: _Bytes) -> None:
        self._packed = packed
        self._file = gzip.GzipFile(fileobj=cast("BinaryIO", packed), mode="rb")
        self._given = 0

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes of the unpacked content."""
        try:
            data = self._file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise damaged(f"the gzip data is damaged: {error}") from None
        self._given += len(data)
        if self._given > max(_FREE_BYTES, _LARGEST_RATIO * self._packed.taken):
            raise hostile(f"gzip data that expands more than {_LARGEST_RATIO} times")
        if data[:2] == _GZIP_MAGIC and self._given == len(data):
            raise unknown_format("gzip data inside gzip data")
        return data


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


def _encoding(first: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if first.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def _refuse_binary(start: bytes) -> None:
    odd = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in start)
    if b"\x00" in start or odd > len(start) // 20:
        raise _binary()


def _binary() -> BadFile:
    return unknown_format("the file is binary data, not text")
