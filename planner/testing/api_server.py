"""A small HTTP server that behaves like an API server: pages, expired lists, refusals, and every kind of bad answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from models.readers.kinds import KINDS

Act = Callable[[BaseHTTPRequestHandler], None]
"""What is done instead of the answer."""
CORE_LISTS = ("v1",)


@dataclass
class FakeApiServer:
    """Holds objects by list path, and what goes wrong.

    Attributes
    ----------
    lists
        Path to objects.
    acts
        Path to what is done with the next requests for it, instead of answering; used up one by one.
    forbidden, unserved
        Resources that may not be listed; that no version of their group has.
    tokens
        Accepted bearer tokens; empty accepts everybody.
    requests
        Path, query and token of all requests.
    """

    lists: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    objects: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    acts: dict[str, list[Act]] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    unserved: set[str] = field(default_factory=set)
    tokens: set[str] = field(default_factory=set)
    requests: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    version: int = 100
    url: str = ""

    def put(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Store objects of known kinds under the paths of their lists; ConfigMaps under their own."""
        for one in objects:
            group, _, version = one["apiVersion"].rpartition("/")
            meta = one["metadata"]
            if one["kind"] == "ConfigMap":
                path = f"/api/v1/namespaces/{meta['namespace']}/configmaps/{meta['name']}"
                self.objects[path] = one
                continue
            (kind,) = (k for k in KINDS if (k.group, k.kind) == (group, one["kind"]))
            root = f"/apis/{group}" if group else "/api"
            self.lists.setdefault(f"{root}/{version}/{kind.resource}", []).append(one)

    def asked(self, path: str) -> list[dict[str, str]]:
        """Queries of all requests for a path."""
        return [query for one, query, _ in self.requests if one == path]

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        parts = urlsplit(request.path)
        path, query = parts.path, {key: one[-1] for key, one in parse_qs(parts.query).items()}
        token = (request.headers.get("Authorization") or "").partition(" ")[2]
        self.requests.append((path, query, token))
        if self.acts.get(path):
            self.acts[path].pop(0)(request)
        elif self.tokens and token not in self.tokens:
            fail(request, 401, "Unauthorized")
        elif path == "/version":
            send(request, 200, {"major": "1", "minor": "34", "gitVersion": "v1.34.1"})
        elif path in self.objects:
            if "configmaps" in self.forbidden:
                fail(request, 403, 'configmaps "x" is forbidden: User "planner" cannot get it')
            else:
                send(request, 200, self.objects[path])
        else:
            self._list(request, path, query)

    def _list(self, request: BaseHTTPRequestHandler, path: str, query: dict[str, str]) -> None:
        parts = path.split("/")
        resource, group = parts[-1], parts[2] if parts[1] == "apis" else ""
        if len(parts) == 3 and parts[1] == "apis":
            self._group(request, group)
            return
        known = {(k.group, k.resource): k for k in KINDS}
        kind = known.get((group, resource))
        served = self._versions(group)
        if (
            kind is None
            or resource_name(group, resource) in self.unserved
            or parts[-2] not in served
        ):
            fail(request, 404, "the server could not find the requested resource")
        elif resource_name(group, resource) in self.forbidden:
            user = 'User "system:serviceaccount:gangplan:gangplan"'
            fail(request, 403, f"{resource} is forbidden: {user} cannot list resource {resource!r}")
        else:
            limit, start = int(query.get("limit") or 0), int(query.get("continue") or 0)
            held = self.lists.get(path, [])
            end = start + limit if limit else len(held)
            meta: dict[str, Any] = {"resourceVersion": str(self.version)}
            if end < len(held):
                meta |= {"continue": str(end), "remainingItemCount": len(held) - end}
            send(request, 200, self._page(path, kind.kind, bool(group), meta, held[start:end]))

    def _page(
        self,
        path: str,
        kind: str,
        grouped: bool,
        meta: Mapping[str, Any],
        held: Sequence[Mapping[str, Any]],
    ) -> Mapping[str, Any]:
        """As Go writes it: typed lists begin with kind and metadata, and items do not repeat kind and version."""
        if grouped and ".sh" in path:  # custom resources: keys in order
            return {
                "apiVersion": path.removeprefix("/apis/").rpartition("/")[0],
                "items": list(held),
                "kind": f"{kind}List",
                "metadata": meta,
            }
        bare = [{key: one[key] for key in one if key not in ("kind", "apiVersion")} for one in held]
        version = path.removeprefix("/apis/").removeprefix("/api/").rpartition("/")[0]
        return {"kind": f"{kind}List", "apiVersion": version, "metadata": meta, "items": bare}

    def _versions(self, group: str) -> list[str]:
        if not group:
            return list(CORE_LISTS)
        stored = {path.split("/")[3] for path in self.lists if path.startswith(f"/apis/{group}/")}
        return sorted(stored or {k.version for k in KINDS if k.group == group})

    def _group(self, request: BaseHTTPRequestHandler, group: str) -> None:
        names = [resource_name(k.group, k.resource) for k in KINDS if k.group == group]
        if not names or all(one in self.unserved for one in names):
            fail(request, 404, "the server could not find the requested resource")
            return
        versions = [{"groupVersion": f"{group}/{v}", "version": v} for v in self._versions(group)]
        found = {"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": versions}
        send(request, 200, {**found, "preferredVersion": versions[0]})

    def kubeconfig(self, context: str = "prod", user: Mapping[str, Any] | None = None) -> str:
        """Text of a kubeconfig with one context."""
        found = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": dict(user or {"token": "good"})}],
            "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        }
        return json.dumps(found)


def resource_name(group: str, resource: str) -> str:
    """``queues.scheduling.volcano.sh``."""
    return f"{resource}.{group}" if group else resource


def send(
    request: BaseHTTPRequestHandler,
    status: int,
    body: Mapping[str, Any] | bytes,
    headers: Mapping[str, str] | None = None,
    *,
    length: int | None = None,
) -> None:
    """One answer; ``length`` promises another length than the body has."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request.send_response(status)
    sent = {"Content-Type": "application/json", **(headers or {})}
    for name, value in {**sent, "Content-Length": str(length or len(data))}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(data)


def fail(
    request: BaseHTTPRequestHandler,
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    """An answer of kind Status."""
    send(
        request,
        status,
        {"kind": "Status", "status": "Failure", "message": message, "code": status},
        headers,
    )


def failing(status: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Act:
    """A refusal."""
    return lambda request: fail(request, status, message, headers)


def cut_off(request: BaseHTTPRequestHandler) -> None:
    """Half an answer, then the connection ends."""
    half = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[{'
    send(request, 200, half, length=10_000)
    request.close_connection = True


def hang_up(request: BaseHTTPRequestHandler) -> None:
    """No answer at all."""
    request.close_connection = True
    request.connection.close()


@contextmanager
def serving(respond: Act) -> Iterator[str]:
    """URL of a server on the loopback interface that answers with ``respond``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # one packet per answer, or the loopback waits for acknowledgements

        def do_GET(self) -> None:
            respond(self)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is said on standard error."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Broken connections are meant here."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
