"""Points that a plan loses, kept up to date while its pods move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from planner.problem.wishes import SPREAD_POINTS, IntArray, Wishes

Change = tuple[int, int, int]
"""Wish, node, and pods that come (or go, below 0)."""


class Tally:
    """Pods by wish and domain of every term; the last place of an array stands for nodes outside all domains."""

    def __init__(self, wishes: Wishes, placed: Iterable[Change]) -> None:
        self.wishes = wishes
        self._matching = [np.append(one.held, 0) for one in wishes.pods]
        self._owners = [np.zeros(len(one.held) + 1, np.int64) for one in wishes.pods]
        self._counted = [np.append(one.held, 0) for one in wishes.spreads]
        self._came = [np.zeros(len(one.held) + 1, np.int64) for one in wishes.spreads]
        self._terms: dict[int, list[int]] = {}
        for index, one in enumerate(wishes.pods):
            for wish in {one.owner, *one.selected}:
                self._terms.setdefault(wish, []).append(index)
        self._spreads: dict[int, list[int]] = {}
        for index, spread in enumerate(wishes.spreads):
            for wish in spread.owners | spread.counted:
                self._spreads.setdefault(wish, []).append(index)
        self.put(list(placed))

    def put(self, changes: Sequence[Change]) -> None:
        """Pods come or go."""
        for wish, node, count in changes:
            for index in self._terms.get(wish, ()):
                one = self.wishes.pods[index]
                domain = one.place[node]
                if wish in one.selected:
                    self._matching[index][domain] += count
                if wish == one.owner:
                    self._owners[index][domain] += count
            for index in self._spreads.get(wish, ()):
                spread = self.wishes.spreads[index]
                domain = spread.place[node]
                if wish in spread.counted:
                    self._counted[index][domain] += count
                if wish in spread.owners:
                    self._came[index][domain] += count

    def gain(self, changes: Sequence[Change]) -> int:
        """Points fewer than now after the changes; nothing is changed."""
        terms = sorted({i for wish, _, _ in changes for i in self._terms.get(wish, ())})
        spreads = sorted({i for wish, _, _ in changes for i in self._spreads.get(wish, ())})
        before = self._cost(terms, spreads)
        self.put(changes)
        after = self._cost(terms, spreads)
        self.put([(wish, node, -count) for wish, node, count in changes])
        alone = sum(
            int(self.wishes.losses[wish][node]) * count
            for wish, node, count in changes
            if wish in self.wishes.losses
        )
        return before - after - alone

    def _cost(self, terms: Iterable[int], spreads: Iterable[int]) -> int:
        found = 0
        for index in terms:
            one = self.wishes.pods[index]
            others = self._matching[index] - one.itself
            lost = others <= 0 if one.near else others > 0
            lost[-1] = one.near
            found += one.points * int(self._owners[index][lost].sum())
        for index in spreads:
            spread, came = self.wishes.spreads[index], self._came[index]
            beyond = int(spread.too_many(came[:-1], self._counted[index][:-1]).sum())
            found += SPREAD_POINTS * (beyond + int(came[-1]))
        return found

    def points_at(self, wish: int, nodes: int) -> IntArray:
        """``[nodes]`` points that one more pod of a wish would lose there, spread by where the fewest are."""
        found = np.zeros(nodes, np.int64)
        if wish in self.wishes.losses:
            found += self.wishes.losses[wish]
        for index in self._terms.get(wish, ()):
            one = self.wishes.pods[index]
            if one.owner == wish:
                counts = self._matching[index][:-1] + one.itself
                found += one.points * one.unmet(counts).astype(np.int64)
        for index in self._spreads.get(wish, ()):
            spread = self.wishes.spreads[index]
            if wish in spread.owners and len(spread.held):
                counts = self._counted[index][:-1]
                full = np.append(counts - counts.min() >= spread.skew, True)[spread.place]
                found += SPREAD_POINTS * full.astype(np.int64)
        return found
