"""When a gang keeps its nodes: its pods of both plans are where they were."""

from __future__ import annotations

import pytest

from models.plan import GangEntry, PodGroupEntry
from planner.usecases.inputs.earlier_plan import stays


def _gang(*pods: tuple[str, str, int]) -> GangEntry:
    return GangEntry(
        name="g",
        namespace="n",
        decision="start",
        pods=tuple(
            PodGroupEntry(role=role, node=node, count=count, action="place")
            for role, node, count in pods
        ),
    )


THEN = (("worker", "a", 2), ("worker", "b", 1), ("master", "a", 1))


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        (THEN, True),
        ((("worker", "a", 3), ("master", "a", 1)), False),  # gathered on fewer nodes: one has moved
        ((("worker", "a", 2), ("worker", "b", 1), ("master", "b", 1)), False),  # same nodes
        ((("worker", "a", 1), ("master", "a", 1)), True),  # elastic pods less
        ((*THEN, ("worker", "c", 1)), True),  # elastic pods more
        ((("worker", "a", 2), ("worker", "c", 1), ("master", "a", 1)), False),
        ((("worker", "b", 2), ("master", "a", 1)), False),
    ],
)
def test_a_gang_stays_while_no_pod_of_both_plans_is_elsewhere(
    now: tuple[tuple[str, str, int], ...], kept: bool
) -> None:
    assert stays(_gang(*THEN), _gang(*now)) is kept
