"""Changes that may start a waiting gang: confirmed by planning in the background, or taken to What-if."""

from __future__ import annotations

from collections.abc import Sequence

from models.edits.edit import Edit
from models.explanation import ConfirmedFix, ExplainedGang
from planner.usecases.explain.fix_candidates import PlannedChange, changes_of
from planner.usecases.jobs.confirm_fixes import ConfirmingJob
from ui.messages import Words
from ui.session import cached, shown_plan
from ui.state import Finished, PlannerState
from ui.whatif.asking import ask
from ui.whatif.drafts import add_edits, new_draft
from ui.whatif.state import Confirmation, Draft


def changes_for(state: PlannerState, plan: Finished, gang: str) -> tuple[PlannedChange, ...]:
    """Everything that may start the gang, cheap kinds first."""
    asked, result = plan.request, plan.result
    entry = next((one for one in result.gangs if one.full_name == gang), None)
    if entry is None:
        return ()
    return cached(
        state,
        "changes",
        (id(plan), gang),
        lambda: changes_of(asked.snapshot, asked.policy, result, entry),
    )


def confirm(state: PlannerState, gang: str) -> None:
    """Begin to plan every change for the gang."""
    plan = shown_plan(state)
    if plan is None or state.whatif.confirm_job is not None:
        return
    state.whatif.confirm_job = ConfirmingJob(plan.request, plan.result, gang).start()


def take_over_confirmation(state: PlannerState) -> None:
    """Attend the running confirmation; once it has ended keep what it found."""
    found = state.whatif
    job = found.confirm_job
    if job is None:
        return
    job.attend()
    view = job.view()
    if view.going_on:
        return
    found.confirm_job = None
    found.confirmed[job.gang] = Confirmation(job.gang, job.request.key, view.result, view.error)


def confirmation(state: PlannerState, plan: Finished, gang: str) -> Confirmation | None:
    """What the confirmation for this gang under this plan found."""
    found = state.whatif.confirmed.get(gang)
    return found if found is not None and found.plan == plan.request.key else None


def explained_gang(found: Confirmation | None) -> ExplainedGang | None:
    """The gang's entry, None where there is none (yet)."""
    if found is None or found.explained is None:
        return None
    return found.explained.gangs[0]


def fix_of(change: PlannedChange, found: ExplainedGang | None) -> ConfirmedFix | None:
    """The confirmation of this change; of new nodes another number may have been found to do."""
    for fix in found.fixes if found is not None else ():
        if fix.kind == change.kind and (
            fix.text == change.text or (change.nodes is not None and len(fix.edits) == 1)
        ):
            return fix
    return None


def apply_as_scenario(
    state: PlannerState, say: Words, name: str, edits: Sequence[Edit], goal: str = ""
) -> None:
    """A new scenario of these edits, compared at once."""
    draft = new_draft(state, say, (), name)
    draft.goal = goal
    _compare(state, draft, edits)


def pin_as_scenario(state: PlannerState, say: Words, edits: Sequence[Edit]) -> None:
    """Add edits of placements to the scenario that holds them, and compare it at once."""
    name = say("Placements")
    found = next((one for one in state.whatif.drafts if one.name == name), None)
    draft = found or new_draft(state, say, (), name)
    state.whatif.chosen = draft.number
    _compare(state, draft, edits)


def _compare(state: PlannerState, draft: Draft, edits: Sequence[Edit]) -> None:
    state.whatif.shown = "scenarios"
    if add_edits(state, draft, edits):
        ask(state, "scenarios")
