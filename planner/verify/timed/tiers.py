"""Values of a schedule's tiers, ranks of its gangs, and its first bucket on the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from models.moments import epoch_seconds, local_text
from models.running_time import deadline_of, earliest_start_of, latest_start_of
from models.schedule import ScheduledGang
from planner.verify.needs import need_of
from planner.verify.standing import least_of
from planner.verify.timed.book import Book

Told = Iterator[tuple[str, str]]


def check_tiers(book: Book) -> Told:
    """Every value is what the entries give; no tier is missing or unknown."""
    values = tier_values(book)
    told = {tier.name: tier.value for tier in book.state.plan.certificate.tiers}
    for name, value in told.items():
        if name not in values:
            yield f"tier/{name}", "is no tier of a schedule"
        elif values[name] != value:
            yield f"tier/{name}", f"value is {value}, recomputed {values[name]}"
    for name in values.keys() - told.keys():
        yield f"tier/{name}", "is missing"


def tier_values(book: Book) -> dict[str, int]:
    """Tier name to value, from entries, snapshot and policy."""
    found = {"missed_returns": sum(one.gpu_seconds for one in book.schedule.missed_returns)}
    ranked = [one for one in book.schedule.gangs if one.tier_class]
    with_deadline = [one for one in ranked if _deadline(book, one) is not None]
    if any(book.places(one) for one in with_deadline):
        found["missed_deadlines"] = sum(
            one.status != "starts" for one in with_deadline if book.places(one)
        )
    if book.state.policy.sla:
        promised = [one for one in ranked if book.places(one) and _latest(book, one) is not None]
        if promised:
            found["sla_missed"] = sum(_is_late(book, one) for one in promised)
    for one in ranked:
        if not book.places(one):
            continue
        name = f"{one.tier_class}.{one.rank}"
        work, delay = f"{name}.gpu_hours", f"{name}.delay"
        found[work] = found.get(work, 0) + one.work_gpu_seconds
        found[delay] = found.get(delay, 0) + max(one.gpus, 1) * one.delay_s
    lost = sum(one.lost_gpu_seconds for one in ranked)
    if lost or "lost_work" in {tier.name for tier in book.state.plan.certificate.tiers}:
        found["lost_work"] = lost
    earlier = [one for one in ranked if one.previous_start_bucket is not None]
    if any(book.places(one) for one in earlier):
        found["kept_starts"] = sum(
            one.status == "starts" and one.runs[0].start_bucket == one.previous_start_bucket
            for one in earlier
        )
    return found


def _deadline(book: Book, one: ScheduledGang) -> int | None:
    gang = book.state.snapshot.gang_by_name.get(one.full_name)
    return None if gang is None else deadline_of(gang, book.state.snapshot.pods_of(gang))


def _latest(book: Book, one: ScheduledGang) -> int | None:
    gang = book.state.snapshot.gang_by_name.get(one.full_name)
    carried = one.full_name in book.ending
    return None if gang is None or carried else latest_start_of(gang)


def _is_late(book: Book, one: ScheduledGang) -> bool:
    latest, start = _latest(book, one), epoch_seconds(one.starts_at or "")
    return latest is None or start is None or start > latest


def check_delays(book: Book) -> Told:
    """Delay counts from the moment a gang could first start."""
    for one in book.schedule.gangs:
        gang = book.state.snapshot.gang_by_name.get(one.full_name)
        if one.status == "running" or gang is None or not one.tier_class:
            continue
        if one.full_name in book.ending:
            first = book.horizon.edges[min(book.gone_bucket(one.full_name), book.count)]
        else:
            pods = book.state.snapshot.pods_of(gang)
            first = max(earliest_start_of(gang, pods) or 0, book.horizon.start)
        end = book.horizon.end
        if one.status == "starts":
            end = book.horizon.edges[one.runs[0].start_bucket]
            if one.starts_at != local_text(end, book.horizon.timezone):
                yield one.full_name, f"starts_at {one.starts_at} is not the start of its first run"
        if one.delay_s != max(end - first, 0):
            yield one.full_name, f"delay is {one.delay_s} s, recomputed {max(end - first, 0)} s"


def check_ranks(book: Book) -> Told:
    """Rank is the position of the gang's priority among those of its queue that the schedule ranks."""
    if book.state.policy.sla or book.state.policy.policy.objective == "throughput":
        return
    cluster = book.state.policy.policy.priority_scope == "cluster"
    ranked = [o for o in book.schedule.gangs if o.tier_class and o.full_name not in book.ending]
    ranked = [one for one in ranked if book.places(one)]
    priorities: dict[str, set[int]] = {}
    for one in ranked:
        priorities.setdefault("" if cluster else one.queue, set()).add(one.priority)
    for one in ranked:
        above = sum(p > one.priority for p in priorities["" if cluster else one.queue])
        if one.rank != above + 1:
            yield one.full_name, f"rank is {one.rank}, recomputed {above + 1}"


def check_needs(book: Book) -> Told:
    """A gang that starts holds at least what makes it ready."""
    for one in book.planned:
        gang = book.state.snapshot.gang_by_name.get(one.full_name)
        if gang is None or one.full_name in book.ending:
            continue
        least = least_of(book.state, need_of(book.state, gang))
        for name, amount in (least or {}).items():
            if one.requests.amount(name) < amount:
                told = f"requests {one.requests.amount(name)} of {name}, it needs {amount}"
                yield one.full_name, told
        gpus = sum(one.requests.amount(name) for name in book.state.gpu_names)
        if gpus != one.gpus:
            yield one.full_name, f"has {one.gpus} GPUs, its requests have {gpus}"


def check_first_bucket(book: Book) -> Told:
    """Who starts in the first bucket starts in the plan for now, on nodes of its pools; nobody else does."""
    now = {one.full_name: one for one in book.planned if one.runs[0].start_bucket == 0}
    placed = book.state.placed_by_gang
    for name in now.keys() - placed.keys():
        if name not in book.ending:
            yield name, "starts in the first bucket, and no pod of it is placed"
    for name, arrivals in placed.items():
        if name not in now:
            yield name, "is placed now, and does not start in the first bucket"
            continue
        pools = {run.pool for run in now[name].runs if run.start_bucket == 0}
        for arrival in arrivals:
            if book.pool_by_node.get(arrival.node) not in pools:
                yield name, f"is placed on {arrival.node}, which is in none of its pools"
            away = book.away.get(arrival.node, frozenset())
            if any(away & set(range(r.start_bucket, r.end_bucket)) for r in now[name].runs):
                yield (
                    name,
                    f"is placed on {arrival.node}, which goes into maintenance before it ends",
                )
