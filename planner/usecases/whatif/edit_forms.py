"""Edits by small forms: what each kind asks for, and the edits that answers make.

Labels are texts of the message catalog; answers come as text, as somebody types or chooses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from models.edits.catalogue import edit_from
from models.edits.edit import Edit, EditError
from models.edits.short import short_edits
from models.findings import InputError
from planner.usecases.inputs.policies import load_yaml

Asks = Literal["nodes", "gangs", "queue", "text", "number", "choice", "policy_key"]
Answers = Mapping[str, str]
Made = tuple[Edit, ...]


@dataclass(frozen=True)
class Input:
    """One field of a form.

    Attributes
    ----------
    asks
        What is named or typed; names come with suggestions.
    start
        What stands in the field at first.
    options
        What a ``choice`` chooses from, as value to label.
    needed
        The form makes nothing while it is empty.
    """

    key: str
    label: str
    asks: Asks
    start: str = ""
    options: tuple[tuple[str, str], ...] = ()
    needed: bool = True


@dataclass(frozen=True)
class EditForm:
    """One way to make edits."""

    key: str
    label: str
    inputs: tuple[Input, ...]
    make: Callable[[Answers], Made]

    def edits(self, answers: Answers) -> Made:
        """The edits of the answers.

        Raises
        ------
        EditError
            Something needed is missing, or a value does not suit.
        """
        given = {key: str(value or "").strip() for key, value in answers.items()}
        for one in self.inputs:
            if one.needed and not given.get(one.key):
                raise EditError(f"{self.label}: {one.label} is empty", "fill in this field")
        return self.make(given)


NODES = Input("nodes", "Nodes", "nodes")
GANGS = Input("gangs", "Gang", "gangs")
QUEUE = Input("queue", "Queue", "queue")
QUEUE_FIELDS = (
    ("weight", "weight"),
    ("deserved.gpu", "deserved GPUs"),
    ("guarantee.gpu", "guarantee GPUs"),
    ("capability.gpu", "capability GPUs"),
    ("deserved.cpu", "deserved CPUs"),
    ("capability.cpu", "capability CPUs"),
    ("reclaimable", "reclaimable"),
    ("priority", "priority"),
    ("parent", "parent"),
    ("state", "state"),
)


def _on_nodes(key: str, label: str, kind: str) -> EditForm:
    return EditForm(
        key, label, (NODES,), lambda given: (edit_from({kind: {"nodes": given["nodes"]}}),)
    )


def _add_nodes(given: Answers) -> Made:
    return (edit_from({"add_nodes": {"like": given["nodes"], "count": given["count"]}}),)


def _set_queue(given: Answers) -> Made:
    value: Any = given["value"]
    if given["field"] == "reclaimable":
        value = value.casefold() in ("true", "yes", "1")
    elif value.casefold() in ("none", "null"):
        value = None
    return short_edits(f"queue/{given['queue']}.{given['field']}", value)


def _new_queue(given: Answers) -> Made:
    content: dict[str, Any] = {"queue": given["name"], "weight": given["weight"]}
    for key in ("deserved", "capability"):
        if given[key]:
            content[key] = {"gpu": given[key]}
    return (edit_from({"create_queue": content}),)


def _delete_queue(given: Answers) -> Made:
    target = {"move_gangs_to": given["target"]} if given["target"] else {}
    return (edit_from({"delete_queue": {"queue": given["queue"], **target}}),)


def _new_gangs(given: Answers) -> Made:
    asked = {"gpu": given["gpus"], "cpu": given["cpus"], "memory": given["memory"]}
    content: dict[str, Any] = {
        "name": given["name"],
        "queue": given["queue"],
        "count": given["count"],
        "members": given["members"],
        "resources": {key: value for key, value in asked.items() if value},
        "priority": given["priority"],
    }
    return (edit_from({"add_gangs": content}),)


def _of_gangs(kind: str, field: str) -> Callable[[Answers], Made]:
    return lambda given: (edit_from({kind: {"gangs": given["gangs"], field: given["value"]}}),)


def _placed(family: str) -> Callable[[Answers], Made]:
    return lambda given: short_edits(f"{family}/{given['gangs']}", given["nodes"])


def _policy(given: Answers) -> Made:
    try:
        value = load_yaml(given["value"], given["key"])
    except InputError as error:
        raise EditError(str(error), error.findings[0].remedy) from error
    return (edit_from({"set_policy": {given["key"]: value}}),)


def _scale(given: Answers) -> Made:
    return (edit_from({"scale_demand": {"queue": given["queue"], "factor": given["factor"]}}),)


FORMS: tuple[EditForm, ...] = (
    EditForm(
        "set_queue",
        "Change a queue",
        (
            QUEUE,
            Input("field", "Field", "choice", "weight", QUEUE_FIELDS),
            Input("value", "New value, or a change such as +8", "text"),
        ),
        _set_queue,
    ),
    EditForm(
        "add_nodes",
        "Add nodes",
        (
            Input("nodes", "Like these nodes", "nodes"),
            Input("count", "How many", "number", "1"),
        ),
        _add_nodes,
    ),
    _on_nodes("remove_nodes", "Remove nodes", "remove_nodes"),
    _on_nodes("drain", "Drain nodes", "drain"),
    _on_nodes("fail", "Nodes fail", "fail"),
    _on_nodes("uncordon", "Open closed nodes", "uncordon"),
    _on_nodes("repair", "Repair nodes", "repair"),
    EditForm(
        "add_gangs",
        "Add gangs",
        (
            Input("name", "Name", "text", "new-gang"),
            QUEUE,
            Input("count", "How many gangs", "number", "1"),
            Input("members", "Members of each (pods)", "number", "1"),
            Input("gpus", "GPUs per pod", "number", "8", needed=False),
            Input("cpus", "CPUs per pod", "text", "8", needed=False),
            Input("memory", "Memory per pod", "text", "64Gi", needed=False),
            Input("priority", "Priority", "number", "0"),
        ),
        _new_gangs,
    ),
    EditForm(
        "remove_gangs",
        "Remove gangs",
        (GANGS,),
        lambda given: (edit_from({"remove_gangs": {"gangs": given["gangs"]}}),),
    ),
    EditForm(
        "multiply",
        "Multiply a gang",
        (GANGS, Input("value", "Times in all", "number", "2")),
        _of_gangs("multiply", "factor"),
    ),
    EditForm(
        "reprioritise",
        "Change a gang's priority",
        (GANGS, Input("value", "Priority", "number", "1000")),
        _of_gangs("reprioritise", "priority"),
    ),
    EditForm(
        "move_gang",
        "Move a gang to a queue",
        (GANGS, Input("value", "Queue", "queue")),
        _of_gangs("set_gang", "queue"),
    ),
    EditForm(
        "min_member",
        "Change a gang's minimum",
        (GANGS, Input("value", "Minimum (pods), or a change such as -2", "text")),
        _of_gangs("set_gang", "min_member"),
    ),
    EditForm(
        "scale_demand",
        "Scale a queue's waiting gangs",
        (QUEUE, Input("factor", "Factor, such as 1.5 or 80%", "text", "2")),
        _scale,
    ),
    EditForm(
        "scale_service",
        "Scale the demand of a service",
        (
            Input("service", "Online service", "text"),
            Input("factor", "Factor, such as 1.5 or 80%", "text", "1.2"),
        ),
        lambda given: (edit_from({"scale_demand": dict(given)}),),
    ),
    EditForm("pin_gang", "Place a gang only on nodes", (GANGS, NODES), _placed("pin")),
    EditForm("forbid_gang", "Place a gang not on nodes", (GANGS, NODES), _placed("forbid")),
    EditForm(
        "create_queue",
        "New queue",
        (
            Input("name", "Name", "text", "new-queue"),
            Input("weight", "Weight", "number", "1"),
            Input("deserved", "Deserved (GPUs)", "text", needed=False),
            Input("capability", "Capability (GPUs)", "text", needed=False),
        ),
        _new_queue,
    ),
    EditForm(
        "delete_queue",
        "Delete a queue",
        (QUEUE, Input("target", "Its gangs go to", "queue", needed=False)),
        _delete_queue,
    ),
    EditForm(
        "set_policy",
        "Change the policy",
        (
            Input("key", "Key", "policy_key", "evict"),
            Input("value", "Value (YAML)", "text", "[preempt, reclaim]"),
        ),
        _policy,
    ),
)
FORM_BY_KEY: Mapping[str, EditForm] = {one.key: one for one in FORMS}


def form_texts() -> frozenset[str]:
    """Every label, for the message catalog."""
    inputs = [one for form in FORMS for one in form.inputs]
    options = {label for one in inputs for _, label in one.options}
    return frozenset({form.label for form in FORMS} | {one.label for one in inputs} | options)
