"""Which earlier plan a plan comes from, and what became of its starts."""

from __future__ import annotations

from models.plan import EarlierPlan, PlanResult
from planner.report.text import counted

_SEARCHED = {
    "changes": "what the change left open was put beside them rank by rank, and bounded",
    "everything": "all gangs were searched, beginning with that plan",
    "anew": "nothing of it could be taken over: everything was planned anew",
}


def earlier_words(result: PlanResult) -> tuple[str, ...]:
    """One sentence; nothing where no earlier plan was given."""
    earlier = result.certificate.earlier
    if earlier is None:
        return ()
    digest = earlier.digest.removeprefix("sha256:")[:12]
    began = f"From the plan as of {earlier.as_of or 'an unknown time'} (snapshot {digest})"
    added = f"{counted(earlier.added, 'gang')} more start{'s' if earlier.added == 1 else ''}"
    return (f"{began}: {_became(earlier)}; {added}; {_SEARCHED[earlier.searched]}.",)


def _became(earlier: EarlierPlan) -> str:
    others = (
        (earlier.moved, "starts on other nodes", "start on other nodes"),
        (earlier.waiting, "waits now", "wait now"),
        (earlier.gone, "does not wait here any more", "do not wait here any more"),
    )
    keep = "keeps its nodes" if earlier.kept == 1 else "keep their nodes"
    words = f"{earlier.kept:,} of its {counted(earlier.started, 'start')} {keep}"
    told = (f"{count:,} {one if count == 1 else many}" for count, one, many in others if count)
    return ", ".join((words, *told))
