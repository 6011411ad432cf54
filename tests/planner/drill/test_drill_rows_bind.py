"""Every family of rows of a drill binds somewhere, and the independent check notices when it is missing."""

from __future__ import annotations

import pytest

from models.drill_rules import DrillRule
from models.findings import UsageError
from planner.drill.model import build
from planner.drill.model.constraints import (
    gangs_stay_whole,
    pods_wanted,
    queue_limits,
    room_in_time,
    shares_kept,
)
from planner.drill.run import DrillError
from planner.drill.use_case import make_drill
from planner.problem.limits import Limits
from planner.testing.random_drills import drill_case

LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)
RULES = {
    room_in_time: DrillRule.ROOM,
    pods_wanted: DrillRule.NEED,
    queue_limits: DrillRule.QUEUE_LIMIT,
    shares_kept: DrillRule.SHARE,
    gangs_stay_whole: DrillRule.GANG,
}


def test_all_families_are_here() -> None:
    assert set(RULES) == set(build.CONSTRAINTS)


def broken(seed: int) -> set[str]:
    case = drill_case(seed)
    try:
        make_drill(case.snapshot, case.policy, case.question, LIMITS, changes=False)
    except UsageError:
        return set()  # a name that this cluster does not have
    except DrillError as error:
        found = error.result.verification
        return {one.rule for one in found.violations} if found else set()
    return set()


@pytest.mark.parametrize("rows", RULES, ids=lambda rows: rows.__name__)
def test_missing_rows_are_noticed(rows: object, monkeypatch: pytest.MonkeyPatch) -> None:
    others = tuple(one for one in build.CONSTRAINTS if one is not rows)
    monkeypatch.setattr(build, "CONSTRAINTS", others)
    wanted = RULES[rows]  # type: ignore[index]
    assert any(wanted in broken(seed) for seed in (*range(50, 200), *range(50)))
