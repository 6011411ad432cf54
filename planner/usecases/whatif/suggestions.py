"""Names that a person may want to write into an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from models.effective import EffectivePolicy
from models.gpu import gpu_model, whole_gpu_names
from models.policy import Policy
from models.pools import pool_of
from models.snapshot import Snapshot

MOST = 2_000
"""Names suggested of one kind; every other one may be typed."""


@dataclass(frozen=True)
class Suggestions:
    """Names by what an input asks for.

    Attributes
    ----------
    left_out
        What an input asks for to the number of names that are not suggested.
    """

    names: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, int]

    def of(self, asks: str) -> tuple[str, ...]:
        """The names, () where nothing is named."""
        return self.names.get(asks, ())


def suggestions(snapshot: Snapshot, policy: EffectivePolicy) -> Suggestions:
    """Pools, models, then nodes; waiting gangs, then others; queues; policy keys."""
    rule = policy.policy.gpu_models
    gpus = whole_gpu_names(rule)
    pools = _sorted(
        f"pool/{name}" for node in snapshot.nodes if (name := pool_of(node, rule, gpus))
    )
    models = _sorted(f"model/{name}" for node in snapshot.nodes if (name := gpu_model(node, rule)))
    running = {pod.gang for pod in snapshot.pods if pod.running}
    gangs = [one.full_name for one in snapshot.gangs if not one.finished]
    every = {
        "nodes": [*pools, *models, *(node.name for node in snapshot.nodes)],
        "gangs": sorted(gangs, key=lambda name: (name in running, name)),
        "queue": sorted(snapshot.queue_by_name),
        "policy_key": sorted(Policy.model_fields),
        "grid_key": [*_queue_keys(snapshot), *(f"add/{name}" for name in (*models, *pools))],
    }
    return Suggestions(
        {asks: tuple(names[:MOST]) for asks, names in every.items()},
        {asks: len(names) - MOST for asks, names in every.items() if len(names) > MOST},
    )


def _queue_keys(snapshot: Snapshot) -> list[str]:
    names = sorted(snapshot.queue_by_name)
    forms = (
        "queue/{}.weight",
        "queue/{}.capability.gpu",
        "queue/{}.deserved.gpu",
        "queue/{}.guarantee.gpu",
        "scale/{}",
    )
    return [form.format(name) for form in forms for name in names]


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(set(names))
