"""A change that may start a gang, and what was tried with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from models.edits.edit import Edit
from models.plan import Fix

BESIDE = "beside this plan"
PLANNED = "planned in full"
ORDER = (
    "open_queue",
    "ungate",
    "free_admission",
    "raise_overcommit",
    "raise_capability",
    "lower_guarantee",
    "raise_weight",
    "other_queue",
    "uncordon_nodes",
    "repair_nodes",
    "tolerate_taint",
    "drop_selector",
    "drop_affinity",
    "open_node_group",
    "raise_domain_resource",
    "relax_topology",
    "raise_priority",
    "wait_for_window",
    "allow_evictions",
    "raise_deserved",
    "raise_budget",
    "make_preemptable",
    "make_reclaimable",
    "wait_for_gangs",
    "end_pods",
    "add_nodes",
    "lower_min_member",
)
"""Kinds of fixes, the cheap ones first: settings, then waiting, then losing work, then buying, then asking for less."""

STEP = ", and "
"""Between the words of two steps of a change."""
EditsFor = Callable[[str], tuple[Edit, ...]]
"""The edits for one gang of a group, by its full name."""


@dataclass(frozen=True)
class Candidate:
    """One change.

    Attributes
    ----------
    text
        A phrase that starts with a verb.
    size
        How much it changes (nodes, pods, gangs, amount); the smaller of two of a kind is shown.
    objects
        Names of the queues, nodes, gangs or pods that it concerns.
    """

    kind: str
    text: str
    edits_for: EditsFor
    size: int = 1
    objects: tuple[str, ...] = ()
    data: dict[str, int] = field(default_factory=dict)

    def with_step(self, first: Candidate | None) -> Candidate:
        """Both changes together, the other one first."""
        if first is None:
            return self
        return Candidate(
            self.kind,
            f"{first.text}{STEP}{self.text}",
            lambda gang: (*first.edits_for(gang), *self.edits_for(gang)),
            self.size,
            (*first.objects, *self.objects),
            {**first.data, **self.data},
        )

    def fix(self, gang: str, basis: str) -> Fix:
        """As the documents hold it, with the edits for one gang."""
        return Fix(
            kind=self.kind,
            text=self.text,
            basis=basis,
            edits=tuple(edit.document() for edit in self.edits_for(gang)),
            objects=self.objects,
            data=self.data,
        )


def by_cost(found: list[Candidate]) -> tuple[Candidate, ...]:
    """Cheap kinds first, one of each kind and text."""
    ordered = sorted(found, key=lambda one: (ORDER.index(one.kind), one.size, one.text))
    kept: dict[tuple[str, str], Candidate] = {}
    for one in ordered:
        kept.setdefault((one.kind, one.text), one)
    return tuple(kept.values())
