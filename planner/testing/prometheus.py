"""A small HTTP server that behaves like a Prometheus on range queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from planner.testing.api_server import Act, send

Value = Callable[[int], float | str | None]
"""The value at a second; None where there is none."""


@dataclass
class FakePrometheus:
    """Holds series per query.

    Attributes
    ----------
    series
        Query to label sets and their values.
    acts
        What is done with the next requests instead of answering.
    tokens
        Accepted bearer tokens; empty accepts everybody.
    requests
        Fields of all requests.
    """

    series: dict[str, list[tuple[Mapping[str, str], Value]]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    acts: list[Act] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    requests: list[dict[str, str]] = field(default_factory=list)
    most_points: int = 11_000
    url: str = ""

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        parts = urlsplit(request.path)
        fields = {key: one[-1] for key, one in parse_qs(parts.query).items()}
        self.requests.append(fields)
        token = (request.headers.get("Authorization") or "").partition(" ")[2]
        if self.acts:
            self.acts.pop(0)(request)
        elif self.tokens and token not in self.tokens:
            send(request, 401, b"Unauthorized", {"Content-Type": "text/plain"})
        elif parts.path != "/api/v1/query_range":
            send(request, 404, b"404 page not found", {"Content-Type": "text/plain"})
        else:
            self._range(request, fields)

    def _range(self, request: BaseHTTPRequestHandler, fields: Mapping[str, str]) -> None:
        start, end, step = (int(float(fields[name])) for name in ("start", "end", "step"))
        if (end - start) // step + 1 > self.most_points:
            refuse(request, "exceeded maximum resolution of 11,000 points per timeseries")
        elif fields["query"] not in self.series:
            refuse(request, 'invalid parameter "query": 1:5: parse error: unexpected end of input')
        else:
            result = []
            for labels, value in self.series[fields["query"]]:
                told = [(at, value(at)) for at in range(start, end + 1, step)]
                values = [[at, str(one)] for at, one in told if one is not None]
                if values:
                    result.append({"metric": labels, "values": values})
            found: dict[str, Any] = {"status": "success"}
            found["data"] = {"resultType": "matrix", "result": result}
            if self.warnings:
                found["warnings"] = list(self.warnings)
            send(request, 200, found)


def refuse(request: BaseHTTPRequestHandler, message: str) -> None:
    """The answer to a bad query."""
    send(request, 400, {"status": "error", "errorType": "bad_data", "error": message})
