"""The command line that makes a plan again, worked out from its document."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.drill import DrillQuestion
from models.plan import PlanResult
from planner.problem.limits import Limits


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


@dataclass(frozen=True)
class Inputs:
    """What a command line names: snapshot, policy file, and policy keys that came from flags."""

    sources: tuple[str, ...]
    policy: str = ""
    flags: Mapping[str, Any] = field(default_factory=dict)

    def words(self, verb: str) -> list[str]:
        """``gangplan VERB SOURCES --policy FILE --set-policy KEY=VALUE …``."""
        found = ["gangplan", verb, *(self.sources or ("SNAPSHOT",))]
        if self.policy:
            found += ["--policy", self.policy]
        for key, value in sorted(self.flags.items()):
            text = value if isinstance(value, str) else json.dumps(value)
            found += ["--set-policy", f"{key}={text}"]
        return found


def plan_command(inputs: Inputs, limits: Limits) -> str:
    """The command line that makes a plan for now again."""
    return shlex.join([*inputs.words("plan"), *_limits(limits)])


def schedule_command(
    inputs: Inputs,
    limits: Limits,
    *,
    demand: Sequence[str] = (),
    horizon_s: int,
    bucket_s: int | None = None,
) -> str:
    """The command line that makes a schedule again."""
    words = inputs.words("schedule")
    for name in demand:
        words += ["--demand", name]
    words += ["--horizon", _span(horizon_s)]
    if bucket_s is not None:
        words += ["--bucket", _span(bucket_s)]
    return shlex.join([*words, *_limits(limits)])


def drill_command(inputs: Inputs, limits: Limits, question: DrillQuestion) -> str:
    """The command line that makes a drill again."""
    words = inputs.words("reclaim")
    for need in question.needs:
        parts = [f"{need.service}={need.gpus}"]
        parts += [f"per-pod={need.per_pod}"] if need.per_pod else []
        parts += [f"kind={need.gpu_model}"] if need.gpu_model else []
        parts += [f"pool={pool}" for pool in need.pools]
        parts += [f"node={label}={value}" for label, value in need.labels.items()]
        words += ["--need", ",".join(parts)]
    words += ["--deadline", f"{question.deadline_seconds}s"]
    words += ["--overhead", f"{question.overhead_seconds}s"]
    if question.by_hand:
        words.append("--by-hand")
    return shlex.join([*words, *_limits(limits)])


def _span(seconds: int) -> str:
    """``24h``, ``15m``, ``90s``."""
    for size, unit in ((3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _limits(limits: Limits) -> list[str]:
    words = ["--time-limit", f"{limits.time_limit_s:g}s", "--workers", str(limits.workers)]
    return [*words, "--gap", f"{100 * limits.gap:g}%"] if limits.gap else words
