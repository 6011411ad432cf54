"""Copies of gangs: the same work once more, waiting, under free names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.edits.edit import Situation
from models.edits.pods_away import waiting_again
from models.workloads import FINISHED_PHASES, Gang, Pod


@dataclass(frozen=True)
class Copies:
    """Gangs with their pods that are about to be added."""

    gangs: tuple[Gang, ...] = ()
    pods: tuple[Pod, ...] = ()

    def added_to(self, situation: Situation) -> Situation:
        """The situation with them."""
        return situation.holding(
            gangs=[*situation.snapshot.gangs, *self.gangs],
            pods=[*situation.snapshot.pods, *self.pods],
        )


def copies_of(situation: Situation, plan: Sequence[tuple[Gang, int]]) -> Copies:
    """So many copies of each gang, named ``NAME-x2``, ``NAME-x3`` … and created now."""
    taken = set(situation.snapshot.gang_by_name)
    pod_names = set(situation.snapshot.pod_by_name)
    gangs: list[Gang] = []
    pods: list[Pod] = []
    for gang, count in plan:
        own = situation.snapshot.pods_of(gang)
        number = 1
        made = 0
        while made < count:
            number += 1
            name = f"{gang.name}-x{number}"
            if f"{gang.namespace}/{name}" in taken:
                continue
            made += 1
            taken.add(f"{gang.namespace}/{name}")
            copy, members = _copy(situation, gang, own, name, number, pod_names)
            gangs.append(copy)
            pods += members
    return Copies(tuple(gangs), tuple(pods))


def _copy(
    situation: Situation,
    gang: Gang,
    pods: Sequence[Pod],
    name: str,
    number: int,
    pod_names: set[str],
) -> tuple[Gang, list[Pod]]:
    created = situation.policy.now
    copy = replace(
        gang,
        name=name,
        aliases=(),
        created=created,
        phase="Inqueue" if gang.phase else "",
        finished=False,
        retry_count=0,
        reported_running=0,
    )
    members = []
    for pod in pods:
        if pod.phase in FINISHED_PHASES or pod.terminating:
            continue
        again = replace(
            waiting_again(pod), gang=copy.full_name, owner_name="", created=created, restarts=0
        )
        step = number
        while f"{pod.namespace}/{pod.name}-x{step}" in pod_names:
            step += 1
        pod_names.add(f"{pod.namespace}/{pod.name}-x{step}")
        members.append(replace(again, name=f"{pod.name}-x{step}"))
    return copy, members


def waits(situation: Situation, gang: Gang) -> bool:
    """The gang asks for pods and none of its pods runs."""
    return not gang.asks_nothing and not any(
        pod.running for pod in situation.snapshot.pods_of(gang)
    )
