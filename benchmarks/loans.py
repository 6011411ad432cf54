"""Lend the idle GPUs of online services: margins fitted on the first days, scored on the following ones.

Usage: ``python benchmarks/loans.py [FILE…] [--level 0.95] [--peak 0.7] [--pool 65] [--write]``. Without files, the
series of ``../shared/data/inference``. Every bucket is decided from what was known one bucket before (rolling), or a
day before (day ahead). Beside: perfect knowledge, and "yesterday's value plus margin", the margin fitted on the same
days to the same level.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

if not __package__:  # run as a file: the folder above makes the package importable
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.loan_backlog import BacklogResult, read_backlog, run_backlog
from benchmarks.loan_series import LoanSeries, is_series, load_series
from planner.demand.forecast import held_after, own_models
from planner.demand.history import Ints
from planner.demand.margins import MarginRules
from planner.demand.replays import Replays
from planner.demand.score import Score, score

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
TARGET = ROOT / "docs" / "benchmarks-loans.md"
GOAL = 0.8
CHECKPOINT_S = 1800


@dataclass(frozen=True)
class Method:
    """Held GPUs per scored step, and how they did; None where the method has nothing to go by."""

    name: str
    held: Ints | None
    score: Score | None


@dataclass(frozen=True)
class Outcome:
    """One series with all methods."""

    series: LoanSeries
    fitted: int
    methods: dict[str, Method]
    seconds: float

    @property
    def scored(self) -> slice:
        """Steps that no margin was fitted on."""
        return slice(self.fitted, self.series.history.count)

    def kept(self, name: str, level: float) -> bool:
        """At least 80 % of perfect knowledge's loans, and no more short buckets than the level allows."""
        found = self.methods[name].score
        return (
            found is not None and found.lent_share >= GOAL and found.short_rate <= 1 - level + 1e-12
        )

    def better(self, name: str) -> bool | None:
        """Better than yesterday plus margin in one of lent share and short buckets, not worse in the other."""
        ours, other = self.methods[name].score, self.methods["yesterday"].score
        if ours is None or other is None:
            return None
        shares = ours.lent_share - other.lent_share, other.short - ours.short
        return min(shares) >= -1e-12 and max(shares) > 1e-12


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, print Markdown, and with ``--write`` keep it in ``docs/benchmarks-loans.md``."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--level", type=float, default=0.95, help="service level (0.95)")
    parser.add_argument("--peak", type=float, default=0.7, help="highest demand / pool (0.7)")
    parser.add_argument("--pool", type=int, default=65, help="GPUs of the pool (65)")
    parser.add_argument("--fit", type=float, default=0.5, help="share of the days to fit on (0.5)")
    parser.add_argument(
        "--backlog", type=Path, default=SHARED / "philly/philly_jobs_visible.csv.gz"
    )
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name} as well")
    options = parser.parse_args(arguments)
    found = sorted((SHARED / "inference").glob("*.csv*"))
    files = options.files or [one for one in found if is_series(one)]
    series = [
        one for file in files for one in load_series(file, pool=options.pool, peak=options.peak)
    ]
    if not series:
        print("no series found; name CSV files of demand", file=sys.stderr)
        return 2
    outcomes = [replay(one, level=options.level, fit=options.fit) for one in series]
    backlog = read_backlog(options.backlog) if options.backlog.exists() else []
    text = document(outcomes, backlog, level=options.level, peak=options.peak)
    print(text)
    if options.write:
        TARGET.write_text(text, encoding="utf-8")
    whole = [one for one in outcomes if not one.series.part]
    return 0 if all(one.kept("rolling", options.level) for one in whole) else 1


