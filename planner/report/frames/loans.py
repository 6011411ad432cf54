"""One row per loan: who borrows how much of which resource from whom."""

from __future__ import annotations

import pandas as pd

from models.plan import PlanResult
from planner.report.frames.build import frame_of

COLUMNS = {"borrower": "object", "resource": "object", "lender": "object"}


def loans_frame(result: PlanResult) -> pd.DataFrame:
    """Loans in the order of the document; ``amount`` in base units, ``lender`` empty for what nobody deserves."""
    rows = [
        {
            "borrower": queue.name,
            "resource": loan.resource,
            "lender": loan.lender,
            "amount": loan.amount,
        }
        for queue in result.queues
        for loan in queue.loans
    ]
    return frame_of(rows, COLUMNS, ("amount",))
