from __future__ import annotations

import ast
import re
from pathlib import Path

from models.checks import REGISTRY
from models.checks.documentation import findings_document
from models.checks.lending import DEMAND_REFUSALS
from models.checks.nights import NIGHTLY_REFUSALS
from models.checks.reading import REFUSALS
from models.checks.scenarios import SCENARIO_REFUSALS

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "findings.md"


def _codes_made():
    """First arguments of every ``Finding(…)`` and ``BadFile(…)`` in the packages, where they are plain texts."""
    for folder in ("models", "planner"):
        for path in (ROOT / folder).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    first = call.args[0] if call.args else None
                    if call.func.id in ("Finding", "BadFile") and isinstance(first, ast.Constant):
                        yield first.value


def test_the_file_is_what_the_registry_says():
    written = DOCUMENT.read_text(encoding="utf-8")
    assert written == findings_document(), (
        "run: python -m models.checks.documentation docs/findings.md"
    )


def test_codes_and_rows_are_one_to_one():
    rows = re.findall(r"^\| `(\w+)` \|", findings_document(), flags=re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == {
        *REGISTRY,
        *(
            refusal.code
            for refusal in (*REFUSALS, *DEMAND_REFUSALS, *SCENARIO_REFUSALS, *NIGHTLY_REFUSALS)
        ),
    }


def test_every_code_that_the_program_can_tell_is_in_the_table():
    known = {
        *REGISTRY,
        *(
            refusal.code
            for refusal in (*REFUSALS, *DEMAND_REFUSALS, *SCENARIO_REFUSALS, *NIGHTLY_REFUSALS)
        ),
    }
    assert set(_codes_made()) <= known
