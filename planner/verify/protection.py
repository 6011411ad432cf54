"""I7, whoever asks: which running pods may never be victims."""

from __future__ import annotations

from models.policy import OnlineService
from models.workloads import Gang, Pod
from planner.verify.matching import selects
from planner.verify.state import State

_SYSTEM_NAMESPACE = "kube-system"
_SYSTEM_CLASSES = ("system-cluster-critical", "system-node-critical")
_MARK = "volcano.sh/preemptable"


def why_protected(state: State, pod: Pod) -> str:
    """What protects a running pod from every eviction, "" where nothing does."""
    gang = state.snapshot.gang_by_name.get(pod.gang)
    if gang is None or gang.missing_group:
        return "belongs to no PodGroup of the planned schedulers"
    if pod.spec.scheduler_name not in state.policy.policy.scheduler_names:
        return f"belongs to scheduler {pod.spec.scheduler_name or '(none)'}"
    if _marked(pod):
        return f"is marked {_MARK}: false"
    if gang.preemptable is False:
        return f"belongs to {gang.full_name}, which is marked {_MARK}: false"
    if pod.namespace == _SYSTEM_NAMESPACE:
        return f"is in namespace {_SYSTEM_NAMESPACE}"
    if pod.spec.priority_class_name in _SYSTEM_CLASSES:
        return f"has class {pod.spec.priority_class_name}"
    for service in state.policy.policy.services:
        if not service.may_be_evicted and serves(service, gang, pod):
            return f"belongs to the online service {service.name}"
    return ""


def _marked(pod: Pod) -> bool:
    mark = pod.annotations.get(_MARK, pod.labels.get(_MARK, ""))
    return mark.lower() == "false"


def serves(service: OnlineService, gang: Gang, pod: Pod) -> bool:
    """Whether a pod belongs to an online service of the policy.

    The namespace must match where it is given. Then the selector decides; without one the queue; without either the
    name of the gang or of the pod's owner.
    """
    if service.namespace is not None and pod.namespace != service.namespace:
        return False
    if not service.selector and service.queue is None:
        return service.name in (gang.name, pod.owner_name)
    if not service.selector:
        return gang.queue == service.queue
    return all(pod.labels.get(key) == value for key, value in service.selector.items())


def exhausted_budget(state: State, pod: Pod) -> str:
    """With ``pdb`` a PodDisruptionBudget of the pod that allows no disruption at all, "" where there is none."""
    if not state.policy.pdb:
        return ""
    for budget in state.snapshot.disruption_budgets:
        concerns = budget.namespace == pod.namespace and selects(budget.selector, pod.labels)
        if concerns and budget.disruptions_allowed <= 0:
            return f"{budget.namespace}/{budget.name}"
    return ""
