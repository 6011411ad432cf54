"""Which running pods nobody may evict, whoever asks (I7 of the conformance cases)."""

from __future__ import annotations

from models.effective import EffectivePolicy
from models.policy import OnlineService
from models.workloads import CRITICAL_CLASSES, SYSTEM_NAMESPACE, Gang, Pod


def why_protected(pod: Pod, gang: Gang, policy: EffectivePolicy) -> str:
    """What protects a running pod of a gang, "" where nothing does."""
    if pod.spec.scheduler_name not in policy.policy.scheduler_names:
        return "another scheduler"
    if not pod.preemptable or gang.preemptable is False:
        return "volcano.sh/preemptable: false"
    if pod.namespace == SYSTEM_NAMESPACE or pod.spec.priority_class_name in CRITICAL_CLASSES:
        return "a system pod"
    service = next((one for one in policy.policy.services if serves(one, pod, gang)), None)
    if service is not None and not service.may_be_evicted:
        return f"online service {service.name}"
    return ""


def serves(service: OnlineService, pod: Pod, gang: Gang | None) -> bool:
    """Whether the pod is one of the service: its selector and namespace, or else its queue, or its owner's name."""
    if service.namespace is not None and pod.namespace != service.namespace:
        return False
    if service.selector:
        return all(pod.labels.get(key) == value for key, value in service.selector.items())
    if service.queue is not None:
        return gang is not None and gang.queue == service.queue
    return service.name in (pod.owner_name, gang.name if gang is not None else "")
