"""Scenarios as lists that one adds to, reorders and takes from. No widget is drawn here."""

from __future__ import annotations

from collections.abc import Sequence

from models.edits.apply import edit_fault
from models.edits.edit import Edit, EditError, Situation
from models.edits.scenario import Scenario, parse_scenario
from models.findings import Finding, InputError, PlannerError
from planner.usecases.inputs.policies import load_yaml
from ui.messages import Words
from ui.session import ground
from ui.state import PlannerState
from ui.whatif.state import Draft

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_FILE_BYTES = 1 << 20
MOST_EDITS = 1_000
MOST_NAME = 80


def new_draft(state: PlannerState, say: Words, edits: Sequence[Edit] = (), name: str = "") -> Draft:
    """Add a scenario and show it; without a name it is called by a letter."""
    found = state.whatif
    found.made += 1
    taken = {one.name for one in found.drafts}
    free = [letter for letter in LETTERS if say("Scenario {letter}", letter=letter) not in taken]
    letter = free[0] if free else str(found.made)
    title = name[:MOST_NAME].strip() or say("Scenario {letter}", letter=letter)
    draft = Draft(found.made, _free(title, taken), list(edits))
    found.drafts.append(draft)
    found.chosen = draft.number
    found.fault = None
    return draft


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken or free == "base":
        number += 1
        free = f"{name} ({number})"
    return free


def add_edits(state: PlannerState, draft: Draft, edits: Sequence[Edit]) -> bool:
    """Append edits if they suit the cluster after those before them; a fault is kept for the page."""
    state.whatif.fault = None
    try:
        suits(state, [*draft.edits, *edits])
    except PlannerError as error:
        state.whatif.fault = error
        return False
    draft.edits += edits
    return True


def suits(state: PlannerState, edits: Sequence[Edit]) -> None:
    """Apply edits one after the other to the open cluster, nothing is planned.

    Raises
    ------
    InputError
        One names something unknown or contradicts what is there; its number and a remedy are told.
    """
    base = ground(state)
    if base is None:
        return
    situation = Situation(base.given.snapshot, base.given.policy)
    for number, edit in enumerate(edits, 1):
        try:
            situation = edit.apply(situation)
        except EditError as error:
            raise edit_fault("scenario", number, edit.kind, error) from error


def move_edit(draft: Draft, place: int, step: int) -> None:
    """Let an edit change places with its neighbour."""
    other = place + step
    if 0 <= other < len(draft.edits):
        draft.edits[place], draft.edits[other] = draft.edits[other], draft.edits[place]


def remove_edit(draft: Draft, place: int) -> None:
    """Take an edit out."""
    del draft.edits[place]


def remove_draft(state: PlannerState, number: int) -> None:
    """Take a scenario away; another one is shown."""
    found = state.whatif
    found.drafts = [one for one in found.drafts if one.number != number]
    found.chosen = found.drafts[-1].number if found.drafts else 0


def copy_draft(state: PlannerState, say: Words, draft: Draft) -> None:
    """Add the same scenario once more."""
    new_draft(state, say, draft.edits, say("{name}, copy", name=draft.name))


def load_scenario(state: PlannerState, say: Words, name: str, data: bytes) -> bool:
    """Add the scenario of a file; a fault is kept for the page."""
    try:
        scenario = scenario_of(name, data)
        suits(state, scenario.edits)
    except PlannerError as error:
        state.whatif.fault = error
        return False
    draft = new_draft(state, say, scenario.edits, scenario.name)
    draft.description = scenario.description
    return True


def scenario_of(name: str, data: bytes) -> Scenario:
    """A scenario file that a browser sent.

    Raises
    ------
    InputError
        Too large, no text, no YAML, or faulty edits.
    """
    file = name.replace("\\", "/").rpartition("/")[2] or "scenario"
    if len(data) > MOST_FILE_BYTES:
        raise _fault(file, "is larger than 1 MiB, which no list of edits is")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fault(file, "is not UTF-8 text") from error
    stem = file.rsplit(".", 1)[0].removesuffix(".scenario")
    found = parse_scenario(load_yaml(text, file, changes=True), source=file, name=stem)
    if len(found.edits) > MOST_EDITS:
        raise _fault(file, f"holds more than {MOST_EDITS:,} edits; use gangplan whatif for it")
    return found


def _fault(file: str, what: str) -> InputError:
    finding = Finding("scenario_unreadable", "error", file, what, "give a scenario file (YAML)")
    return InputError(f"{file}: {what}", (finding,))
