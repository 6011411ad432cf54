"""Node names in few characters and without loss: ``gpu-[001-004,007]``, the notation of HPC schedulers."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"^(.*?)(\d{1,18})$", re.DOTALL)


def hostlist(names: Iterable[str]) -> str:
    """Names joined by commas, runs of numbers behind one prefix (and of one width) folded into brackets."""
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    for name in sorted(set(names)):
        match = _NUMBERED.match(name)
        if match is None:
            plain.append(name)
        else:
            prefix, digits = match.groups()
            groups.setdefault((prefix, len(digits)), []).append(int(digits))
    folded = [_fold(prefix, width, sorted(found)) for (prefix, width), found in groups.items()]
    return ", ".join(sorted([*plain, *folded]))


def _fold(prefix: str, width: int, numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for value in numbers:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [
        f"{run[0]:0{width}d}" if len(run) == 1 else f"{run[0]:0{width}d}-{run[-1]:0{width}d}"
        for run in runs
    ]
    if len(parts) == 1 and len(runs[0]) == 1:
        return prefix + parts[0]
    return f"{prefix}[{','.join(parts)}]"
