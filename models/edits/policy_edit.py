"""The edit of policy keys."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field, RootModel

from models.edits.edit import Edit, EditError, Situation
from models.effective import with_keys
from models.findings import InputError
from models.spoken import Say, english


class SetPolicy(Edit):
    """Other values of policy keys, in the words of the policy file."""

    kind: ClassVar[str] = "set_policy"
    keys: dict[str, Any] = Field(min_length=1)

    def apply(self, situation: Situation) -> Situation:
        """Set the keys."""
        try:
            policy = with_keys(situation.policy, self.keys)
        except InputError as error:
            first = error.findings[0]
            raise EditError(first.message, first.remedy) from None
        return replace(situation, policy=policy)

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Set the old values again; the report still says that a scenario set them."""
        old = before.policy.policy.model_dump(mode="json", by_alias=True)
        new = self.apply(before).policy.policy.model_dump(mode="json", by_alias=True)
        changed = {key: value for key, value in old.items() if new[key] != value}
        return (SetPolicy(keys=changed),) if changed else ()

    def text(self, say: Say = english) -> str:
        """``policy evict = ["preempt"]``."""
        told = (
            say(
                "policy {key} = {value}",
                key=key,
                value=value if isinstance(value, str) else json.dumps(value),
            )
            for key, value in self.keys.items()
        )
        return ", ".join(told)

    def document(self) -> dict[str, Any]:
        """``set_policy: {evict: [preempt]}``: the keys stand right below."""
        return {self.kind: _Plain(self.keys).model_dump(mode="json")}


class _Plain(RootModel[dict[str, Any]]):
    """Values as JSON."""


EDITS: tuple[type[Edit], ...] = (SetPolicy,)
