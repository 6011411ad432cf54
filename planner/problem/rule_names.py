"""Names of dimensions that stand for a rule and not for a resource of a node.

``rule/<weight>/<noun>``: a node has ``weight`` of it, and so many units are one ``noun`` in the words of a reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from models.resources import Resources

RULE_PREFIX: Final = "rule/"
DOMAIN_PREFIX: Final = "rule/domain/"
_PORT_PREFIX: Final = f"{RULE_PREFIX}1/node without a pod on host port "


def rule_name(weight: int, noun: str) -> str:
    """Name of a dimension; ``noun`` is singular and its first word has a regular plural."""
    return f"{RULE_PREFIX}{weight}/{noun}"


def port_room(words: str) -> str:
    """Name of a room for host ports; pods that take one of them ask for 1."""
    return f"{_PORT_PREFIX}{words}"


def is_port_room(name: str) -> bool:
    """Whether a dimension stands for host ports."""
    return name.startswith(_PORT_PREFIX)


def domain_name(noun: str) -> str:
    """Name under which pods ask for a room that a domain shares; no dimension of a node."""
    return f"{DOMAIN_PREFIX}{noun}"


def is_shared(name: str) -> bool:
    """Whether a name stands for a room that a domain shares."""
    return name.startswith(DOMAIN_PREFIX)


def is_rule(name: str) -> bool:
    """Whether a dimension or label key stands for a rule."""
    return name.startswith(RULE_PREFIX)


def rule_text(name: str, amount: int) -> str:
    """``3 nodes without app=train``; amounts below a whole one are called a part."""
    weight, _, noun = name.removeprefix(RULE_PREFIX).partition("/")
    number = amount // int(weight)
    if not number and amount:
        return f"part of a {noun}"
    first, space, rest = noun.partition(" ")
    return f"{number:,} {first}{'' if number == 1 else 's'}{space}{rest}"


def rule_noun(name: str) -> str:
    """``nodes without app=train``."""
    return rule_text(name, 2 * int(name.split("/")[1])).partition(" ")[2]


def resources_only(request: Resources) -> Resources:
    """A request without what stands for rules."""
    if not any(map(is_rule, request)):
        return request
    return Resources({name: amount for name, amount in request.items() if not is_rule(name)})


def names_only(names: Iterable[str]) -> list[str]:
    """Dimensions that are resources, in their order."""
    return [name for name in names if not is_rule(name)]
