"""Selectors of edits: exact names, globs, labels, pools, GPU models, queues.

A selector is one text or a list of them (their union):

- ``gpu-017``, ``gpu-0*``: node names; ``team/train-7``, ``team/*``, ``train-7``: gangs;
- ``pool/b``, ``model/H100*``: nodes by pool and GPU model; a plain word that names no node is looked for there too;
- ``zone=a,tier!=test``: labels; ``queue/eval``: the gangs of a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, TypeVar

from pydantic import AfterValidator

from models.cluster import Node
from models.edits.edit import EditError, Situation
from models.edits.suggest import unknown
from models.gpu import gpu_model, whole_gpu_names
from models.pools import pool_of
from models.workloads import Gang

T = TypeVar("T")


def _listed(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value
    if not texts or any(not text.strip() for text in texts):
        raise ValueError("name at least one object")
    return value


Selector = Annotated[str | tuple[str, ...], AfterValidator(_listed)]


def shown(selector: str | Sequence[str]) -> str:
    """A selector as text."""
    return selector if isinstance(selector, str) else ", ".join(selector)


def select_nodes(situation: Situation, selector: str | Sequence[str]) -> tuple[Node, ...]:
    """Nodes that a selector names, in the snapshot's order.

    Raises
    ------
    EditError
        One of its texts names no node; the nearest name is suggested.
    """
    return _union(situation.snapshot.nodes, selector, lambda text: _nodes(situation, text))


def select_gangs(situation: Situation, selector: str | Sequence[str]) -> tuple[Gang, ...]:
    """Gangs that a selector names, in the snapshot's order.

    Raises
    ------
    EditError
        One of its texts names no gang; the nearest name is suggested.
    """
    return _union(situation.snapshot.gangs, selector, lambda text: _gangs(situation, text))


def _union(
    every: Sequence[T], selector: str | Sequence[str], find: Callable[[str], Iterable[T]]
) -> tuple[T, ...]:
    texts = (selector,) if isinstance(selector, str) else selector
    wanted = {id(one) for text in texts for one in find(text.strip())}
    return tuple(one for one in every if id(one) in wanted)


def _nodes(situation: Situation, text: str) -> list[Node]:
    nodes = situation.snapshot.nodes
    if _is_labels(text):
        return _by_labels(nodes, lambda node: node.labels, text, "node")
    rule = situation.policy.policy.gpu_models
    names = whole_gpu_names(rule)
    pools = {node.name: pool_of(node, rule, names) for node in nodes}
    models = {node.name: gpu_model(node, rule) for node in nodes}
    family, slash, rest = text.partition("/")
    if slash and family in ("pool", "model"):
        values = pools if family == "pool" else models
        found = [node for node in nodes if _like(values[node.name], rest)]
        if not found:
            raise unknown(
                "pool" if family == "pool" else "GPU model", rest, filter(None, values.values())
            )
        return found
    for values in ({node.name: node.name for node in nodes}, pools, models):
        found = [node for node in nodes if _like(values[node.name], text)]
        if found:
            return found
    part = [node for node in nodes if text.casefold() in models[node.name].casefold()]
    if part:
        return part
    known = {*pools, *filter(None, pools.values()), *filter(None, models.values())}
    raise unknown("node, pool or GPU model", text, known)


def _gangs(situation: Situation, text: str) -> list[Gang]:
    gangs = situation.snapshot.gangs
    if _is_labels(text):
        return _by_labels(gangs, lambda gang: gang.labels, text, "gang")
    if text.startswith("queue/"):
        return _of_queue(situation, text.removeprefix("queue/"))
    exact = situation.snapshot.gang_by_name.get(text)
    if exact is not None:
        return [exact]
    found = [gang for gang in gangs if _like(gang.full_name, text)]
    if not found and "/" not in text:
        found = [gang for gang in gangs if _like(gang.name, text)]
    if not found:
        raise unknown("gang", text, (gang.full_name for gang in gangs))
    return found


def _of_queue(situation: Situation, name: str) -> list[Gang]:
    found = [gang for gang in situation.snapshot.gangs if _like(gang.queue, name)]
    if not found:
        queues = situation.snapshot.queue_by_name
        if not any(_like(one, name) for one in queues):
            raise unknown("queue", name, queues)
        raise EditError(f"queue {name!r} holds no gang", "name a queue that does")
    return found


def _like(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name.casefold(), pattern.casefold())


def _is_labels(text: str) -> bool:
    return "=" in text or text.startswith("!")


def _by_labels(
    every: Sequence[T], labels: Callable[[T], Mapping[str, str]], text: str, what: str
) -> list[T]:
    tests = [_label_test(part.strip(), text) for part in text.split(",")]
    found = [one for one in every if all(test(labels(one)) for test in tests)]
    if not found:
        keys = sorted({key for one in every for key in labels(one)})
        wanted = text.partition("=")[0].rstrip("!= ")
        hint = unknown("label", wanted, keys).remedy if wanted not in keys else "look at its values"
        raise EditError(f"no {what} has the labels {text!r}", hint)
    return found


def _label_test(part: str, text: str) -> Callable[[Mapping[str, str]], bool]:
    """One requirement of a label selector as kubectl writes it; values may be globs."""
    if part.startswith("!"):
        return lambda labels: part[1:].strip() not in labels
    key, sign, value = part.partition("!=") if "!=" in part else part.partition("=")
    key, value = key.strip(), value.removeprefix("=").strip()
    if not key:
        raise EditError(f"label selector {text!r} has no key", "write key=value,other!=value")
    if not sign:
        return lambda labels: key in labels
    if sign == "!=":
        return lambda labels: labels.get(key) != value
    return lambda labels: key in labels and fnmatchcase(labels[key], value)
