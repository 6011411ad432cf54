"""Edits that add gangs or change what one is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from models.edits.copies import Copies
from models.edits.edit import Edit, EditError, Situation, Words
from models.edits.gangs import RemoveGangs, class_policy, class_value, known_queue, refuse_taken
from models.edits.quantities import Number, changed_number, resources_from
from models.edits.role_minima import changed_minima
from models.edits.select import Selector, select_gangs, shown
from models.selectors import Toleration
from models.spoken import Say, english
from models.workloads import Gang, NetworkTopology, PodSpec, RoleTemplate


class TolerationText(Words):
    """A toleration of new pods; without key it tolerates everything."""

    key: str = ""
    operator: Literal["Equal", "Exists"] = "Exists"
    value: str = ""
    effect: str = ""


class AddGangs(Edit):
    """New waiting gangs: so many members with the same request each. For more of what is there use multiply."""

    kind: ClassVar[str] = "add_gangs"
    name: str = Field(min_length=1, pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=200)
    namespace: str = Field(default="what-if", pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    queue: str
    count: int = Field(default=1, ge=0, le=10_000)
    members: int = Field(ge=1, le=100_000)
    min_member: int | None = Field(default=None, ge=1)
    resources: Mapping[str, str | int]
    priority: int | None = Field(default=None, ge=-(2**31), le=2**31 - 1)
    priority_class: str | None = None
    node_selector: Mapping[str, str] = Field(default_factory=dict)
    tolerations: tuple[TolerationText, ...] = ()
    preemptable: bool = True

    @model_validator(mode="after")
    def _sizes(self) -> AddGangs:
        if self.min_member is not None and self.min_member > self.members:
            raise ValueError("min_member is larger than members")
        if not self.resources:
            raise ValueError("say what one member requests, e.g. resources: {gpu: 8}")
        return self

    def apply(self, situation: Situation) -> Situation:
        """Add the gangs (``NAME``, or ``NAME-1`` … for several)."""
        for name in self._names():
            refuse_taken(situation, f"{self.namespace}/{name}")
        known_queue(situation, self.queue)
        gangs = tuple(self._gang(situation, name) for name in self._names())
        return Copies(gangs).added_to(situation)

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Remove them."""
        names = tuple(f"{self.namespace}/{name}" for name in self._names())
        return (RemoveGangs(gangs=names),) if names else ()

    def text(self, say: Say = english) -> str:
        """``add 2 gangs nightly: 8 × gpu 8 each, queue eval``."""
        each = ", ".join(f"{key} {value}" for key, value in self.resources.items())
        values = {"name": self.name, "queue": self.queue, "members": f"{self.members:,}"}
        if self.count == 1:
            return say(
                "add 1 gang {name} to queue {queue}: {members} members of {each}",
                **values,
                each=each,
            )
        return say(
            "add {count} gangs {name} to queue {queue}: {members} members of {each}",
            **values,
            count=f"{self.count:,}",
            each=each,
        )

    def _names(self) -> list[str]:
        if self.count == 1:
            return [self.name]
        return [f"{self.name}-{number}" for number in range(1, self.count + 1)]

    def _gang(self, situation: Situation, name: str) -> Gang:
        priority = self.priority
        if priority is None:
            priority = class_value(situation, self.priority_class) if self.priority_class else 0
        spec = PodSpec(
            request=resources_from(self.resources, situation).without_zeros(),
            node_selector=tuple(sorted(self.node_selector.items())),
            tolerations=tuple(
                Toleration(one.key, one.operator, one.value, one.effect) for one in self.tolerations
            ),
            scheduler_name=situation.policy.policy.scheduler_names[0],
            priority_class_name=self.priority_class or "",
            preemption_policy=class_policy(situation, self.priority_class or ""),
        )
        return Gang(
            namespace=self.namespace,
            name=name,
            kind="Job",
            queue=self.queue,
            min_member=self.min_member or self.members,
            templates=(RoleTemplate("worker", spec, self.members),),
            priority_class_name=self.priority_class or "",
            priority=priority,
            preemptable=None if self.preemptable else False,
            created=situation.policy.now,
            phase="Inqueue",
        )


class TopologyText(Words):
    """``networkTopology`` of a gang."""

    mode: Literal["hard", "soft"] = "hard"
    highest_tier_allowed: int | None = Field(default=None, ge=0)
    highest_tier_name: str = ""


