"""Topology domains in the plan document: of every node, and how many each gang uses."""

from __future__ import annotations

from models.workloads import Gang
from planner.encode.prepared import Prepared
from planner.problem.topology import TopologyForest
from planner.reduce.disaggregate import Assignment


def domain_path(prepared: Prepared, node: int) -> str:
    """``spine/leaf``: the domains that hold a node, the widest first; "" for none."""
    return path_in(prepared.problem.topology, node)


def path_in(forest: TopologyForest, node: int) -> str:
    """The same, in the forest of a snapshot that is not prepared."""
    path = forest.path(node)
    # A label's domain is named by the whole path already.
    return path[-1] if path and path[-1].startswith("/".join(path[:-1]) + "/") else "/".join(path)


def domains_of_gangs(prepared: Prepared, assignment: Assignment) -> dict[str, dict[str, int]]:
    """Gang that receives pods to level to the domains that hold its pods after the plan, running ones included."""
    problem, gone = prepared.problem, frozenset(assignment.evicted)
    if not problem.topology.levels:
        return {}
    number = {name: index for index, name in enumerate(problem.node_names)}
    found: dict[str, dict[str, int]] = {}
    for index, items in assignment.pods.items():
        nodes = {node for spots in items.values() for node, count in spots if count}
        if not nodes:
            continue
        gang = problem.demands[index].gang
        for pod in prepared.cases[gang].pods:
            if pod.running and pod.full_name not in gone and pod.node in number:
                nodes.add(number[pod.node])
        found[problem.gang_names[gang]] = {
            level.name: level.count(nodes) for level in problem.topology.levels
        }
    return found


def asked_topology(gang: Gang) -> str:
    """``hard, tier 1``, ``hard, tier leaf``, ``soft``, or "" where neither the gang nor a subgroup asks for one."""
    rules = [gang.topology, *(policy.topology for policy in gang.subgroups)]
    found = []
    for place, rule in enumerate(rules):
        if rule is None:
            continue
        tier = (
            rule.highest_tier_name
            if rule.highest_tier_allowed is None
            else str(rule.highest_tier_allowed)
        )
        whose = "subgroups " if place else ""
        found.append(f"{whose}hard, tier {tier}" if rule.binds else f"{whose}soft")
    return "; ".join(dict.fromkeys(found))
