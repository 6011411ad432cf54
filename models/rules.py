"""The catalogue of rules: one id for the constraint, the check, the sentence and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from models.schedule_rules import SENTENCES


class RuleId(StrEnum):
    """Stable names of the rules that a plan must satisfy."""

    NODE_CAPACITY = "node_capacity"
    CARD_PACKING = "card_packing"
    NODE_PREDICATES = "node_predicates"
    POD_ANTI_AFFINITY = "pod_anti_affinity"
    HOST_PORTS = "host_ports"
    POD_AFFINITY = "pod_affinity"
    TOPOLOGY_SPREAD = "topology_spread"
    DOMAIN_RESOURCES = "domain_resources"
    POD_PLACEABLE = "pod_placeable"
    GANG_READY = "gang_ready"
    ROLE_MINIMUM = "role_minimum"
    SUBGROUP_COMPLETE = "subgroup_complete"
    POD_SUPPLY = "pod_supply"
    QUEUE_LIMIT = "queue_limit"
    QUEUE_OPEN = "queue_open"
    ADMISSION = "admission"
    HARD_TOPOLOGY = "hard_topology"
    TOPOLOGY_PREFILTER = "topology_prefilter"
    UNSUPPORTED_WAITS = "unsupported_waits"
    NO_EVICTION = "no_eviction"
    VICTIM_PROTECTED = "victim_protected"
    VICTIM_CAUSE = "victim_cause"
    VICTIM_ENTITLEMENT = "victim_entitlement"
    GUARANTEE_KEPT = "guarantee_kept"
    DISRUPTION_BUDGET = "disruption_budget"
    VICTIM_NEEDED = "victim_needed"
    NO_UNDOING = "no_undoing"
    NO_MOVE = "no_move"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its invariant of the conformance cases, a sentence for people, and whether the model has a row."""

    id: RuleId
    invariant: str
    sentence: str
    constraint: bool = True


