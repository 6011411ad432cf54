"""A bundle for a bug report: everything needed to repeat a run whose plan failed verification."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import yaml

from models.drill import DrillResult
from models.effective import EffectivePolicy
from models.findings import PlannerError
from models.plan import PlanResult
from models.snapshot import Snapshot


def bundle_name(snapshot: Snapshot) -> str:
    """``gangplan-bundle-<first 12 digits of the digest>.zip``."""
    digest = snapshot.digest.removeprefix("sha256:")
    return f"gangplan-bundle-{digest[:12] or 'no-digest'}.zip"


def save_bundle(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult | DrillResult, folder: Path
) -> Path:
    """Write snapshot (only the fields that the planner keeps), policy, document and violations as one zip file.

    Where ``folder`` cannot be written, the system's folder for temporary files takes it.

    Raises
    ------
    PlannerError
        Neither place can be written.
    """
    parts = _parts(snapshot, policy, result)
    error: OSError | None = None
    for place in (folder, Path(tempfile.gettempdir())):
        path = place / bundle_name(snapshot)
        try:
            _write(path, parts)
        except OSError as fault:
            error = fault
            with suppress(OSError):
                path.unlink(missing_ok=True)
            continue
        return path
    raise PlannerError(f"the bundle cannot be written: {error}")


def bundle_bytes(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult | DrillResult
) -> bytes:
    """The same zip file as bytes, for whoever hands it out without writing it."""
    data = io.BytesIO()
    _write(data, _parts(snapshot, policy, result))
    return data.getvalue()


def _parts(
    snapshot: Snapshot, policy: EffectivePolicy, result: PlanResult | DrillResult
) -> dict[str, Callable[[], str | bytes]]:
    violations = result.verification.violations if result.verification else ()
    return {
        "snapshot.json": lambda: snapshot_bytes(snapshot),
        "policy.yaml": lambda: _policy_text(policy),
        f"{_base_name(result)}.json": lambda: (
            result.model_dump_json(by_alias=True, indent=2) + "\n"
        ),
        "violations.json": lambda: (
            json.dumps([one.model_dump(by_alias=True) for one in violations], indent=2) + "\n"
        ),
    }


def _base_name(result: PlanResult | DrillResult) -> str:
    return "drill" if isinstance(result, DrillResult) else "plan"


def _policy_text(policy: EffectivePolicy) -> str:
    """Every key with its value, as a policy file that `--policy` reads."""
    keys = {key: entry["value"] for key, entry in policy.document().items()}
    return yaml.safe_dump(keys, sort_keys=False)


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """The snapshot file (only the fields that the planner keeps)."""
    from models.writers.snapshot_json import write_snapshot

    data = io.BytesIO()
    write_snapshot(snapshot, data)
    return data.getvalue()


def _write(path: Path | BinaryIO, parts: dict[str, Callable[[], str | bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content())
