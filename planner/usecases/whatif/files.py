"""Scenario and sweep files, and what a run leaves behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from models.edits.edit import Edit, EditError
from models.edits.scenario import Scenario, parse_scenario
from models.edits.short import short_edits
from models.edits.sweep import Sweep, parse_sweep
from models.findings import Finding, InputError, UsageError
from models.writers.snapshot_json import snapshot_to_json
from planner.report.atomic import atomic_text
from planner.usecases.inputs.policies import load_yaml
from planner.usecases.whatif.base import Planned


def read_scenario(path: Path) -> Scenario:
    """A scenario file (YAML or JSON); its name is the file's where it has none.

    Raises
    ------
    InputError
        Not readable, or faulty; file, number of the edit and remedy are told.
    """
    return parse_scenario(_read(path), source=str(path), name=path.stem.removesuffix(".scenario"))


def read_sweep(path: Path) -> Sweep:
    """A sweep file (YAML or JSON).

    Raises
    ------
    InputError
        Not readable, or faulty.
    """
    return parse_sweep(_read(path), source=str(path), name=path.stem.removesuffix(".sweep"))


def _read(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, "is not UTF-8 text") from error
    return load_yaml(text, str(path), changes=True)


def _unreadable(path: Path, what: str) -> InputError:
    finding = Finding("scenario_unreadable", "error", str(path), what, "give a YAML file")
    return InputError(f"{path}: {what}", (finding,))


def scenario_of_flags(flags: Sequence[tuple[str, str, str]], *, name: str = "") -> Scenario:
    """A scenario of short forms: (flag as typed, key, value).

    Raises
    ------
    UsageError
        A form that is not known or a value that does not suit, with the flag and a remedy.
    """
    edits: list[Edit] = []
    for flag, key, value in flags:
        try:
            edits += short_edits(key, _value(key, value))
        except EditError as error:
            remedy = f" ({error.remedy})" if error.remedy else ""
            raise UsageError(f"{flag}: {error}{remedy}") from error
    told = "; ".join(edit.text() for edit in edits)
    return Scenario(name or told or "as it is", tuple(edits), source="command line")


def _value(key: str, value: str) -> Any:
    """Policy keys and texts that are YAML for something else than a number are read as such."""
    plain = not key.startswith("policy.") and value.casefold() not in ("true", "false", "null")
    return value if plain else load_yaml(value, key)


def write_scenario(scenario: Scenario, path: Path) -> None:
    """Save a scenario as YAML.

    Raises
    ------
    UsageError
        The place cannot be written.
    """
    with atomic_text(path) as stream:
        yaml.safe_dump(scenario.document(), stream, sort_keys=False, allow_unicode=True)


def keep_files(planned: Sequence[Planned], folder: Path) -> tuple[Path, ...]:
    """Per scenario its edits, the edited snapshot and the plan, to be replayed or verified; returns the files."""
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for one in planned:
        stem = folder / (
            re.sub(r"[^A-Za-z0-9._-]+", "-", one.scenario.name).strip("-.")[:80] or "s"
        )
        parts = {"scenario.yaml": "", "snapshot.json": "", "plan.json": ""}
        names = {part: stem.with_name(f"{stem.name}.{part}") for part in parts}
        write_scenario(one.scenario, names["scenario.yaml"])
        with atomic_text(names["snapshot.json"]) as stream:
            stream.write(snapshot_to_json(one.situation.snapshot).decode())
        written += [names["scenario.yaml"], names["snapshot.json"]]
        if one.plan is not None:
            with atomic_text(names["plan.json"]) as stream:
                stream.write(one.plan.model_dump_json(by_alias=True, indent=2) + "\n")
            written.append(names["plan.json"])
    return tuple(written)
