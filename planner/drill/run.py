"""One drill without its explanation: prepared, built, searched, verified."""

from __future__ import annotations

from models.drill import DrillQuestion, DrillResult
from models.effective import EffectivePolicy
from models.findings import VerificationError
from models.snapshot import Snapshot
from planner.drill.document import drill_document
from planner.drill.model.build import DrillModel, build_drill
from planner.drill.needs import check_kinds, claimants
from planner.drill.prepare import PreparedDrill, drill_policy, prepare_drill
from planner.drill.search import DrillSearch
from planner.problem.limits import Limits
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.verify.drill import verify_drill


class DrillError(VerificationError):
    """The drill failed verification; ``result`` holds the withheld document."""

    def __init__(self, message: str, result: DrillResult) -> None:
        super().__init__(message)
        self.result = result


def built_drill(
    snapshot: Snapshot, policy: EffectivePolicy, question: DrillQuestion
) -> tuple[PreparedDrill, DrillModel]:
    """The drill by index and its model; raises UsageError where a need names nothing of the snapshot."""
    judged = drill_policy(policy)
    check_kinds(question.needs, snapshot, judged)
    wanted = claimants(question.needs, snapshot, judged)
    drill = prepare_drill(snapshot, judged, wanted, question, exact_least)
    return drill, build_drill(drill.problem)


def plain_drill(
    snapshot: Snapshot, policy: EffectivePolicy, question: DrillQuestion, limits: Limits
) -> DrillResult:
    """A verified drill without curve, causes and changes; how proposed changes are confirmed."""
    drill, built = built_drill(snapshot, policy, question)
    outcome = DrillSearch(built, limits).run()
    result = drill_document(drill, built, outcome, limits, findings=(), interrupted=False)
    return verified_drill(snapshot, policy, result)


def verified_drill(snapshot: Snapshot, policy: EffectivePolicy, result: DrillResult) -> DrillResult:
    """The document with its verification; raises DrillError where that found a violation."""
    verification = verify_drill(snapshot, policy, result)
    result = result.model_copy(update={"verification": verification})
    if verification.violations:
        first = verification.violations[0]
        raise DrillError(
            f"the drill failed verification ({len(verification.violations)} violations; first: "
            f"{first.rule} {first.object}: {first.message})",
            result,
        )
    return result