CATALOGUE: tuple[Rule, ...] = (
    Rule(
        RuleId.NODE_CAPACITY,
        "I1",
        "On every node that receives a pod, requests stay within allocatable, pods included.",
    ),
    Rule(
        RuleId.CARD_PACKING,
        "I1",
        "A share sits on one GPU card with room for it, several cards of a pod differ, a whole GPU is an unused card.",
    ),
    Rule(
        RuleId.NODE_PREDICATES,
        "I2",
        "Selectors, required node affinity, taints, readiness, node groups and zones admit each pod to its node.",
    ),
    Rule(
        RuleId.POD_ANTI_AFFINITY,
        "I2",
        "Required anti-affinity of a pod, new or running, keeps the pods it selects out of its domain of the key.",
    ),
    Rule(
        RuleId.HOST_PORTS,
        "I2",
        "A new pod's host ports are taken by no other pod of its node: same port and protocol, same or any address.",
    ),
    Rule(
        RuleId.POD_AFFINITY,
        "I2",
        "New pods with required affinity can come one by one, each into domains of the pods that it asks for.",
    ),
    Rule(
        RuleId.TOPOLOGY_SPREAD,
        "I2",
        "A domain that receives a pod with a spread constraint holds at most maxSkew more than the one with fewest.",
    ),
    Rule(
        RuleId.DOMAIN_RESOURCES,
        "policy",
        "In every domain that receives a requesting pod, requests stay within its capacity of a shared resource.",
    ),
    Rule(
        RuleId.POD_PLACEABLE,
        "I2",
        "Only pods that wait for a node, without gates, of a planned scheduler are placed.",
    ),
    Rule(
        RuleId.GANG_READY,
        "I3",
        "A gang that receives pods reaches its minMember; otherwise it receives none.",
    ),
    Rule(
        RuleId.ROLE_MINIMUM,
        "I3",
        "A gang that receives pods has the minimum of every role, where role minima bind.",
    ),
    Rule(
        RuleId.SUBGROUP_COMPLETE,
        "I3",
        "A subgroup has at least subGroupSize pods or none; enough subgroups are complete.",
    ),
    Rule(
        RuleId.POD_SUPPLY,
        "I3",
        "No more pods are placed than exist or are promised by the template, each once.",
    ),
    Rule(
        RuleId.QUEUE_LIMIT,
        "I4",
        "A queue and its ancestors stay within their limit in every dimension that new pods request.",
    ),
    Rule(
        RuleId.QUEUE_OPEN,
        "I5",
        "New pods go only to queues that exist, are Open and are leaves; with `admission: live` a broken queue tree "
        "stops all.",
    ),
    Rule(
        RuleId.ADMISSION,
        "I9",
        "With `admission: live` the minResources of Pending PodGroups that start fit into what overcommit and their "
        "queues still admit.",
    ),
    Rule(
        RuleId.HARD_TOPOLOGY,
        "I6",
        "All pods of a gang or subgroup with a hard topology are in one domain of an allowed tier.",
    ),
    Rule(
        RuleId.TOPOLOGY_PREFILTER,
        "I10",
        "With `topology_prefilter: pending` that domain has room for all pods which the gang or subgroup still asks "
        "for, once victims are gone.",
        constraint=False,
    ),
    Rule(
        RuleId.UNSUPPORTED_WAITS,
        "I2, I6",
        "Nothing is placed against a required rule that is not modelled.",
    ),
    Rule(
        RuleId.NO_EVICTION,
        "I7",
        "Without `evict` in the policy no running pod is evicted.",
        constraint=False,
    ),
    Rule(
        RuleId.VICTIM_PROTECTED,
        "I7",
        "No victim is marked unpreemptable, a system pod, or part of a service that may not be evicted.",
        constraint=False,
    ),
    Rule(
        RuleId.VICTIM_CAUSE,
        "I7",
        "Each victim may be preempted or reclaimed by a gang that starts.",
    ),
    Rule(
        RuleId.VICTIM_ENTITLEMENT,
        "I7",
        "A pod is reclaimed only while its queue is above deserved, or where it requests nothing that is deserved.",
    ),
    Rule(
        RuleId.GUARANTEE_KEPT,
        "I7",
        "Reclaim leaves the victim's queue its guarantee.",
    ),
    Rule(
        RuleId.DISRUPTION_BUDGET,
        "I7",
        "With `pdb`, no PodDisruptionBudget loses more pods than its status allows.",
    ),
    Rule(
        RuleId.VICTIM_NEEDED,
        "I7",
        "A victim is needed: a starting gang that may evict it could not run beside it and some of what goes no later.",
    ),
    Rule(
        RuleId.NO_UNDOING,
        "I7",
        "No gang that is given up could start again at once by evicting newcomers only.",
    ),
    Rule(RuleId.NO_MOVE, "I7", "No running pod changes its node.", constraint=False),
    Rule(
        RuleId.DOCUMENT,
        "document",
        "The document agrees with itself and with the snapshot.",
        constraint=False,
    ),
)


def rules_page() -> str:
    """The catalogue as a Markdown page; ``docs/rules.md`` is this text."""
    rows = [
        f"| `{rule.id}` | {rule.invariant} | {rule.sentence} | {'yes' if rule.constraint else 'no'} |"
        for rule in CATALOGUE
    ]
    head = (
        "# Rules",
        "",
        "Every plan satisfies these rules. The independent verifier checks all of them, from the snapshot and the",
        "plan document alone; a plan that breaks one is withheld. A violation names the rule by its id.",
        "",
        "*Model* tells whether the optimisation model has rows for the rule. The others hold because the model has no",
        "variable that could break them, or because they concern the document. Rows of `victim_needed` and",
        "`no_undoing` are cuts: a plan that breaks one of the two is searched anew without that combination.",
        "",
        "| id | invariant | rule | model |",
        "|---|---|---|---|",
    )
    tail = (
        "",
        "Not modelled, so that a gang with it waits under `unsupported_waits`: resource claims, dynamic MIG",
        "slices, shares of other device plugins, shares in several containers of a pod or beside whole GPUs, and one",
        "subgroup without `matchLabelKeys` with a hard topology whose pods do not exist yet. [Rules between",
        "pods](pod-rules.md) says which of those that look at other pods are modelled.",
        "",
        "A [schedule](schedule.md) satisfies these rules in its first bucket, and the following over its horizon.",
        "Objects of violations begin with `schedule/`. The others are looked at where the first four hold.",
        "",
        "| id | rule |",
        "|---|---|",
        *(f"| `{rule}` | {sentence} |" for rule, sentence in SENTENCES.items()),
        "",
        "A [drill](reclaim.md) is checked against a list of its own.",
        "",
        "This page is generated: `python -c 'from models.rules import rules_page; print(rules_page(), end=\"\")'`.",
    )
    return "\n".join((*head, *rows, *tail)) + "\n"