class SetGang(Edit):
    """Another queue, minimum, node selector, preemptable mark or network topology of gangs.

    ``min_member`` and the minima of roles may be changes (``-2``); ``topology: null`` drops the rule.
    """

    kind: ClassVar[str] = "set_gang"
    gangs: Selector
    queue: str | None = None
    min_member: Number | None = None
    role_minimum: Mapping[str, Number] = Field(default_factory=dict)
    preemptable: bool | None = None
    node_selector: Mapping[str, str | None] | None = None
    topology: TopologyText | None = None

    def apply(self, situation: Situation) -> Situation:
        """Change the gangs."""
        if self.queue is not None:
            known_queue(situation, self.queue)
        names = {one.full_name for one in select_gangs(situation, self.gangs)}
        changed = situation.holding(
            gangs=[
                self._changed(one) if one.full_name in names else one
                for one in situation.snapshot.gangs
            ]
        )
        if not self.node_selector:
            return changed
        specs = _Specs(self.node_selector)
        return changed.holding(
            pods=[
                replace(pod, spec=specs.of(pod.spec)) if pod.gang in names and pod.pending else pod
                for pod in situation.snapshot.pods
            ]
        )

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Give each gang its own values again; node selectors and new minima have no way back."""
        said = self.model_fields_set - {"gangs"}
        if "node_selector" in said:
            return None
        found = []
        for one in select_gangs(before, self.gangs):
            old: dict[str, Any] = {}
            if "queue" in said and self.queue is not None:
                old["queue"] = one.queue
            if "min_member" in said and self.min_member is not None:
                old["min_member"] = one.min_member
            if self.role_minimum:
                if not self.role_minimum.keys() <= one.role_minimum.keys():
                    return None  # a minimum that was not there has no way back
                old["role_minimum"] = {role: one.role_minimum[role] for role in self.role_minimum}
            if "preemptable" in said:
                old["preemptable"] = one.preemptable
            if "topology" in said:
                old["topology"] = _topology_text(one.topology)
            found.append(SetGang(gangs=one.full_name, **old))
        return tuple(found)

    def text(self, say: Say = english) -> str:
        """``gang team/train-7: queue eval``."""
        told = []
        for name in sorted(self.model_fields_set - {"gangs"}):
            value = getattr(self, name)
            if isinstance(value, TopologyText):
                tier = value.highest_tier_name or value.highest_tier_allowed
                value = f"{value.mode}{'' if tier is None else f', tier at most {tier}'}"
            elif isinstance(value, Mapping):
                value = ",".join(f"{key}={one}" for key, one in value.items())
            told.append(f"{name} {'none' if value is None else value}")
        changes = ", ".join(told) or say("as it is")
        return say("gang {gangs}: {changes}", gangs=shown(self.gangs), changes=changes)

    def _changed(self, gang: Gang) -> Gang:
        fields: dict[str, Any] = {}
        if self.queue is not None:
            fields["queue"] = self.queue
        if self.min_member is not None:
            fields["min_member"] = changed_number(gang.min_member, self.min_member)
            if fields["min_member"] < 0:
                raise EditError(
                    f"min_member of {gang.full_name} would be {fields['min_member']}",
                    f"it is {gang.min_member} now",
                )
        if self.role_minimum:
            fields["role_minimum"] = changed_minima(gang, self.role_minimum)
        if "preemptable" in self.model_fields_set:
            fields["preemptable"] = self.preemptable
        if "topology" in self.model_fields_set:
            fields["topology"] = (
                None
                if self.topology is None
                else NetworkTopology(
                    self.topology.mode,
                    self.topology.highest_tier_allowed,
                    self.topology.highest_tier_name,
                )
            )
        if self.node_selector:
            specs = _Specs(self.node_selector)
            fields["templates"] = tuple(
                replace(one, spec=specs.of(one.spec)) for one in gang.templates
            )
        return replace(gang, **fields)


def _topology_text(topology: NetworkTopology | None) -> TopologyText | None:
    if topology is None:
        return None
    return TopologyText(
        mode="soft" if topology.mode == "soft" else "hard",
        highest_tier_allowed=topology.highest_tier_allowed,
        highest_tier_name=topology.highest_tier_name,
    )


class _Specs:
    """Pod specifications with another node selector; equal ones stay one value."""

    def __init__(self, changes: Mapping[str, str | None]) -> None:
        self._changes = changes
        self._made: dict[PodSpec, PodSpec] = {}

    def of(self, spec: PodSpec) -> PodSpec:
        """The changed specification."""
        if spec not in self._made:
            merged: dict[str, str | None] = {**dict(spec.node_selector), **self._changes}
            kept = sorted((key, value) for key, value in merged.items() if value is not None)
            self._made[spec] = replace(spec, node_selector=tuple(kept))
        return self._made[spec]


EDITS: tuple[type[Edit], ...] = (AddGangs, SetGang)
