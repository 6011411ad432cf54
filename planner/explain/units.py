"""Amounts of a problem's dimensions in the words of a reason: every number with its unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from models.cards.kinds import (
    MILLI_RESOURCE,
    SHARE_MEMORY,
    SHARE_NUMBER,
    VGPU_CORES,
    VGPU_MEMORY,
    VGPU_NUMBER,
    VGPU_PERCENT,
)
from models.checks.wording import amount_text, is_bytes
from models.resources import CPU, PODS
from planner.problem.rule_names import is_rule, rule_noun, rule_text

_CARD_WORDS = {
    MILLI_RESOURCE: "milli-GPU",
    SHARE_MEMORY: "MiB of GPU memory",
    SHARE_NUMBER: "shared GPUs",
    VGPU_CORES: "% of GPU cores",
    VGPU_MEMORY: "MiB of vGPU memory",
    VGPU_NUMBER: "vGPUs",
    VGPU_PERCENT: "% of GPU memory",
}


class Units:
    """Words for the dimensions of one problem.

    GPUs are called so where one resource name stands for all of them; with several each keeps its name.
    """

    def __init__(self, dimensions: Sequence[str], gpu_names: Sequence[str]) -> None:
        self.dimensions = tuple(dimensions)
        found = [name for name in dimensions if name in gpu_names]
        self._gpu = found[0] if len(found) == 1 else ""
        self._gpus = frozenset(found)

    def noun(self, dimension: int) -> str:
        """``GPUs``, ``CPUs``, ``memory``, ``pod slots``, or the resource's own name."""
        name = self.dimensions[dimension]
        if name == self._gpu:
            return "GPUs"
        if is_rule(name):
            return rule_noun(name)
        return {CPU: "CPUs", PODS: "pod slots", **_CARD_WORDS}.get(name, name)

    def text(self, dimension: int, amount: int) -> str:
        """``8 GPUs``, ``1.5 CPUs``, ``512 GiB memory``, ``3 pod slots``, ``4 rdma/hca``."""
        name = self.dimensions[dimension]
        if is_rule(name):
            return rule_text(name, amount)
        if name in _CARD_WORDS:
            word = _CARD_WORDS[name]
            return f"{amount:,} {word.removesuffix('s') if amount == 1 and word.endswith('GPUs') else word}"
        if name in (self._gpu, CPU, PODS):
            number = amount_text(name, amount).split(" ")[0]
            noun = self.noun(dimension)
            return f"{number} {noun[:-1] if number == '1' else noun}"
        return amount_text(name, amount)

    def texts(self, dimension: int, *amounts: int) -> tuple[str, ...]:
        """Texts of several amounts; exact bytes where rounding would make different amounts look equal."""
        found = tuple(self.text(dimension, amount) for amount in amounts)
        name = self.dimensions[dimension]
        if is_bytes(name) and len(set(found)) < len(set(amounts)):
            return tuple(f"{amount:,} bytes {name}" for amount in amounts)
        return found

    def number(self, dimension: int, text: str) -> str:
        """A text without its noun, for a second number of the same kind: ``4 of 32 GPUs``."""
        name = self.dimensions[dimension]
        if is_bytes(name):
            return text
        return text.partition(" ")[0] if is_rule(name) else text.rpartition(" ")[0]

    def per_pod(self, request: Iterable[int], only: Iterable[int] | None = None) -> str:
        """What one pod asks for: GPUs first, then the rest; ``no resources`` for a pod without requests.

        ``only`` names the dimensions to show.
        """
        amounts = list(request)
        shown = [d for d in (self.ordered() if only is None else only) if amounts[d] > 0]
        return listed([self.text(d, amounts[d]) for d in shown]) or "no resources"

    def ordered(self) -> list[int]:
        """Dimensions without ``pods``, GPUs first."""
        every = range(len(self.dimensions) - 1)
        return sorted(every, key=lambda d: self.dimensions[d] not in self._gpus)

    def first(self, dimensions: Iterable[int]) -> list[int]:
        """The same dimensions, GPUs first and ``pods`` last."""
        order = {d: place for place, d in enumerate((*self.ordered(), len(self.dimensions) - 1))}
        return sorted(dimensions, key=lambda d: order[d])


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
