"""Taints and tolerations that Kubernetes would refuse: written by hand, they mean nothing, and nobody says so."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.selectors import BLOCKING_EFFECTS, TOLERATION_OPERATORS, Toleration

EFFECTS = (*BLOCKING_EFFECTS, "PreferNoSchedule")


def taint_effect_unknown(subject: Subject) -> Iterator[Hit]:
    """A taint of a node has an effect that Kubernetes does not know: it closes the node to nobody."""
    for node in subject.snapshot.nodes:
        wrong = [
            f"{taint.key}:{taint.effect or '(none)'}{_near(taint.effect, EFFECTS)}"
            for taint in node.taints
            if taint.effect not in EFFECTS
        ]
        if wrong:
            yield Hit(
                f"node/{node.name}",
                f"node {node.name} has {counted(len(wrong), 'taint')} with an unknown effect, "
                f"which closes it to nobody: {names_text(wrong)}",
                amount=len(wrong),
            )


def toleration_unknown(subject: Subject) -> Iterator[Hit]:
    """A toleration of a waiting pod has an effect or operator that Kubernetes does not know: it tolerates nothing."""
    for demand in subject.demands:
        wrong = [fault for one in demand.spec.tolerations for fault in _faults(one)]
        if wrong:
            yield Hit(
                demand.owner,
                f"{counted(demand.count, 'pod')} of {demand.owner.partition('/')[2]} "
                f"{'has' if demand.count == 1 else 'each have'} {counted(len(wrong), 'toleration')} "
                f"that {'covers' if len(wrong) == 1 else 'cover'} no taint: {names_text(wrong)}",
                amount=demand.count,
            )


def _faults(one: Toleration) -> Iterator[str]:
    what = one.key or "(every key)"
    if one.operator not in TOLERATION_OPERATORS:
        near = _near(one.operator, TOLERATION_OPERATORS)
        yield f"{what} with operator {one.operator}{near}"
    elif one.effect and one.effect not in EFFECTS:
        yield f"{what} with effect {one.effect}{_near(one.effect, EFFECTS)}"


def _near(written: str, known: Iterable[str]) -> str:
    """Known words by their lower case: what people mistype is mostly that."""
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(written.lower(), by_lower, n=1)
    return f" (is {by_lower[near[0]]} meant?)" if near else ""


CHECKS = (
    Check(
        "taint_effect_unknown",
        "warning",
        "A taint of a node has an effect that is none of NoSchedule, PreferNoSchedule and NoExecute; it closes "
        "the node to nobody.",
        "write NoSchedule, PreferNoSchedule or NoExecute",
        noun="nodes",
        phrase="have {total} taints with an unknown effect, which close them to nobody",
        see_all="kubectl get nodes -o yaml",
        find=taint_effect_unknown,
    ),
    Check(
        "toleration_unknown",
        "warning",
        "A toleration of waiting pods has an operator other than Equal and Exists, or an unknown effect; it covers no "
        "taint.",
        "write operator Equal or Exists, and effect NoSchedule, PreferNoSchedule, NoExecute or none",
        noun="gangs and pods",
        phrase="have tolerations that cover no taint ({total} pods)",
        see_all="kubectl get pods -A -o yaml",
        find=toleration_unknown,
    ),
)
