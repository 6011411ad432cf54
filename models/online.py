"""Which pods belong to an online service of the policy."""

from __future__ import annotations

from collections.abc import Sequence

from models.policy import OnlineService
from models.workloads import Gang, Pod


def serves(service: OnlineService, pod: Pod, queue: str = "", gang: str = "") -> bool:
    """Whether a pod is one of the service: by selector, else by queue, else by the name of its owner or gang.

    ``queue`` and ``gang`` are those of its gang, empty for a pod without one.
    """
    if service.namespace is not None and pod.namespace != service.namespace:
        return False
    if service.selector:
        return all(pod.labels.get(key) == value for key, value in service.selector.items())
    if service.queue is not None:
        return bool(queue) and queue == service.queue
    return service.name in (pod.owner_name, gang)


def service_of(services: Sequence[OnlineService], pod: Pod, gang: Gang | None) -> str:
    """Name of the first service that the pod belongs to, "" for none."""
    queue, name = (gang.queue, gang.name) if gang is not None else ("", "")
    return next((one.name for one in services if serves(one, pod, queue, name)), "")
