"""The journal of a sweep: every finished point at once on disk, so that an interruption loses none.

JSON Lines: the first line says which sweep of which base it belongs to, each further line is one row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from models.findings import Finding, InputError, UsageError
from planner.report.whatif.sweep_document import SweepRow

KIND = "SweepJournal"


class Journal:
    """Rows of earlier runs, and a place for new ones."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        self._identity = {"kind": KIND, **identity}
        self._stream: TextIO | None = None
        self.rows: dict[int, SweepRow] = {}

    def open(self) -> None:
        """Read what is there and be ready to append.

        A last line that an interruption cut off is dropped.

        Raises
        ------
        InputError
            The file is no journal, or that of another sweep, base or setting.
        UsageError
            It cannot be written.
        """
        if self.path.exists() and not self.path.is_file():
            raise UsageError(f"the journal {self.path} cannot be used: it is no regular file")
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
            whole = text[: text.rfind("\n") + 1]
            lines = whole.splitlines()
            if lines:
                self._check(lines[0])
                self._take(lines[1:])
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("a", encoding="utf-8")
            if len(whole) < len(text):
                self._stream.truncate(len(whole.encode()))
            if not lines:
                self._write(self._identity)
        except (OSError, UnicodeDecodeError) as error:
            what = getattr(error, "strerror", None) or error
            raise UsageError(f"the journal {self.path} cannot be used: {what}") from error

    def add(self, row: SweepRow) -> None:
        """Keep a row, safe against a crash of process and machine."""
        self.rows[row.number] = row
        if not row.error:  # what failed is tried again
            self._write(row.model_dump(mode="json"))

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _write(self, content: Mapping[str, Any]) -> None:
        assert self._stream is not None
        try:
            self._stream.write(json.dumps(content, ensure_ascii=False) + "\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise UsageError(
                f"the journal {self.path} cannot be written: {error.strerror}"
            ) from error

    def _check(self, line: str) -> None:
        try:
            header = json.loads(line)
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("kind") != KIND:
            raise self._fault("is no journal of a sweep")
        different = [key for key, value in self._identity.items() if header.get(key) != value]
        if different:
            raise self._fault(f"belongs to another run (differs in {', '.join(different)})")

    def _take(self, lines: list[str]) -> None:
        for number, line in enumerate(lines, 2):
            try:
                row = SweepRow.model_validate_json(line)
            except ValidationError:
                raise self._fault(f"is damaged at line {number}") from None
            self.rows[row.number] = row

    def _fault(self, what: str) -> InputError:
        remedy = "delete it to begin anew, or name another one with --journal"
        finding = Finding("sweep_journal", "error", str(self.path), what, remedy)
        return InputError(f"{self.path}: {what}", (finding,))
