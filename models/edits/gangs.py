"""Edits of work: gangs come, go, multiply, change rank, queue or size; a queue's demand grows or shrinks."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from models.edits.copies import copies_of, waits
from models.edits.edit import Edit, EditError, Situation
from models.edits.select import Selector, select_gangs, shown
from models.edits.suggest import unknown
from models.spoken import Say, english
from models.workloads import Gang, RoleTemplate


class RemoveGangs(Edit):
    """The gangs and their pods leave; what ran makes room."""

    kind: ClassVar[str] = "remove_gangs"
    gangs: Selector

    def apply(self, situation: Situation) -> Situation:
        """Take the gangs away."""
        return _without(situation, {one.full_name for one in select_gangs(situation, self.gangs)})

    def text(self, say: Say = english) -> str:
        """``remove gang team/train-7``."""
        return say("remove gangs {gangs}", gangs=shown(self.gangs))


class Multiply(Edit):
    """Each gang of the selector exists so many times in all; the copies wait."""

    kind: ClassVar[str] = "multiply"
    gangs: Selector
    factor: int = Field(ge=1, le=10_000)

    def apply(self, situation: Situation) -> Situation:
        """Add the copies."""
        return copies_of(situation, self._plan(situation)).added_to(situation)

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Remove the copies."""
        made = copies_of(before, self._plan(before)).gangs
        return (RemoveGangs(gangs=tuple(one.full_name for one in made)),) if made else ()

    def text(self, say: Say = english) -> str:
        """``3 times team/train-7``."""
        return say("{factor} times gang {gangs}", factor=str(self.factor), gangs=shown(self.gangs))

    def _plan(self, situation: Situation) -> list[tuple[Gang, int]]:
        found = select_gangs(situation, self.gangs)
        return [(one, self.factor - 1) for one in found if not one.finished]


