"""One input file into the intake: its format is told by its content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from models.findings import Finding
from models.readers.fields import BadObject, shown
from models.readers.input_files import InputFile
from models.readers.intake import Intake
from models.readers.json_stream import Element, JsonStream
from models.readers.openb import is_trace_header, read_trace
from models.readers.problems import hostile, unknown_format
from models.readers.snapshot_file import SNAPSHOT_KIND, take_snapshot
from models.readers.text_source import TextSource
from models.readers.yaml_values import yaml_elements
from models.snapshot import Snapshot, Source

_DEEPEST_LIST: Final = 20
_MOST_FAULTS: Final = 100
_JSON_START: Final = re.compile(r"[\s\[{]*[\"\]}]")
_YAML_LINE: Final = re.compile(
    r"(?:---|%YAML|%TAG|-(?:\s|$)|[^\s\"'&*!|>@`#][^\n]{0,300}?:(?:\s|$)|[\"'{\[&!?])"
)
_OTHER_DOCUMENTS: Final = {
    "PlanResult": "this is a plan document, not a cluster",
}


@dataclass
class FileResult:
    """What reading one file gave."""

    source: Source
    findings: list[Finding]
    snapshot: Snapshot | None = None


def read_file(file: InputFile, intake: Intake, stdin: BinaryIO | None) -> FileResult:
    """Read one file into the intake.

    Findings of severity error in the result are faults of single objects that make the file untrustworthy.

    Raises
    ------
    BadFile
        The file cannot be read to its end.
    """
    with file.open(stdin) as stream:
        return ObjectReader(file.name, intake).read(TextSource(stream))


class ObjectReader:
    """Takes the objects of one source, and keeps count of them and of those that are invalid.

    Parameters
    ----------
    remedy
        What a person can do about an invalid object.
    """

    def __init__(
        self,
        name: str,
        intake: Intake,
        *,
        remedy: str = "correct the object in the file, or leave it out",
    ) -> None:
        self._name, self._intake, self._remedy = name, intake, remedy
        self.findings: list[Finding] = []
        self.taken = 0

    def read(self, source: TextSource) -> FileResult:
        """Everything in a file, whose format its start tells."""
        start = source.peek()
        if not start.strip():
            _drain(source)
            return FileResult(Source(self._name, "empty"), [])
        header = start.lstrip().partition("\n")[0].strip()
        if is_trace_header(header):
            rows = read_trace(source, self._intake, self._name)
            return FileResult(Source(self._name, "openb", rows), [])
        if (start.lstrip()[0] in "{[" and _JSON_START.match(start[:4096])) or _only_openers(start):
            return self._read_elements(JsonStream(source).elements(), "json")
        if not _looks_like_yaml(start):
            raise unknown_format(
                f"the file starts with {start.lstrip()[:40]!a}: none of the known formats"
            )
        return self._read_elements(yaml_elements(source), "yaml")

    def _read_elements(self, elements: Iterator[Element], form: str) -> FileResult:
        snapshot = None
        for value, head in elements:
            if isinstance(value, dict) and head is None and value.get("kind") == SNAPSHOT_KIND:
                snapshot, form = take_snapshot(value, self._intake, self._name), "snapshot"
                self.taken += 1
            else:
                self.take(value, head)
            if len(self.findings) >= _MOST_FAULTS:
                self.findings.append(self._too_many())
                break
        return FileResult(Source(self._name, form, self.taken), self.findings, snapshot)

    def _too_many(self) -> Finding:
        message = f"{len(self.findings)} objects are invalid; the rest of the file was not read"
        return hostile(message).finding(self._name)

    def take(self, value: Any, head: Mapping[str, Any] | None, depth: int = 0) -> None:
        """Take an object, or each object of a list inside the list."""
        if depth > _DEEPEST_LIST:
            raise hostile(f"lists inside lists, more than {_DEEPEST_LIST} deep")
        if isinstance(value, list):
            for one in value:
                self.take(one, head, depth + 1)
        elif isinstance(value, dict) and _is_list(value):
            for one in value["items"]:
                self.take(one, value, depth + 1)
        elif isinstance(value, dict):
            self._take_object(_with_kind(value, head))
        elif value is not None:
            raise unknown_format(f"{shown(value)} stands where an object is expected")

    def _take_object(self, raw: Mapping[str, Any]) -> None:
        self.taken += 1
        kind = raw.get("kind")
        try:
            if not isinstance(kind, str) or not kind:
                raise BadObject("the field kind is missing: this is no Kubernetes object")
            if kind in _OTHER_DOCUMENTS:
                raise BadObject(_OTHER_DOCUMENTS[kind])
            if not raw.get("apiVersion"):
                raise BadObject("the field apiVersion is missing")
            if not isinstance(raw.get("metadata"), dict):
                raise BadObject("metadata is missing")
            self._intake.take(raw, self._name)
        except (BadObject, RecursionError) as error:
            message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            where = f"{self._name}: {_label(raw, self.taken)}"
            self.findings.append(Finding("object_invalid", "error", where, message, self._remedy))


def _is_list(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("items"), list) and str(value.get("kind") or "List").endswith(
        "List"
    )


def _with_kind(value: Mapping[str, Any], head: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Items of a typed list (PodList …) need not repeat kind and apiVersion."""
    kind = head.get("kind") if head else None
    if value.get("kind") is not None or not isinstance(kind, str) or len(kind) <= len("List"):
        return value
    return {
        "apiVersion": (head or {}).get("apiVersion"),
        "kind": kind.removesuffix("List"),
        **value,
    }


def _label(raw: Mapping[str, Any], number: int) -> str:
    meta = raw.get("metadata")
    names = [meta.get(key) for key in ("namespace", "name")] if isinstance(meta, dict) else []
    name = "/".join(part for part in names if isinstance(part, str) and part)
    kind = raw.get("kind")
    label = f"{kind if isinstance(kind, str) and kind else 'object'} {name or f'number {number}'}"
    label = label if label.isprintable() else ascii(label)[1:-1]
    return label if len(label) <= 120 else f"{label[:119]}…"


def _only_openers(start: str) -> bool:
    return not start.strip().strip("[{ \t\r\n")


def _looks_like_yaml(start: str) -> bool:
    for line in start.splitlines():
        words = line.strip()
        if words and not words.startswith("#"):
            return _YAML_LINE.match(words) is not None
    return True


def _drain(source: TextSource) -> None:
    """Blank text must be blank to its end."""
    while piece := source.read():
        if piece.strip():
            raise unknown_format("the file starts with 64 KiB of blanks")
