"""The catalogue of rules and its page."""

from __future__ import annotations

from pathlib import Path

from models.rules import CATALOGUE, RuleId, rules_page
from models.schedule_rules import ScheduleRule


def test_page_is_generated_from_the_catalogue() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
    assert page.read_text(encoding="utf-8") == rules_page()


def test_page_has_a_row_for_every_rule() -> None:
    rows = [line for line in rules_page().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [
        *(rule.id.value for rule in CATALOGUE),
        *(rule.value for rule in ScheduleRule),
    ]
    assert len(rows) == len(RuleId) + len(ScheduleRule)
