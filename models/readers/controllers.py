"""Controllers whose pods Volcano may schedule: ``batch`` Job, ReplicaSet, Deployment, StatefulSet, DaemonSet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from models.readers.fields import count, flag, mapping, text
from models.readers.metadata import Meta, MetaReader
from models.readers.pod_specs import PodSpecReader
from models.workloads import RoleTemplate

VOLCANO: Final = "volcano"
_KUEUE_LABEL: Final = "kueue.x-k8s.io/queue-name"


@dataclass(frozen=True, slots=True)
class Controller:
    """What matters of a controller: its marks for Volcano, and the pods that a suspended Job will ask for.

    Attributes
    ----------
    pods
        Template of a suspended Job under Volcano, None for everything else.
    """

    kind: str
    meta: Meta
    suspended: bool = False
    pods: RoleTemplate | None = None


def read_controller(raw: Mapping[str, Any], metas: MetaReader, specs: PodSpecReader) -> Controller:
    """One controller."""
    meta, spec, kind = metas.read(raw), mapping(raw, "spec"), text(raw, "kind")
    if kind != "Job":
        return Controller(kind, meta)
    suspended = flag(spec, "suspend") or False
    return Controller(
        kind, meta, suspended, _promised(spec, meta, metas, specs) if suspended else None
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
