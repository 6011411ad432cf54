"""Stopping and starting one gang, by whoever controls it."""

from __future__ import annotations

from models.workloads import Gang
from planner.manifests.controllers import Controller
from planner.manifests.manifest_file import Action, Phase
from planner.manifests.night import Night
from planner.manifests.objects import JobAction, job_command, suspend_patch

NO_RETRY_LEFT = (
    "It has no retry left: resuming it makes the Job fail. Raise maxRetry where your version of Volcano permits it, or "
    "submit it again instead."
)
_PATCH = {"batch": "jobs.batch", "volcano": "jobs.batch.volcano.sh"}


def stop_gang(
    night: Night, gang: Gang, at: int, phase: Phase, why: str, *, gpus: int, only_if: str = ""
) -> Action | None:
    """Abort a Volcano Job or suspend a ``batch/v1`` Job; None where nothing but deleting pods would stop the gang."""
    return _switch(
        night.controller(gang), gang, at, phase, why, stop=True, gpus=gpus, only_if=only_if
    )


def start_gang(night: Night, gang: Gang, at: int, phase: Phase, why: str, *, gpus: int) -> Action:
    """Resume what was aborted or suspended.

    Raises
    ------
    ValueError
        Nothing resumes a gang of another controller.
    """
    action = _switch(night.controller(gang), gang, at, phase, why, stop=False, gpus=gpus)
    if action is None:
        raise ValueError(f"{gang.full_name} has a controller that no command resumes")
    return action


def _switch(
    owner: Controller,
    gang: Gang,
    at: int,
    phase: Phase,
    why: str,
    *,
    stop: bool,
    gpus: int,
    only_if: str = "",
) -> Action | None:
    if owner.kind == "other":
        return None
    subject, name = f"gang {gang.full_name}", f"{owner.namespace}.{owner.name}"
    if owner.kind == "batch":
        return Action(
            at=at,
            phase=phase,
            subject=subject,
            stem="suspend" if stop else "resume",
            name=name,
            operation="merge-patch",
            why=why,
            body=suspend_patch(owner.namespace, owner.name, suspended=stop),
            target=f"{_PATCH['batch']}/{owner.name}",
            namespace=owner.namespace,
            gpus=gpus,
            only_if=only_if,
        )
    command: JobAction = "AbortJob" if stop else "ResumeJob"
    warning = "" if stop else "Resuming adds one to the retry count of the Job."
    return Action(
        at=at,
        phase=phase,
        subject=subject,
        stem="abort" if stop else "resume",
        name=name,
        operation="create",
        why=why,
        body=job_command(owner.namespace, owner.name, gang.uid, command, why),
        namespace=owner.namespace,
        gpus=gpus,
        only_if=only_if,
        warning=warning,
    )
