"""The needs: what was asked, in the shape of the pod they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from models.drill import Need, NeedEntry
from models.drill_rules import DrillRule
from models.plan import RuleViolation
from models.resources import Resources
from models.workloads import PodSpec
from planner.verify.drill_state import DrillState, fault


def spec_of(drill: DrillState, need: NeedEntry) -> PodSpec:
    """The pattern pod's specification with the need's request; a plain one where there is no pattern."""
    pattern = drill.snapshot.pod_by_name.get(need.pattern)
    spec = pattern.spec if pattern is not None else PodSpec()
    return replace(spec, request=need.request)


def check_needs(drill: DrillState) -> Iterator[RuleViolation]:
    """Question and needs agree; request, pods and GPUs follow from the pattern; not more pods than asked for."""
    question, needs = drill.result.question.needs, drill.result.needs
    if len(question) != len(needs):
        yield fault(DrillRule.NEED, "needs", f"{len(needs)} entries for {len(question)} needs")
        return
    for number, (asked, need) in enumerate(zip(question, needs, strict=True)):
        for told in _differences(drill, number, asked, need):
            yield fault(DrillRule.NEED, f"need/{need.service}", told)


def _differences(drill: DrillState, number: int, asked: Need, need: NeedEntry) -> Iterator[str]:
    if (asked.service, asked.gpus, asked.gpu_model, dict(asked.labels)) != (
        need.service,
        need.gpus,
        need.gpu_model,
        dict(need.labels),
    ):
        yield "is not what was asked for"
    if asked.per_pod not in (None, need.gpus_per_pod):
        yield f"has pods of {need.gpus_per_pod} GPUs, asked for are {asked.per_pod}"
    gpus = sum(amount for name, amount in need.request.items() if name in drill.base.gpu_names)
    if gpus != need.gpus_per_pod:
        yield f"requests {gpus} GPUs per pod and says {need.gpus_per_pod}"
    if need.gpus_per_pod and need.pods != -(-need.gpus // need.gpus_per_pod):
        yield f"{need.gpus} GPUs are not {need.pods} pods of {need.gpus_per_pod}"
    own = {pod.full_name: pod for pod in drill.pods_of(need)}
    if need.pattern and need.pattern not in own:
        yield f"{need.pattern} is no pod of it"
    elif need.pattern and need.request != _scaled(drill, own[need.pattern].spec, need.gpus_per_pod):
        yield f"does not request what {need.pattern} does"
    if sum(one.pods for one in drill.result.places if one.need == number) > need.pods:
        yield f"more than {need.pods} pods have room"
    queues = {drill.snapshot.gang_by_name[pod.gang].queue for pod in own.values() if pod.gang}
    known = need.queue in {*queues, *drill.snapshot.queue_by_name}
    if need.queue and not known:
        yield f"queue {need.queue} does not exist"
    if not need.queue and queues:
        yield "is said to be in no queue, but its pods are"


def _scaled(drill: DrillState, spec: PodSpec, gpus: int) -> Resources:
    """The request with so many GPUs; everything else per GPU as before, rounded up."""
    have = sum(amount for name, amount in spec.request.items() if name in drill.base.gpu_names)
    if not have or have == gpus:
        return spec.request
    kinds = [name for name in spec.request if name in drill.base.gpu_names]
    amounts = {
        name: -(-amount * gpus // have)
        for name, amount in spec.request.items()
        if name not in kinds
    }
    return Resources({**amounts, kinds[0]: gpus}).without_zeros()
