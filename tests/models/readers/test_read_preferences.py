"""Preferred rules of pods are read with their weights; what prefers nothing is left out."""

from __future__ import annotations

import pytest

from models.pod_terms import PreferredNodes
from models.readers.fields import BadObject
from models.readers.pod_specs import PodSpecReader
from models.readers.preferences import read_preferences
from models.selectors import Expression, NodeSelectorTerm
from models.snapshot import Snapshot
from models.workloads import Pod
from models.writers.anonymize import anonymize

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
DISK = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
MATES = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}
SPEC = {
    "affinity": {
        "nodeAffinity": {
            PREFERRED: [
                {"weight": 40, "preference": DISK},
                {"weight": 1, "preference": {}},
                {"weight": 0, "preference": DISK},
            ]
        },
        "podAffinity": {PREFERRED: [{"weight": 500, "podAffinityTerm": MATES}]},
        "podAntiAffinity": {PREFERRED: [{"weight": 7, "podAffinityTerm": MATES}]},
    },
    "topologySpreadConstraints": [
        {"topologyKey": "zone", "maxSkew": 2, "whenUnsatisfiable": "ScheduleAnyway"},
        {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"},
    ],
}


def test_every_kind_with_its_weight() -> None:
    found = read_preferences(SPEC)
    assert found is not None
    assert found.nodes == (
        PreferredNodes(40, NodeSelectorTerm((Expression("disk", "In", ("ssd",)),))),
    )
    near, apart = found.near[0], found.apart[0]
    assert (near.weight, apart.weight) == (100, 7)
    assert near.term == apart.term
    assert near.term.topology_key == "zone"
    assert [(one.topology_key, one.max_skew) for one in found.spread] == [("zone", 2)]


@pytest.mark.parametrize("key", ["whenUnsatisfiable", "nodeAffinityPolicy", "nodeTaintsPolicy"])
def test_a_spread_with_a_mistyped_word_is_refused(key: str) -> None:
    """Before, ``doNotSchedule`` made the whole constraint vanish without a word."""
    with pytest.raises(BadObject, match=f"{key} 'honour' is none of"):
        PodSpecReader().read(
            {"topologySpreadConstraints": [{"topologyKey": "zone", key: "honour"}]}
        )


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_a_rule_about_other_pods_needs_a_key(kind: str) -> None:
    """Before, pods that had to keep apart were put on one node."""
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {}}]}
    with pytest.raises(BadObject, match="no topologyKey"):
        PodSpecReader().read({"affinity": {kind: required}})


def test_required_rules_alone_prefer_nothing() -> None:
    assert (
        read_preferences({"topologySpreadConstraints": SPEC["topologySpreadConstraints"][1:]})
        is None
    )
    assert PodSpecReader().read({}).preferences is None


def test_new_names_keep_what_is_preferred() -> None:
    spec = PodSpecReader().read(SPEC)
    pod = Pod("ml", "a-0", spec, labels={"app": "x"})
    new = anonymize(Snapshot(pods=(pod,))).pods[0]
    wanted = new.spec.preferences
    assert wanted is not None
    assert wanted.nodes[0].weight == 40
    assert wanted.nodes[0].term.match_expressions[0].values != ("ssd",)
    selector = wanted.near[0].term.selector
    assert selector is not None
    assert selector.matches(new.labels)
