"""What makes two requests ask for the same answer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Protocol

from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from planner.problem.limits import Limits


class Asked(Protocol):
    """Every request names a cluster, its policy and limits of the search."""

    @property
    def snapshot(self) -> Snapshot:
        """The cluster."""

    @property
    def policy(self) -> EffectivePolicy:
        """The policy in force."""

    @property
    def limits(self) -> Limits:
        """How long and how near to the best."""


def request_key(request: Asked, *more: object) -> str:
    """SHA-256 (hex) over snapshot, policy, limits and whatever else decides the answer."""
    policy = request.policy.document()
    policy["now"] = {"value": request.policy.now}
    parts = [request.snapshot.digest, policy, asdict(request.limits), *more]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