def replay(series: LoanSeries, *, level: float, fit: float) -> Outcome:
    """All methods on one series."""
    begin = time.process_time()
    history, owned, day = series.history, series.owned, series.history.per_day
    fitted = int(history.count * fit)
    several = history.count > 2 * day
    fitted = fitted // day * day if several else fitted
    scored = np.zeros(history.count, dtype=np.bool_)
    scored[fitted:] = history.known[fitted:]
    rules, book = MarginRules(level), Replays(history, own_models(history))
    held = {
        "perfect": history.gpus[fitted:],
        "yesterday": _yesterday(series, fitted, level) if several else None,
        "rolling": held_after(book, rules, lead=1, owned=owned, tried=fitted),
        "day ahead": held_after(book, rules, lead=day, owned=owned, tried=fitted)
        if several
        else None,
    }
    methods = {}
    for name, values in held.items():
        found = None
        if values is not None:
            found = score(values, history.gpus[fitted:], history.known[fitted:], owned)
        methods[name] = Method(name, values, found)
    return Outcome(series, fitted, methods, time.process_time() - begin)


def _yesterday(series: LoanSeries, fitted: int, level: float) -> Ints:
    """Yesterday's value plus the smallest margin that kept the level on the fitted days."""
    history, day = series.history, series.history.per_day
    before = history.gpus[:-day]
    for margin in range(series.owned + 1):
        first = slice(0, fitted - day)
        found = score(
            before[first] + margin,
            history.gpus[day:fitted],
            history.known[day:fitted],
            series.owned,
        )
        if found.short_rate <= 1 - level:
            break
    return np.minimum(before[fitted - day :] + margin, series.owned)


