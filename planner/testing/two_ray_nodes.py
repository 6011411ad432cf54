"""A Ray cluster of two nodes on this machine, as Ray's own tests make one (``ray.cluster_utils``)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MEMORY = 100 * 2**20
"""Bytes of the object store of a node; the jobs of tests are small."""


@contextmanager
def two_ray_nodes() -> Iterator[str]:
    """Start two nodes of one CPU each; yields the address and ends them afterwards."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        settings: dict[str, Any] = {"num_cpus": 1, "object_store_memory": MEMORY}
        cluster: Any = Cluster(
            initialize_head=True, head_node_args={**settings, "include_dashboard": False}
        )
        try:
            cluster.add_node(**settings)
            cluster.wait_for_nodes()
            yield str(cluster.address)
        finally:
            cluster.shutdown()
