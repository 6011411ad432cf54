"""The tables of openb runs: one row per run, means over seeds, what each mode knows in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from benchmarks.openb_check import Result

MARKS = (95, 98, 100)
"""Percent of the cluster's GPUs that have arrived, where mode A is looked at on the way."""
Published = Mapping[str, Mapping[int, float]]
"""FGD's GPU share per list at each mark and at 130."""
KNOWS = {
    "A": "online, batches of {batch}, pods never move, a refused pod is lost. Known in advance: the list that arrivals "
    "are drawn from (its mix of pods) and how many GPUs are prepared for, in percent of the cluster's; of the arrivals "
    "only the batch at hand. Prepared for 100 % nothing says that more will come; prepared for 130 % room is kept for "
    "what is still to come, so the share on the way is low on purpose.",
    "B": "offline: knows the whole list of arrivals at 130 %.",
    "C": "offline: the whole original list, no inflation; what `gangplan plan` does without a policy.",
    "D": "consolidation: the plan of mode C, by the GPUs that it leaves on nodes without GPU pods.",
}
COLUMNS = (
    "mode",
    "list",
    "seed",
    "placed, % of GPUs",
    "bound, %",
    "FGD, %",
    "closed",
    "pods",
    "of",
    "CPU s",
    "wall s",
    "valid",
)


@dataclass(frozen=True)
class Run:
    """One run; amounts in GPU-milli, bounds proved by the plan (of mode A: by mode B on the same arrivals)."""

    mode: str
    list_name: str
    seed: int | None
    result: Result
    asked: int
    bound: int | None
    seconds: float
    cpu_s: float
    marks: Mapping[int, float] = field(default_factory=dict)
    prepared: int | None = None
    empty_gpus: int | None = None
    empty_bound: int | None = None

    @property
    def name(self) -> str:
        """The mode, with what it prepares for."""
        return self.mode if self.prepared is None else f"{self.mode}, for {self.prepared} %"

    def share(self, capacity: int) -> float:
        """GPUs placed, percent of the cluster's."""
        return 100 * self.result.gpu_milli / capacity


def tables(runs: Sequence[Run], capacity: int, fgd: Published, batch: int) -> str:
    """Markdown of all runs."""
    lines = _placed([one for one in runs if one.mode != "D"], capacity, fgd)
    lines += _means(runs, capacity, fgd)
    lines += _on_the_way(runs, fgd)
    lines += _consolidated([one for one in runs if one.mode == "D"], capacity)
    told = {one.mode for one in runs}
    lines += [f"- **{m}**, {words.format(batch=batch)}" for m, words in KNOWS.items() if m in told]
    return "\n".join(lines)


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def _valid(one: Run) -> str:
    return "yes" if not one.result.faults else f"no: {one.result.faults[0]}"


def _closed(one: Run, capacity: int, fgd: Published) -> float | None:
    """Percent of the distance from FGD to the bound."""
    base = fgd.get(one.list_name, {}).get(130) if one.mode in "AB" else None
    if base is None or one.bound is None:
        return None
    return 100 * (one.share(capacity) - base) / (100 * one.bound / capacity - base)


def _number(value: float | None, form: str = "{:.2f}") -> str:
    return "–" if value is None else form.format(value)


def _placed(runs: Sequence[Run], capacity: int, fgd: Published) -> list[str]:
    if not runs:
        return []
    lines = _head(COLUMNS)
    for one in runs:
        base = fgd.get(one.list_name, {}).get(130) if one.mode in "AB" else None
        cells = (
            one.name,
            one.list_name,
            _number(one.seed, "{}"),
            _number(one.share(capacity)),
            _number(None if one.bound is None else 100 * one.bound / capacity),
            _number(base),
            _number(_closed(one, capacity, fgd), "{:.0f} %"),
            f"{one.result.pods:,}",
            f"{one.asked:,}",
            f"{one.cpu_s:.0f}",
            f"{one.seconds:.0f}",
            _valid(one),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _groups(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    found: dict[tuple[str, str], list[Run]] = {}
    for one in runs:
        if one.seed is not None:
            found.setdefault((one.name, one.list_name), []).append(one)
    return found


def _means(runs: Sequence[Run], capacity: int, fgd: Published) -> list[str]:
    """Means of modes with random arrivals, as the published figures are means."""
    groups = _groups(runs)
    if not groups:
        return []
    lines = _head(
        (
            "mode",
            "list",
            "seeds",
            "mean placed, %",
            "least, %",
            "FGD, mean of 10 seeds, %",
            "mean closed",
        )
    )
    for (mode, name), own in groups.items():
        shares = [one.share(capacity) for one in own]
        closed = [one for one in (_closed(run, capacity, fgd) for run in own) if one is not None]
        cells = (
            mode,
            name,
            str(len(own)),
            f"{mean(shares):.2f}",
            f"{min(shares):.2f}",
            _number(fgd.get(name, {}).get(130)),
            f"{mean(closed):.0f} %" if closed else "–",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _on_the_way(runs: Sequence[Run], fgd: Published) -> list[str]:
    """Mode A when 95, 98 and 100 % of the GPUs have arrived, beside FGD."""
    groups = {key: own for key, own in _groups(runs).items() if own[0].marks}
    if not groups:
        return []
    lines = _head(("mode", "list", *(f"at {mark} %, mean (FGD)" for mark in MARKS)))
    for (mode, name), own in groups.items():
        cells = [mode, name]
        for mark in MARKS:
            found = [one.marks[mark] for one in own if mark in one.marks]
            base = fgd.get(name, {}).get(mark)
            cells.append(f"{mean(found):.2f} ({_number(base)})" if found else "–")
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _consolidated(runs: Sequence[Run], capacity: int) -> list[str]:
    if not runs:
        return []
    head = ("mode", "list", "placed, % of GPUs", "nodes without any pod", "nodes without GPU pods")
    lines = _head((*head, "GPUs on these, %", "bound, %", "CPU s", "wall s", "valid"))
    for one in runs:
        cells = (
            one.mode,
            one.list_name,
            _number(one.share(capacity)),
            f"{one.result.empty_nodes:,}",
            f"{one.result.nodes_without_gpu_pods:,}",
            _number(None if one.empty_gpus is None else 100 * one.empty_gpus / capacity),
            _number(None if one.empty_bound is None else 100 * one.empty_bound / capacity),
            f"{one.cpu_s:.0f}",
            f"{one.seconds:.0f}",
            _valid(one),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]
