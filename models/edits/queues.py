"""Edits of queues: weight, amounts, place in the tree, and whole queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field

from models.checks.wording import counted
from models.edits.edit import Edit, EditError, Situation
from models.edits.quantities import Number, changed_amounts, changed_number, quantity_text
from models.edits.suggest import unknown
from models.queues import DEFAULT_QUEUE, ROOT_QUEUE, NodeGroupRules, Queue
from models.resources import NO_RESOURCES, Resources
from models.spoken import Say, english

Amounts = Mapping[str, str | int | None]
AMOUNT_FIELDS = ("deserved", "guarantee", "capability")
PLAIN_FIELDS = ("weight", "parent", "reclaimable", "priority", "state")
QUEUE_NAME = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"


class _QueueFields(Edit):
    """What can be said of a queue. Amounts merge by resource: null takes one from the list, ``+8`` adds to it.

    ``node_groups`` lists all groups that the queue requires, null takes its rules on node groups away.
    """

    weight: Number | None = None
    deserved: Amounts | None = None
    guarantee: Amounts | None = None
    capability: Amounts | None = None
    parent: str | None = None
    reclaimable: bool | None = None
    priority: int | None = None
    state: str | None = Field(default=None, pattern="^(Open|Closed)$")
    node_groups: tuple[str, ...] | None = None

    def _applied(self, queue: Queue, situation: Situation) -> Queue:
        fields: dict[str, Any] = {"implicit": False}
        for name in self.model_fields_set & set(AMOUNT_FIELDS):
            amounts = getattr(self, name)
            now = getattr(queue, name)
            fields[name] = (
                NO_RESOURCES if amounts is None else changed_amounts(now, amounts, situation)
            )
        for name in self.model_fields_set & set(PLAIN_FIELDS):
            value = getattr(self, name)
            if value is None:
                raise EditError(f"{name} cannot be null", "leave it out to keep what it is")
            fields[name] = changed_number(queue.weight, value) if name == "weight" else value
        if "node_groups" in self.model_fields_set:
            rules = queue.node_groups or NodeGroupRules()
            groups = self.node_groups
            kept = tuple(one for one in rules.anti_required if one not in (groups or ()))
            changed_rules = replace(rules, required=groups or (), anti_required=kept)
            fields["node_groups"] = None if groups is None else changed_rules
        if fields.get("weight", 1) < 1:
            raise EditError(f"weight would be {fields['weight']}", "a queue's weight is 1 or more")
        changed = replace(queue, **fields)
        if "parent" in fields:
            _check_parent(changed, situation)
        return changed

    def _said(self, say: Say) -> str:
        told = []
        for name in (*PLAIN_FIELDS, "node_groups", *AMOUNT_FIELDS):
            if name in self.model_fields_set:
                value = getattr(self, name)
                if isinstance(value, Mapping):
                    told += [f"{name} {key} {_said(amount, say)}" for key, amount in value.items()]
                else:
                    told.append(f"{name} {_said(value, say)}")
        return ", ".join(told)


def _said(value: Any, say: Say) -> str:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or say("none")
    return say("not listed") if value is None else str(value)


def _check_parent(queue: Queue, situation: Situation) -> None:
    queues = situation.snapshot.queue_by_name
    seen = {queue.name}
    name = queue.parent_name
    while name and name != ROOT_QUEUE:
        if name in seen:
            raise EditError(
                f"queue {queue.name!r} would be its own ancestor", "choose another parent"
            )
        if name not in queues:
            raise unknown("queue", name, queues)
        seen.add(name)
        name = queues[name].parent_name


def _queue(situation: Situation, name: str) -> Queue:
    queues = situation.snapshot.queue_by_name
    if name not in queues:
        raise unknown("queue", name, queues)
    return queues[name]


class SetQueue(_QueueFields):
    """Another weight, deserved, guarantee, capability, parent, reclaimable, priority or state of a queue."""

    kind: ClassVar[str] = "set_queue"
    queue: str

    def apply(self, situation: Situation) -> Situation:
        """Change the queue."""
        changed = self._applied(_queue(situation, self.queue), situation)
        others = [one for one in situation.snapshot.queues if one.name != self.queue]
        return situation.holding(queues=[*others, changed])

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Set the old values again; a queue that was not listed leaves the list. Node groups have no way back."""
        if "node_groups" in self.model_fields_set:
            return None
        old, new = _queue(before, self.queue), _queue(self.apply(before), self.queue)
        if old.implicit:
            return (DeleteQueue(queue=self.queue),)
        fields: dict[str, Any] = {
            name: getattr(old, name) for name in self.model_fields_set & set(PLAIN_FIELDS)
        }
        for name in self.model_fields_set & set(AMOUNT_FIELDS):
            fields[name] = _way_back(getattr(new, name), getattr(old, name))
        return (SetQueue(queue=self.queue, **fields),)

    def text(self, say: Say = english) -> str:
        """``queue eval: weight 4``."""
        fields = self._said(say) or say("as it is")
        return say("queue {queue}: {fields}", queue=self.queue, fields=fields)


