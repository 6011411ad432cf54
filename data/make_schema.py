"""Write the JSON Schemas of the documents that gangplan gives out: ``python data/make_schema.py [--check]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from models.drill import DrillResult
from models.explanation import Explanations
from models.history.difference import NightDifference
from models.history.documents import GangHistory, NightDetails, PastNights
from models.nightly.run import NightRun
from models.plan import PlanResult
from planner.report.compare_document import PlanDifference
from planner.report.inspect_document import InspectResult
from planner.report.whatif.document import WhatIf
from planner.report.whatif.sweep_document import SweepResult

FOLDER = Path(__file__).resolve().parent / "schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: Mapping[str, type[BaseModel]] = {
    "plan-result.schema.json": PlanResult,
    "drill-result.schema.json": DrillResult,
    "plan-difference.schema.json": PlanDifference,
    "inspect-result.schema.json": InspectResult,
    "what-if.schema.json": WhatIf,
    "sweep.schema.json": SweepResult,
    "explanations.schema.json": Explanations,
    "past-nights.schema.json": PastNights,
    "night-details.schema.json": NightDetails,
    "night-difference.schema.json": NightDifference,
    "gang-history.schema.json": GangHistory,
    "night-run.schema.json": NightRun,
}


def schema_text(document: type[BaseModel]) -> str:
    """The schema of a document as it is written, keys by alias, as text that ends with a newline."""
    schema: dict[str, Any] = {
        "$schema": DIALECT,
        **document.model_json_schema(by_alias=True, mode="serialization"),
    }
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def stale() -> list[str]:
    """Names of schema files that are missing or differ from the models."""
    return [
        name
        for name, document in DOCUMENTS.items()
        if not (FOLDER / name).is_file()
        or (FOLDER / name).read_text("utf-8") != schema_text(document)
    ]


def main(arguments: list[str]) -> int:
    """Write every schema, or with ``--check`` only compare (exit code 1 if one is stale)."""
    if arguments == ["--check"]:
        for name in stale():
            print(f"{name} is stale: run python data/make_schema.py")
        return 1 if stale() else 0
    FOLDER.mkdir(exist_ok=True)
    for name, document in DOCUMENTS.items():
        (FOLDER / name).write_text(schema_text(document), "utf-8")
        print(f"wrote data/schema/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
