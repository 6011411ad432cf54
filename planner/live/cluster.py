"""A running cluster as the readers want it: one list per kind, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from models.readers.kinds import KINDS, SCHEDULER_CONFIG, Kind
from models.readers.listings import ListAbsent, ListExpired
from models.readers.problems import BadFile
from planner.live.access import SchedulerObject, forbidden, scheduler_object
from planner.live.api_server import ApiServer, document, reason
from planner.live.transport import Answer

PAGE: Final = 500
"""Objects per page, as kubectl asks for them."""
_LAST_ROUND: Final = 3
"""From this repetition on pages are four times as large, so that the list is through before it expires."""


class LiveCluster:
    """The cluster of a context.

    Parameters
    ----------
    given
        As the user named it, ``cluster:prod``; what messages call it.
    """

    def __init__(self, given: str, server: ApiServer) -> None:
        self._given, self.server = given, server
        self.scheduler: SchedulerObject = scheduler_object()
        self._versions: dict[str, tuple[str, ...] | None] = {}
        self.read_at = datetime.now(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"

    @property
    def name(self) -> str:
        """As the user named it."""
        return self._given

    def title(self) -> str:
        """Context, version of the server, time of reading."""
        context = self.server.context
        label = context if context.isprintable() else ascii(context)
        return f"cluster:{label}, Kubernetes {self.server.version or 'of unknown version'}, read {self.read_at}"

    def listings(self) -> Iterator[KindListing | ConfigListing]:
        """All kinds, then the scheduler's ConfigMap."""
        for kind in KINDS:
            yield KindListing(self, kind)
        yield ConfigListing(self)

    def versions(self, group: str) -> tuple[str, ...] | None:
        """Versions of a group that the server serves, the preferred one first; () unknown, None without the group."""
        if group not in self._versions:
            self._versions[group] = self._ask_versions(group)
        return self._versions[group]

    def _ask_versions(self, group: str) -> tuple[str, ...] | None:
        answer = self.server.get(f"/apis/{group}")
        if answer.status == 404:
            return None
        if answer.status == 403:
            return ()
        if answer.status != 200:
            raise refused(f"API group {group}", answer)
        about = document(answer)
        preferred = about.get("preferredVersion")
        served = about.get("versions")
        listed = [preferred, *(served if isinstance(served, list) else ())]
        found = [one.get("version") for one in listed if isinstance(one, dict)]
        return tuple(dict.fromkeys(one for one in found if isinstance(one, str) and one))

    def paths(self, kind: Kind) -> list[tuple[str, str]]:
        """API version and path of a kind, in the order in which they are tried."""
        if not kind.group:
            return [("v1", f"/api/v1/{kind.resource}")]
        served = self.versions(kind.group)
        if served is None:
            return []
        return [
            (f"{kind.group}/{one}", f"/apis/{kind.group}/{one}/{kind.resource}")
            for one in served or (kind.version,)
        ]


@dataclass
class KindListing:
    """All objects of one kind in all namespaces."""

    cluster: LiveCluster
    of: Kind
    _path: str = field(default="", init=False)
    _api_version: str = field(default="", init=False)

    @property
    def name(self) -> str:
        """``cluster:prod podgroups.scheduling.volcano.sh``."""
        return f"{self.cluster.name} {self.of.full_resource}"

    @property
    def api_version(self) -> str:
        """Of the version that is read."""
        return self._api_version

    @property
    def kind(self) -> str:
        """Kind of the objects."""
        return self.of.kind

    def page(self, token: str, round_: int) -> bytes:
        """See :class:`models.readers.listings.Listing`."""
        answer = self.ask(token, PAGE * 4 if round_ >= _LAST_ROUND else PAGE)
        if answer.status == 410:
            raise ListExpired
        if answer.status == 403:
            raise ListAbsent(forbidden(self.of, reason(answer)))
        if answer.status != 200:
            raise refused(self.of.full_resource, answer)
        return answer.body

    def ask(self, token: str, limit: int) -> Answer:
        """The answer for one page, whatever it says; the version that is served is found with the first.

        Raises
        ------
        ListAbsent
            No version of the kind is served.
        """
        query = {"limit": str(limit), **({"continue": token} if token else {})}
        if self._path:
            return self.cluster.server.get(self._path, **query)
        for version, path in self.cluster.paths(self.of):
            answer = self.cluster.server.get(path, **query)
            if answer.status != 404:
                self._path, self._api_version = path, version
                return answer
        if self.of.group:
            raise ListAbsent
        raise BadFile(
            "cluster_answer",
            f"the server does not know /api/v1/{self.of.resource}: this is no API server",
            "check the address of the context",
        )


@dataclass(frozen=True)
class ConfigListing:
    """The scheduler's ConfigMap, asked for by its name; no other is ever seen."""

    cluster: LiveCluster
    api_version: str = "v1"
    kind: str = SCHEDULER_CONFIG.kind

    @property
    def name(self) -> str:
        """``cluster:prod configmaps volcano-system/volcano-scheduler-configmap``."""
        return f"{self.cluster.name} configmaps {self.cluster.scheduler.full_name}"

    def page(self, token: str, round_: int) -> bytes:
        """See :class:`models.readers.listings.Listing`."""
        where = self.cluster.scheduler
        answer = self.cluster.server.get(where.path)
        if answer.status == 404:
            raise ListAbsent
        if answer.status == 403:
            raise ListAbsent(forbidden(SCHEDULER_CONFIG, reason(answer), where))
        if answer.status != 200:
            raise refused("the scheduler's ConfigMap", answer)
        return answer.body


def refused(what: str, answer: Answer) -> BadFile:
    """An answer that is neither a list nor one of the usual refusals."""
    return BadFile(
        "cluster_answer",
        f"the API server does not give {what}: {reason(answer)}",
        "read again; `gangplan doctor --cluster` tries every kind",
    )
