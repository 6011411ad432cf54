"""Names of levels that nothing has: labels of the policy's ``topology_labels``, tiers that gangs allow."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.workloads import Gang


def topology_label_unknown(subject: Subject) -> Iterator[Hit]:
    """No node carries a label of ``topology_labels``; not looked at where HyperNodes go first."""
    snapshot = subject.snapshot
    if not snapshot.nodes or snapshot.hyper_nodes:
        return
    known = {key for node in snapshot.nodes for key in node.labels}
    for key in subject.policy.policy.topology_labels:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), 1)
            yield Hit(
                f"policy/topology_labels/{key}",
                f"topology_labels of the policy names {key!r}, but no node has such a label: the level is empty",
                remedy=f"did you mean {near[0]!r}? correct topology_labels" if near else "",
            )


def topology_tier_unknown(subject: Subject) -> Iterator[Hit]:
    """A hard topology names a tier that no HyperNode has; one hit per name."""
    snapshot = subject.snapshot
    known = {one.tier_name for one in snapshot.hyper_nodes if one.tier_name}
    known.update(subject.policy.policy.topology_labels if not snapshot.hyper_nodes else ())
    owners: dict[str, list[str]] = {}
    for gang in subject.live_gangs:
        for name in sorted(_tier_names(gang) - known):
            owners.setdefault(name, []).append(gang.full_name)
    for name, gangs in sorted(owners.items()):
        near = difflib.get_close_matches(name, sorted(known), 1, 0.5)
        yield Hit(
            f"gang/{gangs[0]}",
            f"{counted(len(gangs), 'gang')} ({names_text(gangs)}) must stay inside one domain of tier {name!r}, "
            "but no HyperNode has such a tierName: nothing binds",
            remedy=f"did you mean {near[0]!r}? correct highestTierName" if near else "",
        )


def _tier_names(gang: Gang) -> set[str]:
    rules = [gang.topology, *(one.topology for one in gang.subgroups)]
    named = [one for one in rules if one is not None and one.highest_tier_allowed is None]
    return {one.highest_tier_name for one in named if one.mode == "hard"} - {""}


CHECKS = (
    Check(
        "topology_label_unknown",
        "warning",
        "`topology_labels` of the policy names a label that no node has, so that level of the topology is empty.",
        "correct topology_labels of the policy, or label the nodes",
        find=topology_label_unknown,
    ),
    Check(
        "topology_tier_unknown",
        "warning",
        "A hard topology names a tier (`highestTierName`) that no HyperNode has: it binds nothing. One finding "
        "per name.",
        "correct highestTierName, or give the HyperNodes their tierName",
        noun="tier names",
        phrase="are asked for by gangs, but no HyperNode has them",
        see_all="kubectl get hypernodes -o yaml",
        listed=LISTED_GROUPS,
        find=topology_tier_unknown,
    ),
)
