"""The plan document as compressed bytes."""

from __future__ import annotations

import gzip
import json

from models.plan import PlanResult


def pack_plan(result: PlanResult) -> tuple[bytes, int]:
    """Gzip-compressed JSON (equal documents are equal bytes), and its unpacked size in bytes."""
    text = json.dumps(result.model_dump(mode="json"), separators=(",", ":"))
    raw = text.encode("ascii")
    return gzip.compress(raw, 6, mtime=0), len(raw)


def unpack_plan(packed: bytes) -> PlanResult:
    """The document again."""
    return PlanResult.model_validate(json.loads(gzip.decompress(packed)))
