"""GPUs that are allocated but idle, where monitoring was asked."""

from __future__ import annotations

from collections.abc import Iterator

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted
from models.use import idle_gangs, measured_use


def allocated_idle(subject: Subject) -> Iterator[Hit]:
    """A gang holds GPUs of which none has worked for ``use.idle_after``."""
    policy = subject.policy.policy
    below = policy.use.idle_below
    for one in idle_gangs(measured_use(subject.snapshot, policy)).values():
        hours, minutes = divmod((one.idle_s or 0) // 60, 60)
        yield Hit(
            f"gang/{one.gang}",
            f"gang {one.gang} of queue {one.queue} holds {counted(one.gpus, 'GPU')} that have not worked for "
            f"{hours} h {minutes:02d} min (measured; use below {below} %)",
            amount=one.gpus,
        )


CHECKS = (
    Check(
        "allocated_idle",
        "warning",
        "All GPUs that a gang holds have been idle for `use.idle_after` (measured, not allocated).",
        "ask its owner whether it may end; or let harm: [idle, …] in the policy prefer it as a victim",
        noun="gangs",
        phrase="hold {total} GPUs that do not work (measured)",
        see_all="the section Allocated but idle",
        find=allocated_idle,
    ),
)
