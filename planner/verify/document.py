"""The document agrees with itself and with the snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.certificate import check_certificate, check_classification
from planner.verify.document_fair_shares import check_fair_shares
from planner.verify.document_gangs import (
    check_decisions,
    check_eviction_reasons,
    check_gang_fields,
    check_gang_list,
    check_unsupported_told,
)
from planner.verify.document_loans import check_loans
from planner.verify.document_sentence import check_closed_queues, check_sentence
from planner.verify.document_shares import check_node_entries, check_queue_entries
from planner.verify.document_summary import check_head, check_snapshot_part, check_summary
from planner.verify.standing import RankedState

PARTS: tuple[Callable[[RankedState], Iterator[RuleViolation]], ...] = (
    check_head,
    check_snapshot_part,
    check_gang_list,
    check_decisions,
    check_eviction_reasons,
    check_unsupported_told,
    check_gang_fields,
    check_classification,
    check_summary,
    check_sentence,
    check_closed_queues,
    check_queue_entries,
    check_loans,
    check_fair_shares,
    check_node_entries,
    check_certificate,
)


def check_document(state: RankedState) -> Iterator[RuleViolation]:
    """Faults found while reading, then every part that the document holds."""
    yield from (one for one in state.reading.faults if one.rule == RuleId.DOCUMENT)
    for part in PARTS:
        yield from part(state)