class Reprioritise(Edit):
    """Another priority: that of a PriorityClass, or a number."""

    kind: ClassVar[str] = "reprioritise"
    gangs: Selector
    priority: int | None = Field(default=None, ge=-(2**31), le=2**31 - 1)
    priority_class: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Reprioritise:
        if self.priority is None and self.priority_class is None:
            raise ValueError("say 'priority' (a number) or 'priority_class' (a name)")
        return self

    def apply(self, situation: Situation) -> Situation:
        """Give the gangs the priority."""
        fields: dict[str, Any] = {}
        if self.priority_class is not None:
            fields["priority_class_name"] = self.priority_class
            if self.priority is None:
                fields["priority"] = class_value(situation, self.priority_class)
        if self.priority is not None:
            fields["priority"] = self.priority
        names = {one.full_name for one in select_gangs(situation, self.gangs)}
        return situation.holding(
            gangs=[
                replace(one, templates=self._templates(situation, one), **fields)
                if one.full_name in names
                else one
                for one in situation.snapshot.gangs
            ]
        )

    def _templates(self, situation: Situation, gang: Gang) -> tuple[RoleTemplate, ...]:
        """Pods that do not exist yet follow the gang's class, unless theirs is another one."""
        if self.priority_class is None:
            return gang.templates
        policy = class_policy(situation, self.priority_class)
        return tuple(
            replace(one, spec=replace(one.spec, preemption_policy=policy))
            if one.spec.priority_class_name in ("", gang.priority_class_name)
            and "Never" in (policy, one.spec.preemption_policy)
            else one
            for one in gang.templates
        )

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Give each gang its own priority again."""
        by_old: dict[tuple[int, str], list[str]] = {}
        for one in select_gangs(before, self.gangs):
            by_old.setdefault((one.priority, one.priority_class_name), []).append(one.full_name)
        return tuple(
            Reprioritise(gangs=tuple(names), priority=priority, priority_class=name)
            for (priority, name), names in sorted(by_old.items())
        )

    def text(self, say: Say = english) -> str:
        """``priority of team/train-7 becomes 1000``."""
        value = self.priority_class if self.priority is None else f"{self.priority:,}"
        return say(
            "priority of gang {gangs} becomes {value}", gangs=shown(self.gangs), value=str(value)
        )


def class_value(situation: Situation, name: str) -> int:
    """Value of a PriorityClass.

    Raises
    ------
    EditError
        There is none of this name.
    """
    classes = {one.name: one.value for one in situation.snapshot.priority_classes}
    if name not in classes:
        raise unknown("PriorityClass", name, classes)
    return classes[name]


def class_policy(situation: Situation, name: str) -> str:
    """``Never`` where pods of this PriorityClass evict nothing, else ""."""
    classes = situation.snapshot.priority_classes
    never = any(one.name == name and one.preemption_policy == "Never" for one in classes)
    return "Never" if never else ""


def _factor(value: Any) -> str:
    text = str(value).strip()
    try:
        number = Decimal(text.removesuffix("%"))
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number such as 1.5 or 80%") from None
    if not number.is_finite() or not 0 <= number <= 10_000:
        raise ValueError("a factor lies between 0 and 10,000")
    return text


def factor_of(text: str) -> Fraction:
    """``1.5`` or ``150%`` as an exact number."""
    number = Fraction(Decimal(text.removesuffix("%")))
    return number / 100 if text.endswith("%") else number


Factor = Annotated[str, BeforeValidator(_factor)]


class ScaleDemand(Edit):
    """A queue's waiting gangs become more (copies, spread evenly over them) or fewer (evenly thinned out).

    With ``service`` the demand of an online service is scaled instead, which a schedule looks at.
    """

    kind: ClassVar[str] = "scale_demand"
    queue: str = ""
    service: str = ""
    factor: Factor

    @model_validator(mode="after")
    def _one_target(self) -> ScaleDemand:
        if bool(self.queue) == bool(self.service):
            raise ValueError("say 'queue' or 'service'")
        return self

    def apply(self, situation: Situation) -> Situation:
        """Add copies or take gangs away; half a gang counts as one."""
        if self.service:
            return replace(situation, online=(*situation.online, (self.service, self.factor)))
        waiting, target = self._waiting(situation)
        if target >= len(waiting):
            return copies_of(situation, _spread(waiting, target - len(waiting))).added_to(situation)
        kept = {i * len(waiting) // target for i in range(target)}
        gone = {one.full_name for i, one in enumerate(waiting) if i not in kept}
        return _without(situation, gone)

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Remove the copies; gangs that were taken away do not come back, nor does a service's demand."""
        if self.service:
            return None
        waiting, target = self._waiting(before)
        if target < len(waiting):
            return None
        made = copies_of(before, _spread(waiting, target - len(waiting))).gangs
        return (RemoveGangs(gangs=tuple(one.full_name for one in made)),) if made else ()

    def text(self, say: Say = english) -> str:
        """``demand of queue eval × 1.5``."""
        factor = str(self.factor)
        if self.service:
            return say(
                "demand of service {service} × {factor}", service=self.service, factor=factor
            )
        return say("demand of queue {queue} × {factor}", queue=str(self.queue), factor=factor)

    def _waiting(self, situation: Situation) -> tuple[list[Gang], int]:
        queues = situation.snapshot.queue_by_name
        if self.queue not in queues:
            raise unknown("queue", self.queue, queues)
        waiting = [
            one
            for one in situation.snapshot.gangs
            if one.queue == self.queue and waits(situation, one)
        ]
        waiting.sort(key=lambda one: (one.created, one.full_name))
        scaled = factor_of(self.factor) * len(waiting)
        return waiting, int(scaled + Fraction(1, 2))


def _spread(gangs: list[Gang], copies: int) -> list[tuple[Gang, int]]:
    """So many copies in all, the same number of each gang up to one."""
    if not gangs:
        return []
    each, more = divmod(copies, len(gangs))
    first = {i * len(gangs) // more for i in range(more)} if more else set()
    return [(one, each + (i in first)) for i, one in enumerate(gangs)]


def _without(situation: Situation, names: set[str]) -> Situation:
    snapshot = situation.snapshot
    return situation.holding(
        gangs=[one for one in snapshot.gangs if one.full_name not in names],
        pods=[pod for pod in snapshot.pods if pod.gang not in names],
    )


def known_queue(situation: Situation, name: str) -> str:
    """The name of a queue that exists.

    Raises
    ------
    EditError
        There is none; the nearest is suggested.
    """
    queues = situation.snapshot.queue_by_name
    if name not in queues:
        raise unknown("queue", name, queues)
    return name


def refuse_taken(situation: Situation, full_name: str) -> None:
    """Stop where a gang of this name exists.

    Raises
    ------
    EditError
        It does.
    """
    if full_name in situation.snapshot.gang_by_name:
        raise EditError(
            f"gang {full_name!r} is there already", "use multiply for copies, or another name"
        )


EDITS: tuple[type[Edit], ...] = (RemoveGangs, Multiply, Reprioritise, ScaleDemand)
