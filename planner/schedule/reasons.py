"""Why a gang does not start within the horizon, with numbers and what would change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.moments import local_text
from models.plan import Reason
from planner.problem.placement import IntArray
from planner.problem.timed import Column, TimedRow
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.settle import ended_before
from planner.schedule.encode.work import WorkItem

Told = tuple[tuple[Reason, ...], tuple[str, ...]]
_CODES = {
    "room": "cluster_capacity",
    "nodes": "node_selection",
    "pieces": "fragmentation",
    "lent": "time_window",
    "slow": "time_window",
    "reserved": "time_window",
    "queue": "quota",
}


class WaitingReasons:
    """Explains gangs that wait; ``now`` holds what the plan for now says about them."""

    def __init__(
        self,
        given: TimedInput,
        now: Mapping[str, tuple[Reason, ...]],
        chosen: Mapping[Column, int],
    ) -> None:
        self.given, self.now, self.chosen = given, now, chosen
        self.horizon = given.problem.horizon
        self._may = {
            item
            for line, (number, _) in enumerate(given.problem.starts.pairs)
            if given.problem.starts.may[line].any()
            for item in given.problem.classes[number].items
        }
        self._may |= {
            item
            for column in given.problem.starts.split
            for item in given.problem.classes[column.work_class].items
        }

    def of(self, number: int) -> Told:
        """Reasons and fixes of one item."""
        item = self.given.items[number]
        if not self.given.parts[number]:
            told = self.now.get(item.gang.full_name)
            return told or (_never(),), ("change its pods' requests or selectors",)
        if item.earliest_s >= self.horizon.end:
            return self._not_before(item)
        late = self._too_late(item)
        if late is not None:
            return late
        if number not in self._may:
            return self._no_room(number, item)
        share = self._share(number, item)
        if share is not None:
            return share
        reason = Reason(
            code="lower_priority",
            message="work that goes first takes the room of every start that it could have",
            data={"class": item.tier_class, "rank": item.rank},
        )
        return (reason,), ("raise its priority, or lengthen the horizon",)

    def _text(self, second: int) -> str:
        return local_text(second, self.horizon.timezone)

    def _not_before(self, item: WorkItem) -> Told:
        text = self._text(item.earliest_s)
        reason = Reason(
            code="time_window",
            message=f"may not start before {text}, which is after the horizon",
            data={"earliestStart": text},
        )
        return (reason,), (f"plan a horizon beyond {text}",)

    def _too_late(self, item: WorkItem) -> Told | None:
        if item.deadline_s is None:
            return None
        end = max(item.earliest_s, self.horizon.start) + item.work_s
        if end <= item.deadline_s:
            return None
        text = self._text(item.deadline_s)
        reason = Reason(
            code="deadline",
            message=f"would end at {self._text(end)} at the earliest, after its deadline {text}",
            data={"deadline": text, "earliestEnd": self._text(end)},
        )
        return (reason,), (f"move its deadline to {self._text(end)} or later",)

    def _no_room(self, number: int, item: WorkItem) -> Told:
        """Not even alone beside what runs: the rows that are short in every start."""
        found: dict[str, Reason] = {}
        fixes: list[str] = []
        need = max(self.horizon.end_bucket(self.horizon.start + item.work_s), 1)
        for use in self.given.uses[number]:
            for row, amount in use.items():
                room = self.given.rooms[row]
                best = _best_stretch(room, self._lengths(item))
                if best >= amount:
                    continue
                reason = self._short(row, amount, best, need)
                found.setdefault(f"{row.kind}/{row.subject}/{row.detail}", reason)
                if row.kind == "queue":
                    fixes.append(
                        f"raise the limit of queue {row.subject} by {amount - best:,} {row.detail}"
                    )
        if not found and item.deadline_s is not None:
            reason = Reason(
                code="deadline",
                message=f"no room for a run that ends by {self._text(item.deadline_s)}",
                data={"deadline": self._text(item.deadline_s)},
            )
            return (reason,), ("move its deadline",)
        if not found:
            choices = self.given.prepared.problem.demands[item.demand].choices
            where = "one domain" if choices is not None else "the nodes"
            reason = Reason(
                code="topology" if choices is not None else "fragmentation",
                message=f"in no stretch that is long enough its pods fit on {where} for the whole run",
            )
            return (reason,), ("shorten its run, or lengthen the horizon",)
        if not fixes:
            fixes.append("shorten its run, free GPUs, or lengthen the horizon")
        return tuple(found.values()), tuple(fixes)

    def _share(self, number: int, item: WorkItem) -> Told | None:
        """Its queue's share is too small in every bucket, even if nothing else of the queue ran."""
        shares = self.given.problem.shares
        if shares is None:
            return None
        queue, most, short = item.gang.queue, 0, ("", 0)
        for bucket in range(self.horizon.first_from(item.earliest_s), self.horizon.count):
            limits = shares.limits(bucket, ended_before(self.chosen, bucket))
            lacks = [
                (row.detail, amount)
                for use in self.given.uses[number]
                for row, amount in use.items()
                if row.kind == "queue" and amount > limits.get((queue, row.detail), 0)
            ]
            if not lacks:
                return None
            short = lacks[0]
            most = max(most, limits.get((queue, short[0]), 0))
        others = sorted({one.gang.queue for one in self.given.items} - {queue})
        named = f" while queue {others[0]} asks for its own" if len(others) == 1 else ""
        reason = Reason(
            code="quota",
            message=f"needs {short[1]:,} {short[0]}, and the share of queue {queue} is at most {most:,}{named}",
            data={"needed": short[1], "available": most, "queue": queue},
        )
        return (reason,), (
            f"raise the weight of queue {queue}, withdraw what other queues wait for, or use queue_model=capacity",
        )

    def _lengths(self, item: WorkItem) -> Sequence[int]:
        """Buckets that a run takes from each start."""
        edges = self.horizon.edges
        return [
            max(self.horizon.end_bucket(edge + item.work_s) - bucket, 1)
            for bucket, edge in enumerate(edges[:-1])
        ]

    def _short(self, row: TimedRow, amount: int, best: int, buckets: int) -> Reason:
        what = {
            "room": f"{row.detail} of pool {row.subject}",
            "nodes": f"{row.detail.partition('/')[2]} on the nodes of pool {row.subject} that admit it",
            "pieces": f"pieces of {row.detail} GPUs in pool {row.subject}",
            "lent": f"GPUs of pool {row.subject} with loans",
            "slow": f"GPUs of pool {row.subject} for pods that do not leave in time",
            "reserved": f"GPUs of pool {row.subject} that are not reserved",
            "queue": f"{row.detail} of queue {row.subject}",
        }[row.kind]
        return Reason(
            code=_CODES[row.kind],
            message=f"needs {amount:,} {what}; at most {best:,} stay free long enough",
            data={"needed": amount, "available": best, "buckets": buckets},
        )


def _never() -> Reason:
    return Reason(code="never_fits", message="fits nowhere even with all work gone")


def _best_stretch(room: IntArray, lengths: Sequence[int]) -> int:
    """Most room that lasts for a whole run from some start."""
    return max(int(np.min(room[start : start + n])) for start, n in enumerate(lengths))
