from __future__ import annotations

import pytest
from pydantic import ValidationError

from models.findings import InputError
from models.policy import Policy, parse_policy


def _faults(raw):
    with pytest.raises(InputError) as caught:
        parse_policy(raw, source="policy.yaml")
    assert caught.value.exit_code == 3
    assert all(one.object == "policy.yaml" and one.remedy for one in caught.value.findings)
    assert str(caught.value) == f"policy.yaml: {caught.value.findings[0].message}"
    return caught.value.findings


def test_no_key_at_all_means_all_defaults():
    assert parse_policy(None, source="x") == parse_policy({}, source="x") == Policy()
    assert Policy().scheduler_names == ("volcano",)
    assert Policy().objective == "default"


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("queue_modle", "queue_model"),
        ("evicts", "evict"),
        ("schedulerNames", "scheduler_names"),
        ("revocable_zone", "revocable_zones"),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(key, near):
    (found,) = _faults({key: 1})
    assert found.code == "policy_unknown_key"
    assert found.message == f"unknown policy key {key!r}: did you mean {near!r}?"


def test_a_key_that_resembles_nothing_lists_the_known_ones():
    (found,) = _faults({"zzz": 1})
    assert "known keys: queue_model, hierarchy, evict" in found.message


@pytest.mark.parametrize(
    ("raw", "path", "near"),
    [
        ({"gpu_models": {"label_key": []}}, "gpu_models.label_key", "label_keys"),
        ({"services": [{"name": "a", "queues": "b"}]}, "services.0.queues", "queue"),
        (
            {"checkpoint": [{"interval_seconds": 1, "restart": 2}]},
            "checkpoint.0.restart",
            "restart_seconds",
        ),
        ({"maintenance": [{"form": "2026-01-01"}]}, "maintenance.0.form", "from"),
    ],
)
def test_unknown_keys_inside_are_named_with_their_place(raw, path, near):
    found = _faults(raw)[0]
    assert found.code == "policy_unknown_key"
    assert repr(path) in found.message
    assert f"did you mean {near!r}?" in found.message


def test_keys_need_not_be_text_to_be_refused_politely():
    assert "unknown policy key '1'" in _faults({1: 2})[0].message


def test_every_fault_is_told_and_unknown_keys_come_first():
    found = _faults({"evict": "all", "grace_seconds": -1, "nonsense_key": 0})
    assert [one.code for one in found] == [
        "policy_unknown_key",
        "policy_invalid_value",
        "policy_invalid_value",
    ]
    assert "policy key 'evict'" in found[1].message
    assert "a list (got 'all')" in found[1].message


@pytest.mark.parametrize(
    "raw",
    [
        {"queue_model": "fair"},
        {"evict": ["shuffle"]},
        {"ancestor_reclaim_level": -1},
        {"overcommit_factor": 0.9},
        {"overcommit_factor": float("inf")},
        {"overcommit_factor": float("nan")},
        {"scheduler_names": [1]},
        {"harm": ["gangs", "sadness"]},
        {"revocable_zones": ["night"]},
        {"priority_scope": "galaxy"},
        {"services": [{}]},
        {"checkpoint": [{"interval_seconds": 0}]},
        {"now": "yesterday"},
        {"now": "2026-13-01T00:00:00Z"},
        {"now": "0001-01-01T00:00:00+14:00"},
        {"maintenance": [{"from": "soon", "to": "2026-01-01T00:00:00Z"}]},
    ],
)
def test_bad_values(raw):
    (key,) = raw
    assert any(f"policy key '{key}" in one.message for one in _faults(raw))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-08-20T08:01:00Z", "2026-08-20T08:01:00Z"),
        ("2026-08-20T10:01:00+02:00", "2026-08-20T08:01:00Z"),
        ("2026-08-20 08:01:00", "2026-08-20T08:01:00Z"),
    ],
)
def test_times_are_kept_in_utc(written, read):
    assert parse_policy({"now": written}, source="x").now == read


def test_a_malformed_window_is_left_to_the_checks():
    """It concerns one zone, so it is a finding about that zone and no reason to stop."""
    assert parse_policy({"revocable_zones": {"night": "late"}}, source="x").revocable_zones == {
        "night": "late"
    }


def test_a_policy_is_frozen_and_comes_back_from_json():
    policy = parse_policy(
        {
            "objective": ["covered.1.gpus"],
            "maintenance": [{"from": "2026-01-01", "to": "2026-01-02"}],
        },
        source="x",
    )
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)) == policy
    with pytest.raises(ValidationError):
        policy.now = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "keys",
    [
        {"harm": ["gangs", "pods", "gangs"]},
        {"evict": ["reclaim", "reclaim"]},
        {"topology_labels": ["rack", "rack"]},
        {"scheduler_names": ["volcano", "volcano"]},
        {"fair_sharing": ["LessThanInitialShare", "LessThanInitialShare"]},
    ],
)
def test_a_list_names_each_once(keys):
    with pytest.raises(InputError, match="is named twice"):
        parse_policy(keys, source="policy.yaml")


def test_fair_sharing_knows_its_strategies():
    with pytest.raises(InputError, match="LessThanInitialShare"):
        parse_policy({"fair_sharing": ["fifo"]}, source="policy.yaml")
