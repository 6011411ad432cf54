"""Effective resource request of a pod, as the Kubernetes scheduler counts it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from models.resources import NO_RESOURCES, Resources, total_of
from models.units import to_resources

_NONE: Final[Mapping[str, Any]] = {}


def pod_request(spec: Mapping[str, Any]) -> Resources:
    """Request of a pod specification in base units, without zeros.

    Per resource ``max(sum of containers + sidecars, largest init step) + overhead``. An init container with
    ``restartPolicy: Always`` is a sidecar: it runs beside the init containers after it and beside the containers.
    A limit stands in for a missing request. Pod-level requests replace the sum over containers.
    (Kubernetes, "Resource sharing within containers" and KEP-2837.)

    Raises
    ------
    models.units.QuantityError
        An amount cannot be read or is negative.
    """
    main = total_of(container_request(one) for one in spec.get("containers") or ())
    sidecars, peak = _init_steps(spec.get("initContainers") or ())
    amounts = main.plus(sidecars).as_dict()
    for name, amount in peak.items():
        amounts[name] = max(amounts.get(name, 0), amount)
    for name, amount in _pod_level(spec.get("resources") or _NONE).items():
        if name in amounts and name not in (
            (spec.get("resources") or _NONE).get("requests") or _NONE
        ):
            continue  # a pod-level limit fills a request only where no container asks
        amounts[name] = amount
    return Resources(amounts).plus(to_resources(spec.get("overhead") or _NONE)).without_zeros()


def container_request(container: Mapping[str, Any]) -> Resources:
    """Request of one container; limits fill what is not requested."""
    return _pod_level(container.get("resources") or _NONE)


def _pod_level(resources: Mapping[str, Any]) -> Resources:
    limits, requests = resources.get("limits"), resources.get("requests")
    if not limits:
        return to_resources(requests) if requests else NO_RESOURCES
    found = to_resources(limits)  # also those that a request stands for: they have to be amounts
    return Resources({**found.as_dict(), **to_resources(requests).as_dict()}) if requests else found


def _init_steps(containers: Iterable[Mapping[str, Any]]) -> tuple[Resources, dict[str, int]]:
    """Sum of the sidecars, and the largest amount of any init step per resource."""
    sidecars = NO_RESOURCES
    peak: dict[str, int] = {}
    for container in containers:
        request = container_request(container)
        step = sidecars.plus(request)
        if container.get("restartPolicy") == "Always":
            sidecars = step
        for name, amount in step.items():
            peak[name] = max(peak.get(name, 0), amount)
    return sidecars, peak
