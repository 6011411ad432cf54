"""Before, a mistyped name or amount in ``gangplan.io/domain-request`` was passed over in silence."""

from __future__ import annotations

from dataclasses import replace

from models.policy_domains import DomainResource

KEY = "gangplan.io/domain-request"
STORAGE = {"storage": DomainResource(per="rack", unit="GB/s", capacity=10)}


def _policy(per: str = "rack", **capacities: int) -> dict[str, object]:
    one = STORAGE["storage"].model_copy(update={"per": per, "capacities": capacities})
    return {"domain_resources": {"storage": one}}


def test_a_name_that_the_policy_does_not_have(make):
    found = make.tells(
        "domain_request_unknown",
        make.snapshot(make.pod(annotations={KEY: "storrage=3"})),
        make.snapshot(make.pod(annotations={KEY: "storage=3"})),
        policy=_policy(),
    )
    assert found.object == "pod/ml/a-0"
    assert "1 object (pod/ml/a-0) requests 'storrage'" in found.message
    assert "did you mean 'storage'?" in found.remedy


def test_many_objects_with_one_name_are_one_finding(make):
    pods = [make.pod(f"a-{index}", annotations={KEY: "net=1"}) for index in range(6)]
    gang = make.gang(annotations={KEY: "net=2"})
    found = make.tells("domain_request_unknown", make.snapshot(*pods, gang), make.snapshot())
    assert "7 objects" in found.message
    assert "add 'net'" in found.remedy


def test_an_amount_with_a_unit_cannot_be_read(make):
    found = make.tells(
        "domain_request_unreadable",
        make.snapshot(make.pod(annotations={KEY: "storage=4GB"})),
        make.snapshot(make.pod(annotations={KEY: " storage = 4 , scratch=1"})),
        policy={"domain_resources": {**STORAGE, "scratch": STORAGE["storage"]}},
    )
    assert "'storage=4GB'" in found.message


def test_such_an_annotation_of_a_gang_is_told_too(make):
    found = make.tells(
        "annotation_unreadable",
        make.snapshot(make.gang(annotations={KEY: "storage=4GB"})),
        make.snapshot(make.gang(annotations={KEY: "storage=4"})),
        policy=_policy(),
    )
    assert "whole numbers" in found.message


def test_a_template_of_a_job_is_looked_at(make):
    job = make.job()
    template = replace(job.templates[0], annotations={KEY: "disk=1"})
    found = make.tells(
        "domain_request_unknown",
        make.snapshot(replace(job, templates=(template,))),
        make.snapshot(job),
    )
    assert found.object == "gang/ml/a/worker"


def test_a_capacity_of_a_rack_that_is_not_there(make):
    racks = [make.node(f"n{index}", labels={"rack": f"r{index}"}) for index in range(2)]
    found = make.tells(
        "domain_capacity_unknown",
        make.snapshot(*racks),
        make.snapshot(replace(racks[0], labels={"rack": "r9"}), racks[1]),
        policy=_policy(r9=4),
    )
    assert "'r9'" in found.message
    assert "no rack" in found.message


def test_the_cluster_is_a_domain_by_its_name(make):
    found = make.tells(
        "domain_capacity_unknown",
        make.snapshot(),
        make.snapshot(),
        policy=_policy("cluster", clutser=4),
        good_policy=_policy("cluster", cluster=4),
    )
    assert "did you mean 'cluster'?" in found.remedy


def test_a_level_of_topology_labels_by_label_path_or_tier(make):
    """Before, such capacities were never checked, and only the whole path counted."""
    nodes = [make.node("n1", labels={"spine": "s1", "leaf": "l1"})]
    for per in ("leaf", "1"):
        found = make.tells(
            "domain_capacity_unknown",
            make.snapshot(*nodes),
            make.snapshot(*nodes),
            policy={"topology_labels": ("spine", "leaf"), **_policy(per, l2=4)},
            good_policy={"topology_labels": ("spine", "leaf"), **_policy(per, l1=4)},
        )
        assert "'l2'" in found.message
        assert "did you mean 'l1'?" in found.remedy
    by_path = {"topology_labels": ("spine", "leaf"), **_policy("leaf", **{"s1/l1": 4})}
    assert not make.findings(make.snapshot(*nodes), "domain_capacity_unknown", **by_path)


def test_a_domain_is_called_by_its_label_or_its_path():
    one = DomainResource.model_validate(
        {"per": 1, "capacity": 9, "capacities": {"l1": 4, "s2/l1": 5}}
    )
    assert one.per == "1"
    assert [one.capacity_of(name) for name in ("l1", "s1/l1", "s2/l1", "s2/l2")] == [4, 4, 5, 9]
