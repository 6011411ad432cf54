"""A policy file of the visitor in place of the server's or the sample's. No widget is drawn here."""

from __future__ import annotations

from models.findings import PlannerError
from planner.usecases.inputs.policy_uploads import policy_of_upload
from ui.launch import launch
from ui.state import PlannerState


def take_policy(state: PlannerState, name: str, data: bytes) -> bool:
    """Plan under this file from now on; a fault leaves what held before and is returned as False."""
    try:
        state.own_policy = policy_of_upload(name, data)
    except PlannerError as error:
        state.policy_fault = error
        return False
    state.policy_fault = None
    state.policy_round += 1
    return True


def leave_policy(state: PlannerState) -> None:
    """Plan under the policy of the server or the sample again."""
    state.own_policy = state.policy_fault = None
    state.policy_round += 1


def has_own_file(state: PlannerState) -> bool:
    """Whether the policy comes from a file that was given, by the visitor or to the server."""
    return state.own_policy is not None or launch().policy is not None
