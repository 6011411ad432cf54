"""Hypothesis strategies for random snapshots; they shrink towards fewer and plainer objects."""

from __future__ import annotations

from hypothesis import strategies as st

from models.snapshot import Snapshot
from planner.testing.random_nodes import ZONE
from planner.testing.random_sizes import SIZES
from planner.testing.random_snapshots import QUEUE_MODELS, RandomCase, build_snapshot, policy_for

_POLICIES: tuple[dict[str, object], ...] = (
    {},
    {"sla": True},
    {"priority_scope": "cluster"},
    {"objective": "throughput"},
    {"objective": "fair"},
    {"nodegroup": True},
    {"revocable_zones": {ZONE: "11:30-13:00"}},
)


def snapshots(size: str = "tiny", queue_model: str = "capacity") -> st.SearchStrategy[Snapshot]:
    """Snapshots of a size (``tiny``, ``twins`` or ``small``) for a queue model."""
    return st.randoms(use_true_random=False).map(
        lambda rng: build_snapshot(rng, SIZES[size], queue_model)
    )


def cases(size: str = "tiny") -> st.SearchStrategy[RandomCase]:
    """Snapshots of every queue model, each with a policy."""

    @st.composite
    def draw_case(draw: st.DrawFn) -> RandomCase:
        model = draw(st.sampled_from(QUEUE_MODELS))
        keys = draw(st.sampled_from(_POLICIES))
        snapshot = draw(snapshots(size, model))
        return RandomCase(f"{model} {keys}", snapshot, policy_for(snapshot, model, **keys))

    return draw_case()
