"""Refusals of scenario and sweep files."""

from __future__ import annotations

from models.checks.check import Check

SCENARIO_REFUSALS = (
    Check(
        "scenario_unreadable",
        "error",
        "A scenario or sweep file cannot be read.",
        "give a YAML file that exists and may be read",
    ),
    Check(
        "scenario_invalid",
        "error",
        "A scenario file has an unknown key or a value of the wrong kind.",
        "correct what the message names",
    ),
    Check(
        "scenario_edit",
        "error",
        "An edit of a scenario names something that the snapshot does not hold, or cannot be done.",
        "correct the edit that the message names",
    ),
    Check(
        "sweep_invalid",
        "error",
        "A sweep file has an unknown key or a value of the wrong kind.",
        "correct what the message names",
    ),
    Check(
        "sweep_journal",
        "error",
        "The journal of a sweep is damaged or belongs to another one.",
        "name another file, or remove it to begin again",
    ),
)
"""These end a run with exit code 3."""
