"""Versions that a plan depends on."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("gangplan", "ortools", "highspy", "pulp", "pydantic", "numpy")


@cache
def versions() -> dict[str, str]:
    """Package name to installed version, with Python's; packages that are absent are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