def document(
    outcomes: Sequence[Outcome],
    backlog: Sequence[tuple[int, int]],
    *,
    level: float,
    peak: float,
) -> str:
    """The tables."""
    whole = [one for one in outcomes if not one.series.part]
    parts = [one for one in outcomes if one.series.part]
    lines = [
        "# Loans of online GPUs, replayed",
        "",
        "Made by `python benchmarks/loans.py --write`. Margins are fitted on the first days of each series and",
        f"scored on the following ones, which they never saw. Service level {level:.0%}: demand may exceed what is",
        f"held, before anything is taken back, in {1 - level:.0%} of the buckets. Series that are no GPUs are scaled",
        f"so that their peak is {peak:.0%} of the pool; series of GPUs get a pool of that size. *Lent* is the share of",
        "the idle GPU-hours, which is what perfect knowledge lends. A bucket is one step of the series (5 minutes or",
        "an hour). *Rolling* decides every bucket one step before it, *day ahead* a day before it.",
        "",
        "| series | pool, GPUs | fitted / scored, buckets | method | lent | short buckets (95 % Wilson) "
        "| most GPUs back at once |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in whole:
        lines += _rows(one)
    lines += ["", *_verdicts(whole, level)]
    if parts:
        lines += ["", *_summary(parts, level)]
    if backlog:
        lines += ["", *_batch(whole, backlog)]
    seconds = sum(one.seconds for one in outcomes)
    lines += ["", f"All series together took {seconds:.0f} s of processor time.", ""]
    return "\n".join(lines)


def _rows(outcome: Outcome) -> list[str]:
    names = {"yesterday": "yesterday plus margin", "perfect": "perfect knowledge"}
    scored = outcome.series.history.count - outcome.fitted
    found = []
    for place, (name, method) in enumerate(outcome.methods.items()):
        head = (
            (
                outcome.series.name,
                f"{outcome.series.owned:,}",
                f"{outcome.fitted:,} / {scored:,}",
            )
            if place == 0
            else ("", "", "")
        )
        cells = [*head, names.get(name, f"gangplan, {name}")]
        if method.score is None:
            cells += ["–", "less than two days", "–"]
        else:
            low, high = method.score.wilson
            rate = f"{method.score.short_rate:.1%} ({low:.1%} – {high:.1%})"
            cells += [f"{method.score.lent_share:.1%}", rate, f"{method.score.worst_short_gpus}"]
        found.append(f"| {' | '.join(cells)} |")
    return found


def _verdicts(outcomes: Sequence[Outcome], level: float) -> list[str]:
    words = {True: "yes", False: "no", None: "–"}
    lines = [
        f"At least {GOAL:.0%} of perfect knowledge's loans with at most {1 - level:.0%} short buckets; and better than",
        "yesterday plus margin in one of the two without being worse in the other:",
        "",
        "| series | method | goal kept | better than yesterday |",
        "|---|---|---|---|",
    ]
    for one in outcomes:
        for name in ("rolling", "day ahead"):
            if one.methods[name].score is not None:
                kept, better = words[one.kept(name, level)], words[one.better(name)]
                lines.append(f"| {one.series.name} | {name} | {kept} | {better} |")
    return lines


def _summary(parts: Sequence[Outcome], level: float) -> list[str]:
    kept = sum(one.kept("rolling", level) for one in parts)
    better = sum(one.better("rolling") is True for one in parts)
    worse = sum(_dominated(one) for one in parts)
    return [
        f"Of {len(parts)} single services of the replica series, {kept} keep the goal rolling; {better} are better",
        f"than yesterday plus margin, {worse} are worse in both, the others trade one for the other or are equal.",
    ]


def _dominated(outcome: Outcome) -> bool:
    ours, other = outcome.methods["rolling"].score, outcome.methods["yesterday"].score
    if ours is None or other is None:
        return False
    return ours.lent_share < other.lent_share and ours.short > other.short


def _batch(outcomes: Sequence[Outcome], backlog: Sequence[tuple[int, int]]) -> list[str]:
    lines = [
        f"The same with batch work: gangs of the Philly trace ({len(backlog):,}, in order, up to 50 looked at) on the",
        "lent GPUs. Where the limit falls, gangs leave before the bucket (planned); where demand exceeds what is held,",
        "within it (surge). Those that lose least leave first. Work lost includes five minutes per restart.",
        "",
        "| series | method | held by gangs, GPU-h | of the idle | lost, checkpoints every 30 min, GPU-h | of it to "
        "surges, GPU-h | lost, no checkpoints, GPU-h | worst reclaim, GPUs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        _batch_row(one, name, backlog)
        for one in outcomes
        for name in ("yesterday", "rolling", "day ahead")
        if one.methods[name].held is not None
    ]
    return lines


def _batch_row(outcome: Outcome, name: str, backlog: Sequence[tuple[int, int]]) -> str:
    saved = _run(outcome, name, backlog, CHECKPOINT_S)
    unsaved = _run(outcome, name, backlog, None)
    history = outcome.series.history
    needed = np.minimum(history.gpus[outcome.scored], outcome.series.owned)
    idle = int((outcome.series.owned - needed).sum()) * history.step
    title = (
        outcome.series.name
        if name == "yesterday" or outcome.methods["yesterday"].held is None
        else ""
    )
    cells = [
        title,
        "yesterday plus margin" if name == "yesterday" else f"gangplan, {name}",
        f"{saved.held_gpu_s / 3600:,.0f}",
        f"{saved.held_gpu_s / idle:.1%}",
        f"{saved.lost_gpu_s / 3600:,.0f}",
        f"{saved.lost_to_surges_gpu_s / 3600:,.0f}",
        f"{unsaved.lost_gpu_s / 3600:,.0f}",
        f"{saved.worst_surge_gpus}",
    ]
    return f"| {' | '.join(cells)} |"


def _run(
    outcome: Outcome, name: str, backlog: Sequence[tuple[int, int]], checkpoint_s: int | None
) -> BacklogResult:
    held = outcome.methods[name].held
    if held is None:
        raise ValueError(f"{name} says nothing about {outcome.series.name}")
    history, owned = outcome.series.history, outcome.series.owned
    lent = owned - np.minimum(held, owned)
    short = np.maximum(np.minimum(history.gpus[outcome.scored], owned) - held, 0)
    return run_backlog(
        lent.tolist(), short.tolist(), history.step, backlog, checkpoint_s=checkpoint_s
    )


if __name__ == "__main__":
    raise SystemExit(main())
