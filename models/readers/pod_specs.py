"""Pod specifications: reduced to what scheduling needs, parsed once per distinct content."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from models.cards.asks import CARD_RULE_KEYS, MODE_KEY
from models.cards.kinds import CARD_RESOURCES, MILLI_RESOURCE
from models.gpu import WHOLE_GPU_RESOURCES, gpus_in
from models.host_ports import HostPort
from models.readers.fields import BadObject, mapping, mappings, optional_integer, sequence, text
from models.readers.host_ports import host_ports
from models.readers.pod_rules import (
    read_node_affinity,
    read_pod_terms,
    read_spread,
)
from models.readers.preferences import read_preferences
from models.readers.selectors import label_pairs, read_tolerations
from models.requests import pod_request
from models.resources import Resources
from models.units import QuantityError
from models.workloads import PodSpec

# Everything else of a pod specification (commands, environment, volumes, images …) is dropped unread.
_KEPT_FIELDS: Final = (
    "overhead",
    "resources",
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "resourceClaims",
    "schedulingGates",
    "schedulerName",
    "priorityClassName",
    "priority",
    "preemptionPolicy",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
)
_GPU_SHARE_NAMES: Final = frozenset(
    {
        "volcano.sh/gpu-memory-percentage",
        "nvidia.com/gpumem",
        "nvidia.com/gpumem-percentage",
        "nvidia.com/gpucores",
        "nvidia.com/vgpu",
        "nvidia.com/priority",
        "aliyun.com/gpu-mem",
        "tencent.com/vcuda-core",
        "tencent.com/vcuda-memory",
    }
)
"""Shares of GPUs whose inventory or rules are not in what Volcano's exports hold."""


class PodSpecReader:
    """Gives the same value for pods with the same specification."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, PodSpec] = {}
        self._by_value: dict[PodSpec, PodSpec] = {}

    def read(self, raw: Mapping[str, Any], **defaults: str) -> PodSpec:
        """Specification of a pod; ``defaults`` fill fields that are missing (a Job's scheduler or priority class)."""
        reduced = _reduced(raw)
        for key, value in defaults.items():
            if value and not reduced.get(key):
                reduced[key] = value
        try:
            content = marshal.dumps(
                reduced, 2
            )  # version 2 writes no references: equal content, equal bytes
        except ValueError:
            raise BadObject("the pod specification is nested too deeply") from None
        found = self._by_content.get(content)
        if found is None:
            found = self._by_content[content] = self.share(_parse(reduced))
        return found

    def with_card_rules(self, spec: PodSpec, annotations: Mapping[str, str]) -> PodSpec:
        """The specification of a pod whose annotations choose among GPU cards; others come back unchanged."""
        if not spec.request.keys() & CARD_RESOURCES:
            return spec
        rules = tuple((key, annotations[key]) for key in CARD_RULE_KEYS if annotations.get(key))
        if not rules:
            return spec
        special = set(spec.special_rules)
        if (MODE_KEY, "mig") in rules:
            special.add("vgpu-mode mig")
        return self.share(replace(spec, card_rules=rules, special_rules=tuple(sorted(special))))

    def share(self, spec: PodSpec) -> PodSpec:
        """One value for all equal specifications."""
        return self._by_value.setdefault(spec, spec)


def _reduced(raw: Mapping[str, Any]) -> dict[str, Any]:
    reduced = {key: raw[key] for key in _KEPT_FIELDS if raw.get(key) is not None}
    for key in ("containers", "initContainers"):
        if raw.get(key):
            reduced[key] = [_container(one) for one in mappings(raw, key)]
    ports = host_ports(raw)
    if ports:
        reduced["hostPorts"] = ports
    return reduced


def _container(raw: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    resources = mapping(raw, "resources")
    if resources:
        kept["resources"] = {key: mapping(resources, key) for key in ("limits", "requests")}
        if resources.get("claims"):
            kept["claims"] = True
    if raw.get("restartPolicy"):
        kept["restartPolicy"] = raw["restartPolicy"]
    return kept


def _parse(reduced: Mapping[str, Any]) -> PodSpec:
    affinity = mapping(reduced, "affinity")
    request = _request(reduced)
    return PodSpec(
        request=request,
        node_selector=label_pairs(mapping(reduced, "nodeSelector"), "nodeSelector"),
        node_affinity=read_node_affinity(affinity),
        tolerations=read_tolerations(mappings(reduced, "tolerations")),
        pod_affinity=read_pod_terms(affinity, "podAffinity"),
        pod_anti_affinity=read_pod_terms(affinity, "podAntiAffinity"),
        spread=read_spread(reduced),
        preferences=read_preferences(reduced),
        special_rules=_special_rules(reduced, request),
        scheduling_gates=tuple(text(gate, "name") for gate in mappings(reduced, "schedulingGates")),
        scheduler_name=text(reduced, "schedulerName"),
        priority_class_name=text(reduced, "priorityClassName"),
        priority=optional_integer(reduced, "priority"),
        preemption_policy=text(reduced, "preemptionPolicy"),
        grace_seconds=optional_integer(reduced, "terminationGracePeriodSeconds"),
        active_deadline_seconds=optional_integer(reduced, "activeDeadlineSeconds"),
        requests_without_limit=_without_limit(reduced, request),
        host_ports=tuple(HostPort(*one) for one in reduced.get("hostPorts", ())),
    )


def _request(reduced: Mapping[str, Any]) -> Resources:
    own = mapping(reduced, "resources")
    spec = {
        **reduced,
        "overhead": mapping(reduced, "overhead"),
        "resources": {key: mapping(own, key) for key in ("limits", "requests")},
    }
    try:
        return pod_request(spec)
    except QuantityError as error:
        raise BadObject(f"resources: {error}") from None


def _without_limit(reduced: Mapping[str, Any], request: Resources) -> tuple[str, ...]:
    """Resources that may not be overcommitted and that a container requests without a limit."""
    names = set()
    for key in ("containers", "initContainers"):
        for container in mappings(reduced, key):
            amounts = mapping(container, "resources")
            names |= mapping(amounts, "requests").keys() - mapping(amounts, "limits").keys()
    return tuple(sorted(name for name in names if name in request and _is_extended(name)))


def _is_extended(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return name.startswith("hugepages-") or (bool(slash) and not domain.endswith("kubernetes.io"))


def _special_rules(reduced: Mapping[str, Any], request: Resources) -> tuple[str, ...]:
    containers = (*sequence(reduced, "containers"), *sequence(reduced, "initContainers"))
    names: set[str] = set()
    if reduced.get("resourceClaims") or any("claims" in one for one in containers):
        names.add("resourceClaims")
    if any(name in _GPU_SHARE_NAMES for name in request):
        names.add("gpuShare")
    if sum(_shares_cards(one) for one in containers) > 1:
        names.add("GPU shares in several containers")
    if MILLI_RESOURCE in request and gpus_in(request, WHOLE_GPU_RESOURCES):
        names.add("a GPU share beside whole GPUs")
    return tuple(sorted(names))


def _shares_cards(container: Mapping[str, Any]) -> bool:
    amounts = mapping(container, "resources")
    return any(mapping(amounts, key).keys() & CARD_RESOURCES for key in ("limits", "requests"))
