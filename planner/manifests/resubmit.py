"""The plan's nodes as node affinity: for a new submission only, as no cluster accepts it in a Job that exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.plan import GangEntry
from models.selectors import Expression, NodeSelectorTerm
from models.workloads import Gang, PodSpec
from planner.manifests.controllers import Controller
from planner.manifests.night import Night
from planner.manifests.objects import Object
from planner.manifests.quoting import words

HOSTNAME = "kubernetes.io/hostname"
OWN_MANIFEST, NEW_MANIFEST = "YOUR-MANIFEST.yaml", "again.yaml"


@dataclass(frozen=True)
class Resubmit:
    """One JSON patch for the manifest from which a gang was submitted."""

    gang: str
    owner: Controller
    body: tuple[Object, ...]
    nodes: tuple[str, ...]

    def commands(self, path: str) -> tuple[str, ...]:
        """Change one's own manifest, remove the waiting Job, submit the changed one."""
        kind = "jobs.batch.volcano.sh" if self.owner.kind == "volcano" else "jobs.batch"
        return (
            words(
                "kubectl", "patch", "--local", f"--filename={OWN_MANIFEST}", "--type=json",
                f"--patch-file={path}", "--output=yaml",
            ) + f" > {NEW_MANIFEST}",
            words("kubectl", "delete", f"--namespace={self.owner.namespace}", f"{kind}/{self.owner.name}"),
            words("kubectl", "create", f"--filename={NEW_MANIFEST}"),
        )  # fmt: skip


def resubmits(night: Night) -> Iterator[Resubmit]:
    """Gangs that the plan starts now from nothing, if a Job makes their pods."""
    for entry in night.result.gangs:
        gang = night.snapshot.gang_by_name.get(entry.full_name)
        if gang is None or entry.decision != "start" or entry.pods_before:
            continue
        owner = night.controller(gang)
        nodes = _nodes_by_role(entry)
        body = tuple(_body(night, gang, owner, nodes))
        if body:
            used = tuple(sorted({name for names in nodes.values() for name in names}))
            yield Resubmit(gang.full_name, owner, body, used)


def _nodes_by_role(entry: GangEntry) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in entry.pods:
        if group.action == "place" and group.node and group.node not in found.get(group.role, ()):
            found.setdefault(group.role, []).append(group.node)
    return found


def _body(
    night: Night, gang: Gang, owner: Controller, nodes: Mapping[str, Sequence[str]]
) -> Iterator[Object]:
    if owner.kind == "volcano":
        for place, template in enumerate(gang.templates):
            if nodes.get(template.role) and gang.kind == "Job":
                where = f"/spec/tasks/{place}"
                yield {"op": "test", "path": f"{where}/name", "value": template.role}
                yield _affinity(
                    night, f"{where}/template/spec", template.spec, nodes[template.role]
                )
    elif owner.kind == "batch":
        spec = _spec_of(night, gang)
        used = sorted({name for names in nodes.values() for name in names})
        if spec is not None and used:
            yield _affinity(night, "/spec/template/spec", spec, used)


def _spec_of(night: Night, gang: Gang) -> PodSpec | None:
    pods = night.snapshot.pods_of(gang)
    if pods:
        return pods[0].spec
    return gang.templates[0].spec if gang.templates else None


def _affinity(night: Night, path: str, spec: PodSpec, nodes: Sequence[str]) -> Object:
    """Required node affinity: one of the nodes, beside what the pods require already."""
    known = night.snapshot.node_by_name
    hosts = sorted({known[name].labels.get(HOSTNAME, name) for name in nodes if name in known})
    here = {"key": HOSTNAME, "operator": "In", "values": hosts}
    terms = [NodeSelectorTerm()] if spec.node_affinity is None else spec.node_affinity
    required = {"nodeSelectorTerms": [_term(term, here) for term in terms]}
    value: dict[str, Any] = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    if spec.node_affinity is not None or spec.pod_affinity or spec.pod_anti_affinity:
        return {"op": "add", "path": f"{path}/affinity/nodeAffinity", "value": value}
    return {"op": "add", "path": f"{path}/affinity", "value": {"nodeAffinity": value}}


def _term(term: NodeSelectorTerm, here: Object) -> Object:
    found: Object = {"matchExpressions": [*map(_expression, term.match_expressions), dict(here)]}
    if term.match_fields:
        found["matchFields"] = [_expression(one) for one in term.match_fields]
    return found


def _expression(one: Expression) -> Object:
    found: Object = {"key": one.key, "operator": one.operator}
    if one.values:
        found["values"] = list(one.values)
    return found
