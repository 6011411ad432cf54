from __future__ import annotations

from models.resources import CPU, MEMORY, PODS
from planner.explain.units import Units, listed
from planner.explain.view import are
from planner.testing.random_nodes import GIB

DIMENSIONS = (CPU, MEMORY, "nvidia.com/gpu", "rdma/hca", PODS)
UNITS = Units(DIMENSIONS, ("nvidia.com/gpu", "amd.com/gpu"))


def test_amounts_have_units_and_singulars() -> None:
    assert UNITS.text(0, 1000) == "1 CPU"
    assert UNITS.text(0, 1500) == "1.5 CPUs"
    assert UNITS.text(0, 12_000_000) == "12,000 CPUs"
    assert UNITS.text(1, 512 * GIB) == "512 GiB memory"
    assert UNITS.text(2, 1) == "1 GPU"
    assert UNITS.text(2, 1234) == "1,234 GPUs"
    assert UNITS.text(3, 2) == "2 rdma/hca"
    assert UNITS.text(4, 1) == "1 pod slot"


def test_two_gpu_resources_keep_their_names() -> None:
    both = Units(("amd.com/gpu", "nvidia.com/gpu", PODS), ("nvidia.com/gpu", "amd.com/gpu"))
    assert both.text(0, 8) == "8 amd.com/gpu"
    assert both.noun(1) == "nvidia.com/gpu"


def test_different_amounts_never_look_equal() -> None:
    assert UNITS.texts(1, GIB, 2 * GIB) == ("1 GiB memory", "2 GiB memory")
    assert UNITS.texts(1, GIB, GIB + 1) == (
        "1,073,741,824 bytes memory",
        "1,073,741,825 bytes memory",
    )
    assert UNITS.texts(1, GIB, GIB) == ("1 GiB memory", "1 GiB memory")


def test_gpus_come_first_and_pod_slots_last() -> None:
    assert UNITS.first((4, 1, 0, 2)) == [2, 0, 1, 4]
    assert UNITS.per_pod((1000, GIB, 2, 0, 1)) == "2 GPUs, 1 CPU and 1 GiB memory"
    assert UNITS.per_pod((0, 0, 0, 0, 1)) == "no resources"


def test_lists_and_verbs() -> None:
    assert [listed(["a"] * count) for count in range(4)] == ["", "a", "a and a", "a, a and a"]
    assert [are(text) for text in ("1 GPU", "2 GPUs", "8 GiB memory", "1 GPU and 1 CPU")] == [
        "is",
        "are",
        "is",
        "are",
    ]


def test_one_vgpu_is_no_plural() -> None:
    cards = Units(("volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", PODS), ())
    assert [cards.text(0, 1), cards.text(0, 2)] == ["1 vGPU", "2 vGPUs"]
    assert cards.text(1, 1) == "1 % of GPU cores"


def test_huge_pages_are_bytes() -> None:
    pages = Units(("hugepages-2Mi", PODS), ())
    assert pages.text(0, 2500 * 2**20) == "2.4 GiB hugepages-2Mi"
