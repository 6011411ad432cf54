"""A second opinion is worth something only while it shares no code with the first."""

from __future__ import annotations

import ast
from pathlib import Path

import planner.testing.oracle as oracle

FILES = sorted(Path(str(oracle.__file__)).parent.glob("*.py"))


def test_the_oracle_imports_models_and_itself_only() -> None:
    assert len(FILES) > 5
    for file in FILES:
        for found in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(found, ast.ImportFrom):
                name = found.module or ""
                own = name.startswith(("models.", "planner.testing.oracle."))
                assert own or name.split(".")[0] not in ("models", "planner"), (file.name, name)
                assert name != "models.readiness", file.name
            elif isinstance(found, ast.Import):
                assert all(one.name in ("itertools", "re", "re2") for one in found.names), file.name
