"""What Volcano's node plugins are told to weigh: by the scheduler ConfigMap, or as the chart installs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.cluster import SchedulerConfig
from models.resources import CPU, MEMORY

_CPU_AND_MEMORY = {CPU: 1, MEMORY: 1}


@dataclass(frozen=True)
class NodeWeights:
    """Weights of the scores that choose a node; 0 = the score is not asked.

    Attributes
    ----------
    least, most, balanced
        ``leastrequested``, ``mostrequested``, ``balancedresource`` of the plugin nodeorder.
    spread_over
        Resources that ``least`` and ``most`` look at, with their weights.
    binpack, packed
        Weight of the plugin binpack, and of the resources it looks at.
    source
        Where the weights come from, in words.
    """

    least: int = 1
    most: int = 0
    balanced: int = 1
    spread_over: Mapping[str, int] = field(default_factory=lambda: _CPU_AND_MEMORY)
    binpack: int = 1
    packed: Mapping[str, int] = field(default_factory=lambda: _CPU_AND_MEMORY)
    source: str = "defaults of the Helm chart"

    @property
    def words(self) -> str:
        """The weights that are not 0, and where they come from."""
        named = {
            "leastrequested": self.least,
            "mostrequested": self.most,
            "balancedresource": self.balanced,
            "binpack": self.binpack,
        }
        said = ", ".join(f"{name} {weight}" for name, weight in named.items() if weight)
        return f"{said or 'no node scores'} ({self.source})"


def node_weights(scheduler: SchedulerConfig | None) -> NodeWeights:
    """The weights of a cluster; a plugin that its configuration does not list gives no score."""
    if scheduler is None:
        return NodeWeights()
    order, pack = scheduler.plugin("nodeorder"), scheduler.plugin("binpack")
    told = order.arguments if order else {}
    packing = pack.arguments if pack else {}
    on = 1 if order else 0
    return NodeWeights(
        least=on * _whole(told, "leastrequested.weight", 1),
        most=on * _whole(told, "mostrequested.weight", 0),
        balanced=on * _whole(told, "balancedresource.weight", 1),
        binpack=_whole(packing, "binpack.weight", 1) if pack else 0,
        packed=_packed(packing),
        source=scheduler.source or "scheduler ConfigMap",
    )


def _packed(arguments: Mapping[str, str]) -> dict[str, int]:
    """CPU and memory always, other resources where they are listed; a negative weight counts as 1."""
    listed = (name.strip() for name in arguments.get("binpack.resources", "").split(","))
    weights = {name: _whole(arguments, f"binpack.resources.{name}", 1) for name in listed if name}
    weights[CPU] = _whole(arguments, "binpack.cpu", 1)
    weights[MEMORY] = _whole(arguments, "binpack.memory", 1)
    return {name: weight if weight >= 0 else 1 for name, weight in weights.items()}


def _whole(arguments: Mapping[str, str], key: str, otherwise: int) -> int:
    try:
        return int(arguments[key])
    except (KeyError, ValueError):
        return otherwise
