"""What counts as a GPU, and which model a node has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from models.cluster import Node
from models.policy import GpuModelRule

WHOLE_GPU_RESOURCES = (
    "nvidia.com/gpu",
    "amd.com/gpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "habana.ai/gaudi",
    "huawei.com/Ascend910",
    "huawei.com/Ascend310P",
    "huawei.com/Ascend310",
    "cambricon.com/mlu",
    "iluvatar.ai/gpu",
    "metax-tech.com/gpu",
    "mthreads.com/gpu",
    "hygon.com/dcu",
    "google.com/tpu",
)
GPU_MODEL_LABEL = "gangplan.io/gpu-model"
MODEL_LABELS = (
    GPU_MODEL_LABEL,
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "accelerator",
    "cloud.google.com/gke-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "gpu.nvidia.com/class",
    "alibabacloud.com/gpu-card-model-detail",
    "aliyun.accelerator/nvidia_name",
)


def whole_gpu_names(rule: GpuModelRule) -> tuple[str, ...]:
    """Resource names of which one unit is one GPU: the policy's, else the known ones."""
    return rule.resource_names or WHOLE_GPU_RESOURCES


def documented_gpu_names(policy: Mapping[str, Any]) -> tuple[str, ...]:
    """The same names by the ``policy`` part of a plan document."""
    entry = policy.get("gpu_models")
    value = entry.get("value", entry) if isinstance(entry, Mapping) else {}
    names = value.get("resource_names") if isinstance(value, Mapping) else None
    return tuple(str(name) for name in names) if names else WHOLE_GPU_RESOURCES


def gpus_in(amounts: Mapping[str, int], names: tuple[str, ...]) -> int:
    """Whole GPUs in a resource map."""
    wanted = _set_of(names)
    return sum([amount for name, amount in amounts.items() if name in wanted])


@lru_cache(maxsize=64)
def _set_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(names)


def gpu_model(node: Node, rule: GpuModelRule) -> str:
    """GPU model of a node by label, "" where no label tells; values may be renamed by the policy."""
    for key in (*rule.label_keys, *MODEL_LABELS):
        value = node.labels.get(key)
        if value:
            return rule.names.get(value, value)
    return ""
