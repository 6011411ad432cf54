"""Minima of a gang's roles, changed."""

from __future__ import annotations

from collections.abc import Mapping

from models.edits.edit import EditError
from models.edits.quantities import Number, changed_number
from models.edits.suggest import unknown
from models.workloads import Gang


def changed_minima(gang: Gang, changes: Mapping[str, Number]) -> dict[str, int]:
    """Role to pods that it needs at least: a number or a change (``-2``).

    They bind as long as minMember covers their sum.

    Raises
    ------
    EditError
        A role that the gang does not have (the nearest is suggested), or less than 0 pods.
    """
    found = dict(gang.role_minimum)
    known = sorted({*found, *(one.role for one in gang.templates)})
    for role, value in changes.items():
        if role not in known:
            raise unknown(f"role of {gang.full_name}", role, known)
        now = found.get(role, 0)
        found[role] = changed_number(now, value)
        if found[role] < 0:
            raise EditError(
                f"the minimum of role {role} of {gang.full_name} would be {found[role]}",
                f"it is {now} now",
            )
    return dict(sorted(found.items()))
