from __future__ import annotations

from typing import Any

import pytest

from models.requests import pod_request
from models.units import QuantityError

Raw = dict[str, Any]


def box(requests: Raw | None = None, limits: Raw | None = None, **fields: Any) -> Raw:
    return {"resources": {"requests": requests or {}, "limits": limits or {}}, **fields}


def sidecar(requests: Raw) -> Raw:
    return box(requests, restartPolicy="Always")


def test_containers_add_up_and_zeros_are_dropped() -> None:
    spec = {
        "containers": [
            box({"cpu": "1", "nvidia.com/gpu": "0"}),
            box({"cpu": "250m", "memory": "1Gi"}),
            {},
        ]
    }
    assert pod_request(spec) == {"cpu": 1250, "memory": 1024**3}


def test_a_limit_stands_in_for_a_missing_request_only() -> None:
    spec = {"containers": [box({"cpu": "1"}, {"cpu": "4", "nvidia.com/gpu": "2"})]}
    assert pod_request(spec) == {"cpu": 1000, "nvidia.com/gpu": 2}


def test_the_largest_init_step_counts_where_it_is_larger() -> None:
    spec = {
        "containers": [box({"cpu": "2", "memory": "1"})],
        "initContainers": [box({"cpu": "1"}), box({"cpu": "3", "memory": "1"})],
    }
    assert pod_request(spec) == {"cpu": 3000, "memory": 1}


def test_sidecars_run_beside_later_init_steps_and_beside_the_containers() -> None:
    spec = {
        "containers": [box({"cpu": "1"})],
        "initContainers": [
            box({"cpu": "4"}),
            sidecar({"cpu": "1"}),
            box({"cpu": "4"}),
            sidecar({"cpu": "1"}),
        ],
    }
    assert pod_request(spec) == {
        "cpu": 5000
    }  # step 3: sidecar 1 + init 4; containers with sidecars: 3
    spec["containers"] = [box({"cpu": "4"})]
    assert pod_request(spec) == {"cpu": 6000}


def test_overhead_is_added_last() -> None:
    spec = {
        "containers": [box({"cpu": "1"})],
        "initContainers": [box({"cpu": "2"})],
        "overhead": {"cpu": "250m"},
    }
    assert pod_request(spec) == {"cpu": 2250}


def test_pod_level_requests_replace_the_sum_and_limits_fill_gaps() -> None:
    spec = {
        "containers": [box({"cpu": "8", "nvidia.com/gpu": "1"})],
        "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "9", "memory": "1Ki"}},
        "overhead": {"cpu": "1"},
    }
    assert pod_request(spec) == {"cpu": 3000, "memory": 1024, "nvidia.com/gpu": 1}


def test_a_pod_level_limit_does_not_replace_container_requests() -> None:
    spec = {"containers": [box({"cpu": "1"})], "resources": {"limits": {"cpu": "9"}}}
    assert pod_request(spec) == {"cpu": 1000}


def test_nothing_requested() -> None:
    assert pod_request({}) == {}
    assert pod_request({"containers": None, "initContainers": None, "overhead": None}) == {}


@pytest.mark.parametrize("limit", ["-5", -5, "five"])
def test_a_limit_that_a_request_stands_for_has_to_be_an_amount(limit: object) -> None:
    inside = {"containers": [box({"cpu": "1"}, {"cpu": limit})]}
    above = {
        "containers": [box({"cpu": "1"})],
        "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": limit}},
    }
    for spec in (inside, above):
        with pytest.raises(QuantityError, match="cpu"):
            pod_request(spec)


def test_a_negative_request_is_refused() -> None:
    with pytest.raises(QuantityError, match=r"cpu: .*negative"):
        pod_request({"containers": [box({"cpu": "-1"})]})
