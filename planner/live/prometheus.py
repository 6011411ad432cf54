"""Range queries of a Prometheus: pieces of at most 10,000 values, joined; what is missing in them is told."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from models.findings import Finding, InputError, UsageError
from models.prometheus import PrometheusQuery
from models.readers.problems import BadFile
from planner.live.patience import Patience
from planner.live.transport import Answer, get

_MOST_POINTS: Final = 10_000
"""Prometheus refuses more than 11,000 values per series."""
_COUNTERS: Final = ("_total", "_count", "_sum", "_bucket")


@dataclass
class Series:
    """Values of one label set; times in seconds since the epoch, ascending.

    Attributes
    ----------
    unusable
        Values that are no numbers (infinite).
    resets
        Times at which a counter began anew.
    """

    labels: Mapping[str, str]
    points: list[tuple[int, float]] = field(default_factory=list)
    unusable: int = 0
    resets: int = 0


@dataclass(frozen=True)
class RangeAnswer:
    """All series, and what the server says of them; ``start`` and ``end`` in seconds since the epoch."""

    series: tuple[Series, ...]
    warnings: tuple[str, ...]
    start: int
    end: int


def ask_range(
    asked: PrometheusQuery,
    *,
    patience: Patience | None = None,
    clock: Callable[[], float] = time.time,
) -> RangeAnswer:
    """The answer to a query over its range up to now.

    Raw counters (names that end in ``_total``, ``_count``, ``_sum``, ``_bucket``) become increases per second; where
    one began anew, what it has reached since counts.

    Raises
    ------
    InputError
        The server cannot be asked or refuses the query, or there is no series.
    UsageError
        The extra ``live`` is not installed.
    """
    end = int(clock()) // asked.step * asked.step
    start = end - asked.range // asked.step * asked.step
    found: dict[tuple[tuple[str, str], ...], Series] = {}
    warnings: dict[str, None] = {}
    pool, patience = _pool(asked), (patience or Patience()).begun()
    at = start
    while at <= end:
        last = min(end, at + (_MOST_POINTS - 1) * asked.step)
        data = _piece(pool, asked, at, last, patience, warnings)
        for one in data:
            _join(found, one, asked)
        at = last + asked.step
    series = tuple(_rates(found[key]) for key in sorted(found))
    if not any(one.points for one in series):
        raise fault(
            asked, "prometheus_empty", "the query gives no value", "try it in the server's own page"
        )
    return RangeAnswer(series, tuple(warnings), start, end)


def fault(asked: PrometheusQuery, code: str, what: str, remedy: str) -> InputError:
    """An error that names server and query."""
    query = " ".join(asked.query.split())
    said = f"{what} (query {query[:120]})"
    return InputError(f"{asked.name}: {said}", [Finding(code, "error", asked.name, said, remedy)])


def _pool(asked: PrometheusQuery) -> Any:
    try:
        import urllib3
    except ImportError:
        raise UsageError(
            "reading Prometheus needs the extra live: install it with `pip install 'gangplan[live]'`"
        ) from None
    try:
        return urllib3.PoolManager(ca_certs=asked.ca_file)
    except OSError as error:
        what = f"the certificate authority cannot be read: {error.strerror or error}"
        raise fault(asked, "prometheus_unreachable", what, "correct ca_file") from None


def _headers(asked: PrometheusQuery) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": "gangplan"}
    if asked.token_file is None:
        return headers
    try:
        token = Path(asked.token_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no UTF-8 text"
        what = f"the token file cannot be read: {why}"
        raise fault(asked, "prometheus_unreachable", what, "correct token_file") from None
    if not token or not token.isprintable():
        what = "the token file holds no token"
        raise fault(asked, "prometheus_unreachable", what, "write one token into it")
    return {**headers, "Authorization": f"Bearer {token}"}


def _piece(
    pool: Any,
    asked: PrometheusQuery,
    start: int,
    end: int,
    patience: Patience,
    warnings: dict[str, None],
) -> list[Any]:
    """Series of one piece of the range."""
    fields = {
        "query": asked.query,
        "start": str(start),
        "end": str(end),
        "step": str(asked.step),
    }
    try:
        answer = get(
            pool, f"{asked.url}/api/v1/query_range", _headers(asked), patience, fields=fields
        )
    except BadFile as error:
        raise fault(asked, "prometheus_unreachable", str(error), error.remedy) from None
    document = _document(asked, answer)
    if answer.status != 200 or document.get("status") != "success":
        said = (
            f"{document.get('errorType') or 'error'}: {document.get('error') or 'no reason given'}"
        )
        what = f"the server refuses the query: {' '.join(said.split())[:300]} ({answer.status})"
        raise fault(asked, "prometheus_refused", what, "try the query in the server's own page")
    for name in ("warnings", "infos"):
        told = document.get(name)
        for one in told if isinstance(told, list) else ():
            warnings[" ".join(str(one).split())[:300]] = None
    data = document.get("data")
    if not isinstance(data, dict) or data.get("resultType") != "matrix":
        what = "the answer holds no series over time"
        raise fault(asked, "prometheus_answer", what, "check that the address is a Prometheus")
    result = data.get("result")
    return result if isinstance(result, list) else []


def _document(asked: PrometheusQuery, answer: Answer) -> dict[str, Any]:
    if answer.status in (401, 403):
        what = f"the server does not accept the token ({answer.status})"
        raise fault(asked, "prometheus_unreachable", what, "check token_file")
    try:
        document = json.loads(answer.body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        kind = answer.headers.get("Content-Type") or "an unknown type"
        what = f"this is no Prometheus: it answers with {kind} ({answer.status})"
        raise fault(asked, "prometheus_answer", what, "check the address and proxies in between")
    return document


def _join(
    found: dict[tuple[tuple[str, str], ...], Series], raw: Any, asked: PrometheusQuery
) -> None:
    """Add the values of a series to those of earlier pieces."""
    labels, values = (raw.get("metric"), raw.get("values")) if isinstance(raw, dict) else (0, 0)
    if not isinstance(labels, dict) or not isinstance(values, list):
        what = "a series of the answer has no labels or values"
        raise fault(asked, "prometheus_answer", what, "check that the address is a Prometheus")
    key = tuple(sorted((str(name), str(value)) for name, value in labels.items()))
    series = found.setdefault(key, Series(dict(key)))
    last = series.points[-1][0] if series.points else -1
    for value in values:
        try:
            moment, number = int(float(value[0])), float(value[1])
        except (TypeError, ValueError, IndexError, KeyError, OverflowError):
            what = f"{str(value)[:60]} is no value with its time"
            raise fault(asked, "prometheus_answer", what, "check the address") from None
        if math.isinf(number):
            series.unusable += 1
        elif not math.isnan(number) and moment > last:  # NaN: no measurement, the same as a gap
            series.points.append((moment, number))
            last = moment


def _rates(series: Series) -> Series:
    """The increase per second of a raw counter; anything else as it is."""
    if not series.labels.get("__name__", "").endswith(_COUNTERS):
        return series
    points = []
    for (before, low), (now, high) in zip(series.points, series.points[1:], strict=False):
        grown = high - low if high >= low else high  # it began anew at 0 in between
        series.resets += high < low
        points.append((before, grown / (now - before)))
    return Series(series.labels, points, series.unusable, series.resets)
