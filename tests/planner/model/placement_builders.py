"""Words to fix parts of a placement model."""

from __future__ import annotations

from collections.abc import Mapping

from planner.model.build import BuiltModel

GPU = "nvidia.com/gpu"


def class_of(built: BuiltModel, gang: str) -> int:
    """Index of the class that holds a gang ``ml/<gang>``."""
    problem = built.form.problem
    for k, one in enumerate(built.form.classes):
        names = [problem.gang_names[problem.demands[index].gang] for index in one.demands]
        if f"ml/{gang}" in names:
            return k
    raise KeyError(gang)


def starting(built: BuiltModel, **gangs: int) -> dict[int, int]:
    """Columns fixed so that so many gangs of each named gang's class start."""
    fixed: dict[int, int] = {}
    for name, count in gangs.items():
        column = built.form.variables.starts[class_of(built, name)]
        assert column is not None
        fixed[column] = count
    return fixed


def pods_of(
    built: BuiltModel, gang: str, counts: Mapping[str, int], started: int = 1
) -> dict[int, int]:
    """Columns fixed so that the class of a gang, of which so many start, receives so many pods per role."""
    k = class_of(built, gang)
    fixed: dict[int, int] = {}
    for i, item in enumerate(built.form.classes[k].example.items):
        if item.role in counts:
            *least, (column, factor) = built.form.variables.pods[k][i]
            begun = sum(minimum * started for _, minimum in least)
            fixed[column] = (counts[item.role] - begun) // factor
    return fixed
