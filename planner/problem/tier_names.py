"""What the names of tiers say: class and rank of those that count starts, rank of those that count elastic pods."""

from __future__ import annotations

import re

ALL_COVERED = "covered.shortfall"
"""Objective ``fair``: what queues lack once all covered gangs of every rank are counted."""
_START = re.compile(r"([a-z]+)\.([0-9]+)\.(shortfall|gpus|gangs)")
_ELASTIC = re.compile(r"([a-z]+)\.([0-9]+)\.elastic")


def rank_of_starts(name: str) -> tuple[str, int] | None:
    """Class and rank of a tier that counts starts of one rank; None for others."""
    found = _START.fullmatch(name)
    return None if found is None else (found[1], int(found[2]))


def rank_of_elastic(name: str) -> tuple[str, int] | None:
    """Class and rank of a tier that counts elastic pods of one rank; None for others."""
    found = _ELASTIC.fullmatch(name)
    return None if found is None else (found[1], int(found[2]))


def is_start(name: str) -> bool:
    """Whether a tier tells which gangs start."""
    return name == ALL_COVERED or rank_of_starts(name) is not None


def is_ranked(name: str) -> bool:
    """Whether a tier belongs to a class and rank: starts, or their elastic pods."""
    return is_start(name) or rank_of_elastic(name) is not None
