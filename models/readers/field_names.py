"""Names of fields in our own JSON."""

from __future__ import annotations


def json_name(name: str) -> str:
    """Camel case of a field name, e.g. ``minMember`` of ``min_member``."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)
