"""What this machine gives to a run: usable cores and memory, container limits included."""

from __future__ import annotations

import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Cores that this process may use: affinity and the container's CPU quota (rounded up) both count."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows know no affinity
        cores = os.cpu_count() or 1
    quota = cpu_quota()
    return max(1, min(cores, math.ceil(quota)) if quota is not None else cores)


def cpu_quota(root: Path = _CGROUP) -> float | None:
    """CPU quota of the container in cores (cgroup v2, then v1); None where there is none."""
    fields = _read(root / "cpu.max").split()
    if len(fields) == 2 and fields[0].isdigit() and int(fields[1]) > 0:
        return int(fields[0]) / int(fields[1])
    quota, period = (
        _read(root / "cpu" / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")
    )
    if quota.isdigit() and period.isdigit() and int(period) > 0:
        return int(quota) / int(period)
    return None


def memory_limit_bytes(root: Path = _CGROUP) -> int | None:
    """Memory that this process may use in bytes: the machine's, or less where container or ``ulimit -v`` say so."""
    limits = [
        int(text)
        for text in (
            _read(root / "memory.max").strip(),
            _read(root / "memory" / "memory.limit_in_bytes").strip(),
        )
        if text.isdigit()
    ]
    others = (physical_memory_bytes(), address_space_bytes())
    return min([*limits, *(one for one in others if one)], default=None)


def address_space_bytes() -> int | None:
    """What ``ulimit -v`` leaves this process in bytes; None without such a limit."""
    try:
        import resource
    except ImportError:  # Windows knows no such limits
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def physical_memory_bytes() -> int | None:
    """Memory of the machine in bytes; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
