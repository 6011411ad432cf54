"""The scenario document: a name and a list of edits that a person can read aloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.edits.apply import apply_edits, edit_fault
from models.edits.catalogue import edit_from
from models.edits.edit import Edit, EditError, Situation
from models.edits.suggest import unknown
from models.effective import EffectivePolicy
from models.findings import Finding, InputError
from models.snapshot import Snapshot

KEYS = ("name", "description", "edits")


@dataclass(frozen=True)
class Scenario:
    """A named list of edits.

    Attributes
    ----------
    source
        File that it was read from, for messages.
    """

    name: str
    edits: tuple[Edit, ...] = ()
    description: str = ""
    source: str = ""

    def applied(self, snapshot: Snapshot, policy: EffectivePolicy) -> Situation:
        """The base after the edits; see :func:`models.edits.apply.apply_edits` for errors."""
        source = self.source or f"scenario {self.name!r}"
        return apply_edits(snapshot, policy, self.edits, source=source)

    def followed_by(self, other: Scenario) -> Scenario:
        """Both lists one after the other."""
        name = f"{self.name} + {other.name}"
        return Scenario(name, (*self.edits, *other.edits), source=self.source or other.source)

    def document(self) -> dict[str, Any]:
        """What a scenario file holds; :func:`parse_scenario` reads it back."""
        found: dict[str, Any] = {"name": self.name}
        if self.description:
            found["description"] = self.description
        return {**found, "edits": [edit.document() for edit in self.edits]}

    def text(self) -> str:
        """The edits as one sentence part."""
        return "; ".join(edit.text() for edit in self.edits) or "no edit"


def parse_scenario(raw: Any, *, source: str, name: str = "") -> Scenario:
    """A scenario from the content of its file; ``name`` stands in where the file has none.

    Raises
    ------
    InputError
        No mapping, an unknown key, or faulty edits; one finding per fault, with the number of the edit.
    """
    if not isinstance(raw, Mapping):
        raise _document_fault(
            source, "holds no mapping with 'edits'", "write name: …, edits: [ … ]"
        )
    for key in raw:
        if key not in KEYS:
            error = unknown("scenario key", str(key), KEYS)
            raise _document_fault(source, str(error), error.remedy)
    listed = raw.get("edits")
    listed = [] if listed is None else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise _document_fault(source, "'edits' is not a list", "write one edit per list entry")
    edits: list[Edit] = []
    faults: list[InputError] = []
    for number, entry in enumerate(listed, 1):
        try:
            edits.append(edit_from(entry))
        except EditError as error:
            kind = next(iter(entry), "") if isinstance(entry, Mapping) and len(entry) == 1 else ""
            faults.append(edit_fault(source, number, str(kind), error))
    if faults:
        findings = [one for fault in faults for one in fault.findings]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise InputError(f"{faults[0]}{more}", findings)
    title = _title(raw.get("name"), source) or name or "scenario"
    return Scenario(title, tuple(edits), str(raw.get("description") or ""), source)


def _title(given: Any, source: str) -> str:
    if isinstance(given, Mapping) or (isinstance(given, Sequence) and not isinstance(given, str)):
        raise _document_fault(source, "'name' is no text", "write name: TEXT")
    return "" if given is None else str(given)


def _document_fault(source: str, what: str, remedy: str) -> InputError:
    finding = Finding("scenario_invalid", "error", source, what, remedy)
    return InputError(f"{source}: {what}", (finding,))


@dataclass(frozen=True)
class ScenarioDifference:
    """Edits that only one of two scenarios holds, in its order."""

    only_first: tuple[Edit, ...]
    only_second: tuple[Edit, ...]
    shared: tuple[Edit, ...]
    same_order: bool


def compare_scenarios(first: Scenario, second: Scenario) -> ScenarioDifference:
    """What two lists of edits share and where they differ; equal edits count as often as they occur."""
    keys = [_key(edit) for edit in first.edits], [_key(edit) for edit in second.edits]
    common = Counter(keys[0]) & Counter(keys[1])
    shared, only_first = _parted(first.edits, Counter(common))
    again, only_second = _parted(second.edits, Counter(common))
    return ScenarioDifference(only_first, only_second, shared, shared == again)


def _key(edit: Edit) -> str:
    return repr(edit.document())


def _parted(
    edits: Sequence[Edit], common: Counter[str]
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    shared, own = [], []
    for edit in edits:
        key = _key(edit)
        if common[key] > 0:
            common[key] -= 1
            shared.append(edit)
        else:
            own.append(edit)
    return tuple(shared), tuple(own)
