"""Kinds of cards, and what a pod asks of each card that it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Vector = tuple[int, int, int]
"""Amount (milli-GPU or MiB, as the family counts), percent of the cores, shares (pods that may use the card)."""

MILLI: Final = "gpu-milli"
VGPU: Final = "vgpu"
MEMORY_SHARE: Final = "gpu-memory"
MILLI_RESOURCE: Final = "gangplan.io/gpu-milli"
VGPU_NUMBER: Final = "volcano.sh/vgpu-number"
VGPU_MEMORY: Final = "volcano.sh/vgpu-memory"
VGPU_PERCENT: Final = "volcano.sh/vgpu-memory-percentage"
VGPU_CORES: Final = "volcano.sh/vgpu-cores"
SHARE_MEMORY: Final = "volcano.sh/gpu-memory"
SHARE_NUMBER: Final = "volcano.sh/gpu-number"
CARD_RESOURCES: Final = frozenset(
    {
        MILLI_RESOURCE,
        VGPU_NUMBER,
        VGPU_MEMORY,
        VGPU_PERCENT,
        VGPU_CORES,
        SHARE_MEMORY,
        SHARE_NUMBER,
    }
)
"""Requests that are counted card by card; as a sum they bind only on nodes that list them."""
WHOLE_MILLI: Final = 1000
FULL_CORES: Final = 100
NOTHING: Final[Vector] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class CardKind:
    """Cards that are the same: family, what an empty one offers, and for vGPU its model and sharing mode."""

    family: str
    capacity: Vector
    model: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True)
class CardAsk:
    """What a pod asks of each of ``count`` different cards.

    Attributes
    ----------
    amount
        Milli-GPU or MiB per card; with ``percent`` (above 0) that share of the card's own memory instead.
    whole
        The cards must be empty and nobody else may use them.
    mode, models, not_models
        Sharing mode and parts of the model name that the pod asks for or refuses (vGPU).
    """

    family: str
    count: int
    amount: int = 0
    percent: int = 0
    cores: int = 0
    whole: bool = False
    mode: str = ""
    models: tuple[str, ...] = ()
    not_models: tuple[str, ...] = ()

    def on(self, kind: CardKind) -> Vector | None:
        """What the pod takes of one card of a kind; None where it cannot use such a card even if empty."""
        if kind.family != self.family or not self._likes(kind):
            return None
        if self.whole:
            return kind.capacity
        amount = kind.capacity[0] * self.percent // 100 if self.percent else self.amount
        if self.family != VGPU:
            vector: Vector = (amount, 0, 0)
        elif self.cores == FULL_CORES:
            # Volcano gives all cores of a card only if nobody uses it, and then refuses every other pod.
            vector = kind.capacity if amount <= kind.capacity[0] else (amount, FULL_CORES, 1)
        else:
            vector = (amount, self.cores, 1)
        return vector if all(map(int.__le__, vector, kind.capacity)) else None

    @property
    def liking(self) -> str:
        """Words for the cards that it accepts; "" where it accepts all of its family."""
        likes = [f"sharing mode {self.mode}"] if self.mode else []
        if self.models:
            likes.append(f"model {' or '.join(self.models)}")
        elif self.not_models:
            likes.append(f"a model other than {' and '.join(self.not_models)}")
        return " and ".join(likes)

    def _likes(self, kind: CardKind) -> bool:
        model = kind.model.upper()
        if self.mode and self.mode != kind.mode:
            return False
        if self.models:
            return any(part in model for part in self.models)
        return not any(part in model for part in self.not_models)
