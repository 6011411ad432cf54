"""I2, host ports: no newcomer takes a port of a node that another pod there has."""

from __future__ import annotations

from collections.abc import Iterator

from models.host_ports import HostPort
from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import PodSpec
from planner.verify.residents import Resident, residents
from planner.verify.state import State
from planner.verify.wording import violation


def check_host_ports(state: State) -> Iterator[RuleViolation]:
    """Every pair on a node with a newcomer; pods that are there already may stay with each other."""
    by_node: dict[str, list[Resident]] = {}
    for one in residents(state):
        if one.pod.spec.host_ports:
            by_node.setdefault(one.node, []).append(one)
    for node, there in by_node.items():
        for place, comer in enumerate(there):
            others = there if comer.comes else ()
            for at, other in enumerate(others):
                known = other.comes and at < place  # told from the other side
                alone = at == place and comer.count < 2
                port = None if known or alone else shared_port(comer.pod.spec, other.pod.spec)
                if port is not None:
                    told = f"takes host port {port.port}/{port.protocol} of node {node}, which {other.pod.full_name} "
                    told += "takes too; choose another node for one of them"
                    yield violation(RuleId.HOST_PORTS, f"pod/{comer.pod.full_name}", told)
                    break


def shared_port(first: PodSpec, second: PodSpec) -> HostPort | None:
    """A port that two pods cannot both have on one node, if there is one."""
    for one in first.host_ports:
        for other in second.host_ports:
            same = (one.port, one.protocol) == (other.port, other.protocol)
            if same and (one.ip == other.ip or not one.ip or not other.ip):
                return one
    return None
