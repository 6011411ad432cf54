"""What-if edits of PodDisruptionBudgets."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from models.edits.edit import Edit, EditError, Situation
from models.edits.quantities import Number, changed_number
from models.edits.suggest import unknown
from models.spoken import Say, english


class SetBudget(Edit):
    """A PodDisruptionBudget (``NAMESPACE/NAME``) that allows so many disruptions now; ``+2`` adds to them."""

    kind: ClassVar[str] = "set_budget"
    budget: str
    allowed: Number

    def apply(self, situation: Situation) -> Situation:
        """Change the budget."""
        budgets = situation.snapshot.disruption_budgets
        names = [f"{one.namespace}/{one.name}" for one in budgets]
        if self.budget not in names:
            raise unknown("PodDisruptionBudget", self.budget, names)
        now = budgets[names.index(self.budget)].disruptions_allowed
        allowed = changed_number(now, self.allowed)
        if allowed < 0:
            raise EditError(
                f"{self.budget} would allow {allowed} disruptions", f"it allows {now} now"
            )
        changed = tuple(
            replace(one, disruptions_allowed=allowed) if name == self.budget else one
            for name, one in zip(names, budgets, strict=True)
        )
        return replace(situation, snapshot=replace(situation.snapshot, disruption_budgets=changed))

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Allow as many as before."""
        now = next(
            one.disruptions_allowed
            for one in before.snapshot.disruption_budgets
            if f"{one.namespace}/{one.name}" == self.budget
        )
        return (SetBudget(budget=self.budget, allowed=now),)

    def text(self, say: Say = english) -> str:
        """``PodDisruptionBudget team/web: 3 disruptions allowed``."""
        return say(
            "PodDisruptionBudget {budget}: {allowed} disruptions allowed",
            budget=self.budget,
            allowed=str(self.allowed),
        )


EDITS: tuple[type[Edit], ...] = (SetBudget,)
