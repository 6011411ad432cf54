"""Pods above the minimum of a gang that starts: real ones, and to the end of its run."""

from __future__ import annotations

from collections.abc import Iterator

from models.moments import epoch_seconds
from models.schedule import Growth, ScheduledGang
from models.workloads import Gang
from planner.verify.arrivals import promised
from planner.verify.timed.book import Book


def check_growth(book: Book, entry: ScheduledGang, gang: Gang) -> Iterator[str]:
    """Growth has the gang's own pods, no more than it has, on open nodes, and ends with the run."""
    if not entry.grows:
        return
    pods = book.state.snapshot.pods_of(gang)
    specs = [pod.spec for pod in pods if pod.pending]
    count = len(specs)
    for template in gang.templates:
        missing = promised(gang, pods, template)
        specs += [template.spec] if missing > 0 else []
        count += max(missing, 0)
    most = count - sum(run.pods for run in entry.runs)
    if sum(more.pods for more in entry.grows) > most:
        yield f"grows by more pods than the {most} that it has above its minimum"
    (*others, last) = sorted(entry.runs, key=lambda run: run.end_bucket)
    start = min(run.start_bucket for run in (*others, last))
    for more in entry.grows:
        if not start <= more.start_bucket < more.end_bucket == last.end_bucket:
            yield f"grows on {more.node} outside of its run"
            continue
        if more.node not in {node.name for node in book.open_nodes}:
            yield f"grows on {more.node}, which takes no pods"
        ends = min(epoch_seconds(entry.ends_at or "") or 0, book.horizon.end)
        if more.gpu_seconds != more.gpus * (ends - book.horizon.edges[more.start_bucket]):
            yield f"does {more.gpu_seconds} GPU-s on {more.node}, recomputed another amount"
        pool = book.pool_by_node.get(more.node)
        lending = book.schedule.lending
        if lending is not None and lending.pool(pool or "") and not entry.leaves_in_time:
            yield f"grows on lent GPUs of {pool}, and leaves them too late"
        if not any(
            _holds(book, more, spec.request.as_dict(), book.state.gpus(spec)) for spec in specs
        ):
            yield f"grows on {more.node} by pods that are not its own"


def _holds(book: Book, more: Growth, request: dict[str, int], gpus: int) -> bool:
    """Whether the growth holds so many pods of this request."""
    wanted = {name: amount * more.pods for name, amount in request.items() if amount}
    told = {name: amount for name, amount in more.requests.items() if amount and name != "pods"}
    wanted.pop("pods", None)
    return told == wanted and more.gpus == gpus * more.pods
