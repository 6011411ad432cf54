"""The result of ``gangplan verify`` for every output format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import clean
from planner.usecases.verification import VerificationResult

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("rule", "object", "message")


def verification_report(result: VerificationResult) -> Report:
    """The report on the independent check of a plan."""
    rows = [(one.rule, one.object, one.message) for one in result.violations]
    table = Table(
        "Violations",
        (Column("RULE"), Column("OBJECT"), Column("VIOLATION", grows=True)),
        tuple(tuple(clean(cell) for cell in row) for row in rows),
        empty="Every rule holds.",
    )
    claims = Table(
        "Not re-proved",
        (Column("CLAIM", grows=True),),
        tuple((clean(one),) for one in result.not_proved),
        empty="Nothing is left open.",
    )

    def sections(place: Place, limit: int) -> Sequence[Section]:
        found = [Section(anchor="violations", title="Violations", tables=(table,))]
        if result.not_proved:
            found.append(Section(anchor="open", title="Not re-proved", tables=(claims,)))
        return tuple(found)

    def frames() -> Mapping[str, pd.DataFrame]:
        import pandas as pd

        return {"violations": pd.DataFrame(rows, columns=list(COLUMNS))}

    return Report(
        name="verification",
        title="Verification",
        sentence=result.sentence,
        document=result,
        sections=sections,
        frames=frames,
        footer=(
            f"Snapshot {result.snapshot_digest or 'without digest'}",
            f"Policy from: {result.policy_from}",
        ),
        warnings=result.warnings,
    )
