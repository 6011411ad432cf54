"""Scenarios applied: edit after edit, each checked against what the ones before left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from models.edits.edit import Edit, EditError, Situation
from models.effective import EffectivePolicy
from models.findings import Finding, InputError
from models.snapshot import Snapshot
from models.writers.snapshot_json import snapshot_digest


def apply_edits(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    edits: Sequence[Edit],
    *,
    source: str = "scenario",
) -> Situation:
    """A new snapshot and policy after all edits; the ones given are not changed.

    The digest tells the edited snapshot from its base; without an edit of the snapshot it stays.

    Parameters
    ----------
    source
        File (or flag) that an error names, with the number of the edit.

    Raises
    ------
    InputError
        An edit names something unknown or contradicts the situation; edit number and remedy are told.
    """
    situation = Situation(snapshot, policy)
    for number, edit in enumerate(edits, 1):
        try:
            situation = edit.apply(situation)
        except EditError as error:
            error = _after_others(edit, error, Situation(snapshot, policy), number)
            raise edit_fault(source, number, edit.kind, error) from error
    if situation.snapshot is snapshot or situation.snapshot == snapshot:
        return replace(situation, snapshot=snapshot)
    edited = situation.snapshot
    return replace(situation, snapshot=replace(edited, digest=snapshot_digest(edited)))


def _after_others(edit: Edit, error: EditError, base: Situation, number: int) -> EditError:
    """The error of an edit; where it would do on the base, the edits before it are to blame."""
    if number == 1:
        return error
    try:
        edit.apply(base)
    except EditError:
        return error
    return EditError(
        f"{error}, after the edits before it",
        "it suits the snapshot as it is: put it first, or leave one of the two out",
    )


def edit_fault(source: str, number: int, kind: str, error: EditError) -> InputError:
    """The error of one edit, with file, place and remedy."""
    place = f"{source}: edit {number}{f' ({kind})' if kind else ''}"
    remedy = error.remedy or "correct the edit"
    finding = Finding("scenario_edit", "error", place, str(error), remedy)
    return InputError(f"{place}: {error}", (finding,))


def inverse_edits(
    snapshot: Snapshot, policy: EffectivePolicy, edits: Sequence[Edit]
) -> tuple[Edit, ...] | None:
    """Edits that lead back to the base, last one first; None where one of them has no way back."""
    situation = Situation(snapshot, policy)
    back: list[Edit] = []
    for edit in edits:
        steps = edit.inverse(situation)
        if steps is None:
            return None
        back[:0] = steps
        situation = edit.apply(situation)
    return tuple(back)
