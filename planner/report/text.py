"""Text as people read it: numbers with units, and foreign text made harmless."""

from __future__ import annotations

import re
from datetime import datetime

DASH = "-"
_KIBI = 1024
_HOUR_S = 3600
HUGE = 1.0
"""Gap above which a percentage tells less than the amount that is open: less than half is proved."""
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def clean(text: object, *, keep_newlines: bool = False) -> str:
    r"""Foreign text with every control, bidirectional and invisible character made visible (``\x1b``).

    Names and messages come from an export that anyone may have written; unchanged they could drive a terminal,
    reorder a line or end a row. ``keep_newlines`` is for cells that we broke into lines ourselves.
    """

    def visible(match: re.Match[str]) -> str:
        character = match.group()
        if keep_newlines and character == "\n":
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _UNSAFE.sub(visible, str(text))


def number(value: int | None) -> str:
    """A whole number with thousands separators; a dash where there is none."""
    return DASH if value is None else f"{value:,}"


def counted(value: int, noun: str, plural: str = "") -> str:
    """``1 gang``, ``2 gangs``."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def gpus_text(milli: int) -> str:
    """GPUs of thousandths: ``1,250``, and two decimals where they are no whole number (``1.50``, ``<0.01``)."""
    if milli % 1000 == 0:
        return f"{milli // 1000:,}"
    return "<0.01" if 0 < milli < 5 else f"{milli / 1000:,.2f}"


def counted_gpus(milli: int) -> str:
    """``1 GPU``, ``1.50 GPUs``."""
    return f"{gpus_text(milli)} GPU{'' if milli == 1000 else 's'}"


def percent(part: int, whole: int) -> str:
    """Share with one decimal and its unit; a dash where the whole is 0."""
    return f"{100 * part / whole:.1f} %" if whole else DASH


def ratio_percent(ratio: float | None) -> str:
    """A ratio (gap) in percent; a nonzero gap never reads as 0."""
    if ratio is None:
        return "not proved"
    if ratio == 0:
        return "0 %"
    shown = 100 * ratio
    return "<0.01 %" if shown < 0.01 else f"{shown:.2f} %"


def gap_words(gap: float | None, value: int, bound: int | None, unit: str) -> str:
    """A tier's gap in percent; where that would be large, what is open in the tier's unit: ``8 GPUs``.

    A late rank that starts one GPU where at most nine may be had has a gap of 800 % and 8 GPUs open.
    """
    if gap is None or bound is None or gap <= HUGE:
        return ratio_percent(gap)
    return f"{abs(bound - value):,} {unit}".rstrip()


def duration(seconds: float) -> str:
    """``0.42 s`` (``0 s`` for whole seconds), ``90 s``, ``2 h 30 min``, ``3 d 4 h``."""
    if seconds < 10:
        return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    whole = int(seconds)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, left = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (left, "s")]
    first = next(index for index, (amount, _) in enumerate(parts) if amount)
    return " ".join(f"{amount} {unit}" for amount, unit in parts[first : first + 2] if amount)


def gpu_hours(gpu_seconds: int) -> str:
    """GPU-seconds as GPU-hours with one decimal; whole GPU-minutes below six minutes."""
    if 0 < gpu_seconds < _HOUR_S // 10:
        return f"{-(-gpu_seconds // 60)} GPU-min"
    return f"{gpu_seconds / _HOUR_S:,.1f} GPU-h"


def cpu_text(milli: int) -> str:
    """Milli-CPU as CPUs, exactly: ``1500`` is ``1.5``."""
    sign, (whole, rest) = "-" if milli < 0 else "", divmod(abs(milli), 1000)
    return f"{sign}{whole:,}" + (f".{rest:03d}".rstrip("0") if rest else "")


def gibibytes_text(size: int) -> str:
    """Bytes as GiB with one decimal."""
    return f"{size / _KIBI**3:,.1f}"


def resource_text(name: str, amount: int) -> str:
    """One amount with its unit: ``48 CPUs``, ``512.0 GiB memory``, ``8 nvidia.com/gpu``."""
    if name == "cpu":
        return f"{cpu_text(amount)} CPUs"
    if name in ("memory", "ephemeral-storage"):
        return f"{gibibytes_text(amount)} GiB {name}"
    return f"{amount:,} {name}"


def seconds_between(earlier: str, later: str) -> int | None:
    """Seconds from one RFC 3339 time to another; None where one is missing or cannot be read."""
    try:
        start, end = (datetime.fromisoformat(text) for text in (earlier, later))
        return int((end - start).total_seconds())
    except (ValueError, TypeError):
        return None
