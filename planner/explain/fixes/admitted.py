"""Changes that would let a PodGroup through the scheduler's admission (I9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

from models.checks.wording import amount_text, names_text
from models.edits.edit import Edit
from models.edits.gangs import RemoveGangs
from models.edits.policy_edit import SetPolicy
from models.edits.quantities import quantity_text
from models.edits.queues import SetQueue
from models.plan import PlanResult, Reason
from models.snapshot import Snapshot
from planner.explain.fixes.candidate import Candidate

HUNDREDTHS = 100
"""The factor is raised in steps of one over this."""


def admitting(
    snapshot: Snapshot, result: PlanResult, reasons: Sequence[Reason]
) -> Iterator[Candidate]:
    """End gangs that hold admission and do not run, or raise every limit that refuses; a plan has to confirm them."""
    refusals = [one for one in reasons if one.code == "admission_gate" and "limit" in one.data]
    if not refusals:
        return
    idle = {one.full_name for one in result.gangs if one.decision == "wait"}
    stuck = sorted({str(name) for one in refusals for name in one.data["holders"]} & idle)
    for name in stuck:
        yield _ending((name,))
    if len(stuck) > 1:
        yield _ending(tuple(stuck))
    steps = [*_factor(snapshot, refusals), *_limits(snapshot, refusals)]
    raised: Candidate | None = None
    for step in steps:
        raised = step.with_step(raised)
    if raised is not None:
        yield raised


def _ending(names: tuple[str, ...]) -> Candidate:
    text = f"delete {names_text(names)}, which holds admission and does not run"
    if len(names) > 1:
        text = f"delete {names_text(names)}, which hold admission and do not run"
    return Candidate(
        "free_admission",
        text,
        lambda gang: tuple(RemoveGangs(gangs=name) for name in names),
        len(names),
        names,
    )


def _factor(snapshot: Snapshot, refusals: Sequence[Reason]) -> Iterator[Candidate]:
    """The least factor, in hundredths, with which overcommit lets the gang in."""
    needed = Fraction(0)
    for one in refusals:
        total = snapshot.total.amount(str(one.data["resource"]))
        if one.data["limit"] == "overcommit" and total:
            needed = max(needed, Fraction(_asked(one), total))
        elif one.data["limit"] == "overcommit":
            return  # no node has it, whatever the factor
    if needed:
        factor = ceil(needed * HUNDREDTHS) / HUNDREDTHS
        edit: Edit = SetPolicy(keys={"overcommit_factor": factor})
        text = f"raise overcommit-factor of the scheduler's plugin overcommit to {factor:g}"
        yield Candidate("raise_overcommit", text, lambda gang: (edit,), int(factor * HUNDREDTHS))


def _limits(snapshot: Snapshot, refusals: Sequence[Reason]) -> Iterator[Candidate]:
    """Each queue's capability as high as the gang needs."""
    wanted: dict[str, dict[str, int]] = {}
    for one in refusals:
        queue = str(one.data["limit"])
        if queue in snapshot.queue_by_name and queue != "overcommit":
            name = str(one.data["resource"])
            wanted.setdefault(queue, {})[name] = max(
                wanted.get(queue, {}).get(name, 0), _asked(one)
            )
    for queue, amounts in wanted.items():
        told = ", ".join(amount_text(name, amount) for name, amount in amounts.items())
        edit = SetQueue(
            queue=queue,
            capability={name: quantity_text(name, amount) for name, amount in amounts.items()},
        )
        yield Candidate(
            "raise_capability",
            f"raise the capability of queue {queue} to {told}",
            lambda gang, edit=edit: (edit,),  # type: ignore[misc]
            objects=(queue,),
        )


def _asked(one: Reason) -> int:
    """What the limit would have to be."""
    data = one.data
    return int(data["used"]) + int(data["inqueue"]) + int(data["starting"]) + int(data["asked"])
