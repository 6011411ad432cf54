"""Controllers whose pods Volcano may schedule: those of Kubernetes, and those of training, Ray and Spark operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from models.readers.conditions import read_conditions
from models.readers.fields import count, flag, mapping, text
from models.readers.metadata import Meta, MetaReader
from models.readers.owner_facts import OwnerFacts, owner_facts
from models.readers.pod_specs import PodSpecReader
from models.workloads import GangCondition, RoleTemplate

VOLCANO: Final = "volcano"
_KUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"


@dataclass(frozen=True, slots=True)
class Controller:
    """What matters of a controller: its marks for Volcano, and the pods that it will ask for.

    Attributes
    ----------
    group
        Its API group.
    facts
        What it says of pods to come.
    pods
        Template of a suspended Job under Volcano, None for everything else.
    failed_pods, conditions
        Of a Job's status.
    """

    kind: str
    meta: Meta
    facts: OwnerFacts
    pods: RoleTemplate | None = None
    failed_pods: int = 0
    conditions: tuple[GangCondition, ...] = ()
    group: str = ""


def read_controller(raw: Mapping[str, Any], metas: MetaReader, specs: PodSpecReader) -> Controller:
    """One controller."""
    meta, spec, kind = metas.read(raw), mapping(raw, "spec"), text(raw, "kind")
    facts, group = owner_facts(raw), text(raw, "apiVersion").rpartition("/")[0]
    if kind != "Job":
        return Controller(kind, meta, facts, group=group)
    suspended = flag(spec, "suspend") or False
    status = mapping(raw, "status")
    return Controller(
        kind,
        meta,
        facts,
        _promised(spec, meta, metas, specs) if suspended and not facts.ended else None,
        failed_pods=count(status, "failed"),
        conditions=read_conditions(status, metas),
        group=group,
    )


def _promised(
    spec: Mapping[str, Any], meta: Meta, metas: MetaReader, specs: PodSpecReader
) -> RoleTemplate | None:
    template = mapping(spec, "template")
    pod = specs.read(mapping(template, "spec"))
    if pod.scheduler_name != VOLCANO or _KUEUE_LABEL in meta.labels:
        return None
    about = mapping(template, "metadata")
    return RoleTemplate(
        role="",
        spec=specs.with_card_rules(pod, metas.annotations(about)),
        replicas=count(spec, "parallelism", 1),
        labels=metas.labels(about, "labels"),
        annotations=metas.annotations(about),
    )
