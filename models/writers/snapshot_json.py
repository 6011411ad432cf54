"""A snapshot as one JSON file, and its digest."""

from __future__ import annotations

import hashlib
import json
from typing import Any, BinaryIO, Final

from models.snapshot import Snapshot
from models.writers.encode import Encoder

SNAPSHOT_KIND: Final = "GangplanSnapshot"
SCHEMA_VERSION: Final = 1


def write_snapshot(snapshot: Snapshot, stream: BinaryIO) -> None:
    """Write the JSON form (UTF-8, one line) to an open binary file."""
    stream.write(snapshot_to_json(snapshot))


def snapshot_to_json(snapshot: Snapshot) -> bytes:
    """JSON form; ``models.readers.read_snapshot`` makes an equal snapshot of it."""
    return _dump(_document(snapshot)) + b"\n"


def snapshot_digest(snapshot: Snapshot) -> str:
    """SHA-256 (hex) of the canonical JSON form without sources, findings and the digest itself.

    Findings name files, and the same cluster in other files is still the same cluster.
    """
    document = _document(snapshot)
    for key in ("sources", "findings", "digest"):
        document.pop(key, None)
    return hashlib.sha256(_dump(document)).hexdigest()


def _document(snapshot: Snapshot) -> dict[str, Any]:
    encoder = Encoder()
    content = encoder.fields_of(snapshot)
    specs = [encoder.fields_of(spec) for spec in encoder.specs]
    return {"kind": SNAPSHOT_KIND, "schemaVersion": SCHEMA_VERSION, **content, "podSpecs": specs}


def _dump(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8")
