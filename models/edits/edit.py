"""What an edit is: a frozen value that makes another situation of one, and knows its way back where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from models.spoken import Say, english


@dataclass(frozen=True)
class Situation:
    """What is planned: a snapshot under a policy.

    Attributes
    ----------
    notes
        What edits imply beyond their words.
    online
        Online service to the factor on its demand, as text; only schedules look at demand.
    """

    snapshot: Snapshot
    policy: EffectivePolicy
    notes: tuple[str, ...] = ()
    online: tuple[tuple[str, str], ...] = ()

    def noting(self, *notes: str) -> Situation:
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def holding(self, **parts: Any) -> Situation:
        """The same with other parts of the snapshot; each stays sorted by name, as readers leave it."""
        ordered: dict[str, Any] = {
            key: tuple(sorted(part, key=_NAMES.get(key, _name))) for key, part in parts.items()
        }
        return replace(self, snapshot=replace(self.snapshot, **ordered))


def _name(one: Any) -> str:
    return str(one.name)


def _full_name(one: Any) -> str:
    return str(one.full_name)


_NAMES = {"pods": _full_name, "gangs": _full_name}


class EditError(ValueError):
    """An edit that the situation does not allow; ``remedy`` says what to write instead."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class Words(BaseModel):
    """What an edit is told in: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Edit(Words):
    """Base of all edits; ``kind`` is the key under which a scenario file lists it."""

    kind: ClassVar[str] = ""

    def apply(self, situation: Situation) -> Situation:
        """The situation after the edit.

        Raises
        ------
        EditError
            A name is unknown, or what is asked for contradicts the situation.
        """
        raise EditError(f"{type(self).__name__} does nothing")

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Edits that lead back to the situation before this one; None where no edit does."""
        return None

    def text(self, say: Say = english) -> str:
        """The edit as a phrase that can be read aloud; ``say`` gives the words of another language."""
        return self.kind

    def document(self) -> dict[str, Any]:
        """The edit as a scenario file lists it."""
        content = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {self.kind: content}


Edits = Sequence[Edit]
