"""The rights that reading needs: rules for RBAC, and the findings that name the one that is missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from models.findings import Finding
from models.readers.kinds import KINDS, SCHEDULER_CONFIG, Kind
from models.readers.scheduler_config import USUAL_NAME

WHOLE_PICTURE = ("Node", "Pod")
"""Without these no plan is worth anything."""


@dataclass(frozen=True)
class SchedulerObject:
    """Where the scheduler's ConfigMap is."""

    namespace: str = "volcano-system"
    name: str = USUAL_NAME

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def path(self) -> str:
        """Of this one object."""
        return f"/api/v1/namespaces/{quote(self.namespace, '')}/configmaps/{quote(self.name, '')}"


def scheduler_object(environment: Mapping[str, str] = os.environ) -> SchedulerObject:
    """The usual one, or what ``VOLCANO_NAMESPACE`` and ``VOLCANO_CONFIG`` name, as for the export script."""
    usual = SchedulerObject()
    return SchedulerObject(
        environment.get("VOLCANO_NAMESPACE") or usual.namespace,
        environment.get("VOLCANO_CONFIG") or usual.name,
    )


def rules() -> list[dict[str, Any]]:
    """Rules of the ClusterRole: every kind may be listed, and nothing else is allowed."""
    groups: dict[str, list[str]] = {}
    for kind in KINDS:
        groups.setdefault(kind.group, []).append(kind.resource)
    return [
        {"apiGroups": [group], "resources": resources, "verbs": ["list"]}
        for group, resources in groups.items()
    ]


def rule_text(kind: Kind, config: SchedulerObject | None = None) -> str:
    """The rule for one kind, as it is written into a role."""
    group = kind.group or '""'
    if config is not None:
        return (
            f"{{apiGroups: [{group}], resources: [{kind.resource}], resourceNames: [{config.name}], "
            f"verbs: [get]}} in a Role of namespace {config.namespace}"
        )
    return f"{{apiGroups: [{group}], resources: [{kind.resource}], verbs: [list]}} in a ClusterRole"


def forbidden(kind: Kind, said: str, config: SchedulerObject | None = None) -> Finding:
    """What it means that the account may not read a kind, and the rule that it lacks."""
    assumed = kind.assumed or "annotations and templates of these controllers are unknown"
    if config is not None:
        assumed = SCHEDULER_CONFIG.assumed
    what = f"configmap {config.full_name}" if config is not None else kind.full_resource
    essential = not kind.group and kind.kind in WHOLE_PICTURE
    return Finding(
        "cluster_hidden" if essential else "kind_forbidden",
        "error" if essential else "warning",
        f"kind/{kind.full_name}",
        f"the account may not {'get' if config else 'list'} {what}, so {assumed}; the server says: {said}",
        f"allow it: {rule_text(kind, config)} (deploy/cronjob.yaml has all of them)",
    )
