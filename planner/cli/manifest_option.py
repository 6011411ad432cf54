"""``--manifests FOLDER`` of the verbs that make a plan: what a person applies so that the cluster follows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import UsageError
from planner.cli.talk import Talk

if TYPE_CHECKING:
    from models.plan import PlanResult
    from planner.usecases.inputs.checked_input import CheckedInput

ManifestFolder = Annotated[
    Path | None,
    typer.Option(
        "--manifests",
        metavar="FOLDER",
        help="Also write what a person may apply so that the cluster follows the plan, and what undoes it, to this new "
        "or empty folder. Nothing is applied.",
        show_default=False,
    ),
]


def refuse_used_folder(folder: Path | None) -> None:
    """Say before a long search that files of another plan would stand between those of this one.

    Raises
    ------
    UsageError
        It is a file, or holds something.
    """
    if folder is None or not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"--manifests writes several files: {folder} is no folder")
    if any(folder.iterdir()):
        raise UsageError(f"--manifests wants a new or an empty folder: {folder} holds files")


def write_manifests(folder: Path, given: CheckedInput, result: PlanResult, talk: Talk) -> None:
    """Write the folder and name its first file on standard error.

    Raises
    ------
    UsageError
        It cannot be written.
    """
    from planner.manifests.build import README, manifests_of
    from planner.manifests.folder import write_folder

    try:
        write_folder(manifests_of(given.snapshot, result, given.policy), folder)
    except OSError as error:
        place = error.filename or folder
        raise UsageError(f"cannot write {place}: {error.strerror or error}") from error
    talk.note(f"wrote {folder / README}: what to apply, in which order, and what undoes it")
