"""What the server was started with; the same for every visitor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from models.findings import PlannerError
from models.policy import Policy
from planner.usecases.inputs.inputs import is_cluster
from planner.usecases.inputs.policies import policy_keys, read_policy

MAX_UPLOAD_MB = 200


@dataclass(frozen=True)
class Launch:
    """Command line of the server.

    Attributes
    ----------
    paths
        Snapshot files and folders; empty = the sample.
    demand
        Demand files of online services that belong to ``paths``.
    history
        URL or path of the history of nights, "" for none.
    policy, flags
        Policy file and single keys that hold for every plan unless a visitor chooses otherwise.
    read_only
        Visitors see one plan and change nothing.
    read_every_s
        Seconds after which a running cluster is read again; None reads it on request only.
    max_upload_mb
        Largest upload in MiB, all files together.
    fault
        Why the command line cannot be used, "" where it can.
    """

    paths: tuple[str, ...] = ()
    demand: tuple[str, ...] = ()
    history: str = ""
    policy: Policy | None = None
    flags: Mapping[str, Any] = field(default_factory=dict)
    allow_incomplete: bool = False
    read_only: bool = False
    max_upload_mb: int = MAX_UPLOAD_MB
    read_every_s: int | None = None
    fault: str = ""


def parse_launch(arguments: Sequence[str]) -> Launch:
    """Read the arguments behind ``--``; a fault is kept for the page to show, since nobody else would."""
    parser = argparse.ArgumentParser(prog="ui/app.py", exit_on_error=False)
    parser.add_argument("snapshot", nargs="*")
    parser.add_argument("--demand", action="append", default=[])
    parser.add_argument("--history", default="")
    parser.add_argument("--policy")
    parser.add_argument("--set-policy", action="append", default=[])
    parser.add_argument("--allow-incomplete", action="store_true")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--read-every", type=int)
    parser.add_argument("--max-upload", type=int, default=MAX_UPLOAD_MB)
    try:
        found, unknown = parser.parse_known_args(list(arguments))
        if unknown:
            return Launch(fault=f"unknown argument {unknown[0]!r}")
        return Launch(
            paths=tuple(found.snapshot),
            demand=tuple(found.demand),
            history=found.history,
            policy=read_policy(Path(found.policy)) if found.policy else None,
            flags=policy_keys(found.set_policy),
            allow_incomplete=found.allow_incomplete,
            read_only=found.read_only,
            max_upload_mb=max(1, found.max_upload),
            read_every_s=found.read_every,
        )
    except (argparse.ArgumentError, PlannerError) as error:
        return Launch(fault=str(error))


def reads_cluster() -> bool:
    """Whether the server was started on a running cluster."""
    return any(map(is_cluster, launch().paths))


@cache
def launch() -> Launch:
    """The launch of this process."""
    return parse_launch(sys.argv[1:])
