"""What an account may read of a running cluster, kind by kind (``gangplan doctor --cluster``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from models.part import Part
from models.readers.kinds import SCHEDULER_CONFIG

if TYPE_CHECKING:
    from planner.live.cluster import KindListing, LiveCluster

Access = Literal["may be read", "does not exist here", "forbidden", "failed"]


class KindAccess(Part):
    """One kind.

    Attributes
    ----------
    objects
        How many there are; None where the server does not say.
    detail
        What is missing, or what the server says.
    """

    resource: str
    access: Access
    api_version: str = ""
    objects: int | None = None
    detail: str = ""


class ClusterAccess(Part):
    """One cluster as an account sees it; ``can_plan``: nodes and pods may be listed, and nothing failed."""

    context: str
    server: str
    server_version: str
    read_at: str
    can_plan: bool
    sentence: str
    kinds: tuple[KindAccess, ...]


def examine_cluster(context: str = "") -> ClusterAccess:
    """Ask for one object of every kind.

    Raises
    ------
    InputError, UsageError
        The context cannot be used, or the extra ``live`` is not installed.
    """
    from planner.live.api_server import ApiServer
    from planner.live.cluster import KindListing, LiveCluster

    server = ApiServer(context)
    cluster = LiveCluster(f"cluster:{context}", server)
    found = []
    for listing in cluster.listings():
        if isinstance(listing, KindListing):
            found.append(_kind_access(listing))
        else:
            found.append(_config_access(cluster))
    needed = found[:2]
    can_plan = all(one.access == "may be read" for one in needed) and not any(
        one.access == "failed" for one in found
    )
    return ClusterAccess(
        context=server.context,
        server=server.address,
        server_version=server.known_version,
        read_at=cluster.read_at,
        can_plan=can_plan,
        sentence=_sentence(server.context, found, can_plan=can_plan),
        kinds=tuple(found),
    )


def _kind_access(listing: KindListing) -> KindAccess:
    from models.readers.listings import ListAbsent
    from models.readers.problems import BadFile
    from planner.live.access import rule_text
    from planner.live.api_server import document, reason

    resource = listing.of.full_resource
    try:
        answer = listing.ask("", 1)
    except ListAbsent:
        return KindAccess(resource=resource, access="does not exist here")
    except BadFile as error:
        return KindAccess(resource=resource, access="failed", detail=f"{error}; {error.remedy}")
    version = listing.api_version
    if answer.status == 403:
        missing = f"missing: {rule_text(listing.of)}"
        return KindAccess(
            resource=resource, access="forbidden", api_version=version, detail=missing
        )
    if answer.status != 200:
        return KindAccess(
            resource=resource, access="failed", api_version=version, detail=reason(answer)
        )
    body = document(answer)
    items, about = body.get("items"), body.get("metadata")
    held = len(items) if isinstance(items, list) else 0
    more = about.get("remainingItemCount") if isinstance(about, dict) else None
    unknown = isinstance(about, dict) and about.get("continue") and not isinstance(more, int)
    return KindAccess(
        resource=resource,
        access="may be read",
        api_version=version,
        objects=None if unknown else held + (more if isinstance(more, int) else 0),
    )


def _config_access(cluster: LiveCluster) -> KindAccess:
    from models.readers.problems import BadFile
    from planner.live.access import rule_text
    from planner.live.api_server import reason

    where = cluster.scheduler
    name = f"configmaps {where.full_name}"
    try:
        answer = cluster.server.get(where.path)
    except BadFile as error:
        return KindAccess(resource=name, access="failed", detail=f"{error}; {error.remedy}")
    if answer.status == 200:
        return KindAccess(resource=name, access="may be read", api_version="v1", objects=1)
    if answer.status == 404:
        return KindAccess(resource=name, access="does not exist here")
    missing = f"missing: {rule_text(SCHEDULER_CONFIG, where)}"
    if answer.status == 403:
        return KindAccess(resource=name, access="forbidden", api_version="v1", detail=missing)
    return KindAccess(resource=name, access="failed", detail=reason(answer))


def _sentence(context: str, kinds: list[KindAccess], *, can_plan: bool) -> str:
    def named(access: Access) -> str:
        return ", ".join(one.resource for one in kinds if one.access == access)

    parts = []
    if named("forbidden"):
        parts.append(f"The account may not read {named('forbidden')}.")
    if named("failed"):
        parts.append(f"The server does not give {named('failed')}.")
    if not parts:
        return f"The cluster of {context} can be read."
    goal = "The rest can be read and planned." if can_plan else "Nothing can be planned so."
    return " ".join([f"Cluster of {context}:", *parts, goal])