def _way_back(new: Resources, old: Resources) -> dict[str, str | None]:
    return {
        key: quantity_text(key, old[key]) if key in old else None
        for key in sorted(set(new) | set(old))
    }


class CreateQueue(_QueueFields):
    """A queue that is not there yet."""

    kind: ClassVar[str] = "create_queue"
    queue: str = Field(min_length=1, pattern=QUEUE_NAME, max_length=253)

    def apply(self, situation: Situation) -> Situation:
        """Add the queue."""
        if any(one.name == self.queue for one in situation.snapshot.queues):
            raise EditError(f"queue {self.queue!r} is there already", "use set_queue to change it")
        created = self._applied(Queue(self.queue), situation)
        return situation.holding(queues=[*situation.snapshot.queues, created])

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Delete it again."""
        return (DeleteQueue(queue=self.queue),)

    def text(self, say: Say = english) -> str:
        """``new queue night: weight 2``."""
        fields = self._said(say) or "weight 1"
        return say("new queue {queue}: {fields}", queue=self.queue, fields=fields)


class DeleteQueue(Edit):
    """A queue leaves; its gangs move to another one."""

    kind: ClassVar[str] = "delete_queue"
    queue: str
    move_gangs_to: str | None = None

    def apply(self, situation: Situation) -> Situation:
        """Delete the queue."""
        snapshot = situation.snapshot
        _queue(situation, self.queue)
        children = [one.name for one in snapshot.queues if one.parent_name == self.queue]
        if children:
            raise EditError(
                f"queue {self.queue!r} is the parent of {', '.join(children)}",
                "set another parent of these queues first",
            )
        held = [one for one in snapshot.gangs if one.queue == self.queue and not one.finished]
        if held and self.move_gangs_to is None and self.queue != DEFAULT_QUEUE:
            raise EditError(
                f"queue {self.queue!r} still holds {counted(len(held), 'gang')}",
                "say move_gangs_to: QUEUE, or remove the gangs first",
            )
        target = self.queue
        if self.move_gangs_to is not None:
            target = _queue(situation, self.move_gangs_to).name
            if target == self.queue:
                raise EditError("gangs cannot move to the queue that leaves", "name another queue")
        return situation.holding(
            queues=[one for one in snapshot.queues if one.name != self.queue],
            gangs=[
                replace(one, queue=target) if one.queue == self.queue and not one.finished else one
                for one in snapshot.gangs
            ],
        )

    def inverse(self, before: Situation) -> tuple[Edit, ...] | None:
        """Create it again, where it held no gang and has nothing that an edit cannot say."""
        old = _queue(before, self.queue)
        held = any(one.queue == self.queue for one in before.snapshot.gangs)
        fields: dict[str, Any] = {name: getattr(old, name) for name in PLAIN_FIELDS}
        for name in AMOUNT_FIELDS:
            amounts = getattr(old, name)
            fields[name] = {key: quantity_text(key, value) for key, value in amounts.items()}
        again = CreateQueue(queue=self.queue, **fields)
        if held or again._applied(Queue(self.queue), before) != old:
            return None
        return (again,)

    def text(self, say: Say = english) -> str:
        """``delete queue night, its gangs go to eval``."""
        if not self.move_gangs_to:
            return say("delete queue {queue}", queue=self.queue)
        return say(
            "delete queue {queue}, its gangs go to {other}",
            queue=self.queue,
            other=self.move_gangs_to,
        )


EDITS: tuple[type[Edit], ...] = (SetQueue, CreateQueue, DeleteQueue)
