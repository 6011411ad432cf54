"""Reading a plan document (``kind: PlanResult``), also one written by hand."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from models.checks.wording import counted
from models.drill import DrillResult
from models.findings import Finding, InputError
from models.plan import PlanResult
from models.readers.problems import BadFile
from models.readers.yaml_values import refuse_alias_bomb

Document = TypeVar("Document", PlanResult, DrillResult)
_GZIP = b"\x1f\x8b"
_LARGEST = 512 << 20  # bytes, unpacked; the document of 12,500 nodes has about 30 MB
SHOWN_FAULTS = 10


def read_plan(path: str | Path) -> PlanResult:
    """Read a plan document in JSON or YAML, plain or ``.gz``; ``-`` is standard input.

    Raises
    ------
    InputError
        Not readable, neither JSON nor YAML, another kind of document, another schema version, or fields of the
        wrong kind; the first ten faults are named with their place.
    """
    raw, source = _mapping(path)
    _check_kind(raw, source, ("PlanResult",))
    return _validated(PlanResult, raw, source)


def read_plan_or_drill(path: str | Path) -> PlanResult | DrillResult:
    """Like :func:`read_plan`; the document of a reclaim drill is read too."""
    raw, source = _mapping(path)
    if _check_kind(raw, source, ("PlanResult", "DrillResult")) == "DrillResult":
        return _validated(DrillResult, raw, source)
    return _validated(PlanResult, raw, source)


def _mapping(path: str | Path) -> tuple[dict[str, Any], str]:
    """The document, and what its source is called."""
    source = "standard input" if str(path) == "-" else str(path)
    raw = _parsed(_content(path, source), source)
    if not isinstance(raw, dict):
        raise _fault(source, "is not a plan document: the top level is not a mapping")
    return raw, source


def _check_kind(raw: dict[str, Any], source: str, kinds: tuple[str, ...]) -> str:
    kind, version = raw.get("kind"), raw.get("schemaVersion", 1)
    if kind not in kinds:
        wanted = " or ".join(repr(one) for one in kinds)
        raise _fault(source, f"is not a plan document: kind is {kind!r}, not {wanted}")
    if version != 1:
        raise _fault(source, f"has schemaVersion {version!r}; this release reads 1")
    return str(kind)


def _validated(model: type[Document], raw: dict[str, Any], source: str) -> Document:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise _invalid(source, error) from error


def _content(path: str | Path, source: str) -> bytes:
    try:
        data = _standard_input() if str(path) == "-" else _file(Path(path))
        if data.startswith(_GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(_LARGEST + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _fault(source, f"is a damaged gzip file: {error}") from error
    except OSError as error:
        raise _fault(source, f"cannot be read: {error.strerror or error}") from error
    if len(data) > _LARGEST:
        raise _fault(source, f"is larger than any plan document ({_LARGEST >> 20} MiB)")
    return data


def _file(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_LARGEST + 1)


def _standard_input() -> bytes:
    return sys.stdin.buffer.read(_LARGEST + 1) if sys.stdin is not None else b""


def _parsed(data: bytes, source: str) -> Any:
    if not data.strip():
        raise _fault(source, "is empty")
    try:
        text = data.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            return json.loads(text)
        refuse_alias_bomb(text)
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except BadFile as error:
        raise _fault(source, f"is neither JSON nor YAML that can be read: {error}") from error
    except UnicodeDecodeError as error:
        raise _fault(source, "is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise _fault(
            source,
            f"is not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}",
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _fault(source, f"is neither JSON nor YAML{_why(error)}") from error


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return ": it is nested too deeply"
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    return f": {problem} (line {mark.line + 1})" if mark is not None and problem else ""


def _fault(source: str, what: str) -> InputError:
    finding = Finding(
        "plan_unreadable",
        "error",
        source,
        what,
        "give a document that gangplan wrote with -o json or -o yaml",
    )
    return InputError(f"{source} {what}", [finding])


def _invalid(source: str, error: ValidationError) -> InputError:
    faults = error.errors()
    findings = [
        Finding(
            "plan_invalid_field",
            "error",
            source,
            f"{'.'.join(str(part) for part in one['loc'])}: {one['msg'].removeprefix('Value error, ')}",
            "correct the field, or give a document as gangplan wrote it",
        )
        for one in faults[:SHOWN_FAULTS]
    ]
    more = f" (the first {SHOWN_FAULTS} follow)" if len(faults) > SHOWN_FAULTS else ""
    return InputError(
        f"{source} does not fit a plan document: {counted(len(faults), 'field')} wrong or missing{more}",
        findings,
    )
