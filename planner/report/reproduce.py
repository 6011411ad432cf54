"""The command line that makes a plan again, worked out from its document."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from models.plan import PlanResult


def command_line(result: PlanResult) -> str:
    """``gangplan plan SOURCES --seed N --workers N …``; names the policy file where one was used.

    Policy keys that came from flags are not repeated; the table of the policy lists them.
    """
    certificate = result.certificate
    words = ["gangplan", "plan", *(result.snapshot.sources or ("SNAPSHOT",))]
    if any(
        isinstance(entry, Mapping) and entry.get("origin") == "file"
        for entry in result.policy.values()
    ):
        words += ["--policy", "POLICY.yaml"]
    words += ["--seed", str(certificate.seed), "--workers", str(certificate.workers)]
    if certificate.deterministic:
        words.append("--deterministic")
    return shlex.join(words)
