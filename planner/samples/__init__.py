"""Clusters that ship with the product, for ``gangplan demo`` and the pages."""

from __future__ import annotations

from pathlib import Path

from models.findings import UsageError

DEFAULT_SAMPLE = "demo"
_TITLES = {
    "demo": "Ten nodes shared by a pretraining team, an offline evaluation team and online inference",
    "evening": "Seven in the evening: batch work waits for 48 inference GPUs that are idle at night",
    "night": "Three at night: online inference has lent most of its 48 GPUs to batch work and wants some back",
}


def sample_names() -> tuple[str, ...]:
    """Names of all samples, sorted."""
    return tuple(sorted(_TITLES))


def sample_title(name: str) -> str:
    """One line about a sample; raises :class:`UsageError` where there is none of this name."""
    _check(name)
    return _TITLES[name]


def sample_path(name: str) -> Path:
    """The sample's file; raises :class:`UsageError` where there is none of this name."""
    _check(name)
    return Path(__file__).resolve().parent / f"{name}.yaml"


def sample_policy(name: str) -> Path | None:
    """The policy that belongs to a sample, None where it needs none."""
    found = sample_path(name).with_suffix(".policy.yaml")
    return found if found.is_file() else None


def sample_demand(name: str) -> Path | None:
    """The demand of online services that belongs to a sample, None where it has none."""
    found = sample_path(name).with_name(f"{name}-demand.csv")
    return found if found.is_file() else None


def named_sample(text: str) -> str:
    """The sample that ``sample:NAME`` means, "" where the text means something else or a file has this name."""
    prefix, colon, name = text.partition(":")
    return name if prefix == "sample" and colon and not Path(text).exists() else ""


def _check(name: str) -> None:
    if name not in _TITLES:
        raise UsageError(f"no sample {name!r}; there is: {', '.join(sample_names())}")
