"""Scores of nodes for a pod, as Volcano's plugins nodeorder and binpack give them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models.resources import CPU, MEMORY
from models.snapshot import Snapshot
from planner.simulate.node_weights import NodeWeights

Floats = NDArray[np.float64]
_MOST, _HALF = 100, 50
_BALANCED = (CPU, MEMORY, "nvidia.com/gpu")


class NodeScores:
    """What every node offers and what is requested on it; a score only orders nodes, so floats will do.

    Whole numbers come out where the plugins round down: leastrequested, mostrequested and balancedresource, which
    asks how much more even the use of a node's resources gets by the pod, as kube-scheduler does.
    """

    def __init__(self, snapshot: Snapshot, weights: NodeWeights) -> None:
        self._weights = weights
        names = dict.fromkeys((*_BALANCED, *weights.spread_over, *weights.packed))
        self._row = {name: row for row, name in enumerate(names)}
        self._offered = np.zeros((len(names), len(snapshot.nodes)))
        self.requested = np.zeros_like(self._offered)
        for column, node in enumerate(snapshot.nodes):
            pods = snapshot.pods_by_node.get(node.name, ())
            for name, row in self._row.items():
                self._offered[row, column] = node.allocatable.amount(name)
                self.requested[row, column] = sum(pod.spec.request.amount(name) for pod in pods)

    def amounts(self, request: Mapping[str, int]) -> Floats:
        """A pod's requests, resource by resource."""
        return np.array([float(request.get(name, 0)) for name in self._row])

    def of(self, amounts: Floats, nodes: NDArray[np.int64], further: Floats | int = 0) -> Floats:
        """Score per node for one pod more, after ``further`` pods of the same kind."""
        offered = self._offered[:, nodes]
        requested = self.requested[:, nodes] + amounts[:, None] * (np.asarray(further) + 1.0)
        weights, total = self._weights, np.zeros(requested.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            used = np.where(offered > 0, requested / offered, np.nan)
            if weights.least:
                total += weights.least * self._rounded(1 - used, offered - requested, offered)
            if weights.most:
                total += weights.most * self._rounded(used, requested, offered)
        if weights.balanced:
            before = used - amounts[:, None] / np.where(offered > 0, offered, np.nan)
            gain = self._balance(amounts, used) - self._balance(amounts, before)
            total += weights.balanced * (_HALF + np.trunc((_HALF + gain) / 2))
        if weights.binpack:
            total += weights.binpack * self._packing(amounts, used)
        return total

    def _rounded(self, share: Floats, part: Floats, whole: Floats) -> Floats:
        """Mean of the resources' whole percentages, rounded down; amounts beyond what is offered count 0."""
        total, weight_sum = np.zeros(share.shape[1]), np.zeros(share.shape[1])
        for name, weight in self._weights.spread_over.items():
            row = self._row[name]
            there = (whole[row] > 0) & (share[row] >= 0) & (share[row] <= 1)
            percent = np.floor(np.where(there, part[row] * _MOST, 0) / np.maximum(whole[row], 1))
            total += weight * percent
            weight_sum += weight * (whole[row] > 0)
        return np.floor(total / np.maximum(weight_sum, 1))

    def _balance(self, amounts: Floats, used: Floats) -> Floats:
        """100 less the standard deviation of the used shares in percent, rounded down.

        CPU and memory always count, GPUs where the pod requests some.
        """
        rows = [
            self._row[name]
            for name in _BALANCED
            if name in (CPU, MEMORY) or amounts[self._row[name]] > 0
        ]
        shares = np.minimum(used[rows], 1)
        known = ~np.isnan(shares)
        count = np.maximum(known.sum(axis=0), 1)
        shares = np.where(known, shares, 0)
        mean = shares.sum(axis=0) / count
        spread = np.where(known, shares - mean, 0)
        deviation = np.sqrt((spread * spread).sum(axis=0) / count)
        return np.asarray(np.floor((1 - deviation) * _MOST), dtype=np.float64)

    def _packing(self, amounts: Floats, used: Floats) -> Floats:
        """Weighted mean of the used shares of the resources that the pod requests; 0 where one does not fit."""
        total, weight_sum, fits = np.zeros(used.shape[1]), 0, np.ones(used.shape[1], dtype=bool)
        for name, weight in self._weights.packed.items():
            row = self._row[name]
            if amounts[row] > 0:
                fits &= used[row] <= 1
                total += weight * np.nan_to_num(used[row])
                weight_sum += weight
        return np.where(fits, total * _MOST / max(weight_sum, 1), 0)
