from __future__ import annotations

from typing import Any

import pytest

from models.cluster import SchedulerConfig, SchedulerPlugin
from models.effective import resolve_policy
from models.findings import InputError
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot

DESERVING = (Queue("eval", deserved=Resources({"nvidia.com/gpu": 8})),)


def _config(*plugins: str, actions: tuple[str, ...] = (), **options: Any) -> SchedulerConfig:
    listed = tuple(SchedulerPlugin(name, 0, **options) for name in plugins)
    return SchedulerConfig("volcano-scheduler.conf", actions, listed)


@pytest.mark.parametrize(
    ("queues", "config", "file", "flags", "model", "origin"),
    [
        ((), None, None, None, "proportion", "snapshot"),
        (DESERVING, None, None, None, "capacity", "snapshot"),
        (DESERVING, "proportion", None, None, "proportion", "scheduler ConfigMap"),
        ((), "capacity", None, None, "capacity", "scheduler ConfigMap"),
        (DESERVING, "gang", None, None, "capacity", "snapshot"),
        ((), "proportion", "capacity", None, "capacity", "file"),
        (DESERVING, "capacity", "capacity", "proportion", "proportion", "flag"),
    ],
)
def test_flag_before_file_before_config_map_before_snapshot(
    queues, config, file, flags, model, origin
):
    snapshot = Snapshot(queues=queues, scheduler=_config(config) if config else None)
    policy = resolve_policy(
        snapshot,
        Policy(queue_model=file) if file else None,
        {"queue_model": flags} if flags else None,
    )
    assert policy.queue_model == policy.policy.queue_model == model
    assert policy.origins["queue_model"] == origin


def test_keys_nobody_set_are_defaults():
    policy = resolve_policy(Snapshot())
    assert (policy.hierarchy, policy.evict, policy.nodegroup, policy.pdb, policy.sla) == (
        False,
        (),
        False,
        False,
        False,
    )
    assert policy.origins["evict"] == policy.origins["harm"] == "default"
    assert set(policy.origins) == set(Policy.model_fields)


def test_empty_values_of_the_file_do_not_hide_the_config_map():
    snapshot = Snapshot(scheduler=_config("sla", actions=("reclaim",)))
    policy = resolve_policy(snapshot, Policy(sla=None, evict=None), {"pdb": None})
    assert policy.sla
    assert policy.evict == ("reclaim",)
    assert policy.origins["evict"] == "scheduler ConfigMap"


def test_an_explicit_no_wins_over_the_config_map():
    snapshot = Snapshot(scheduler=_config("sla", "pdb", actions=("preempt",)))
    policy = resolve_policy(snapshot, Policy(sla=False, evict=()), {"pdb": False})
    assert (policy.sla, policy.pdb, policy.evict) == (False, False, ())
    assert policy.origins["sla"] == "file"
    assert policy.origins["pdb"] == "flag"


@pytest.mark.parametrize(
    ("actions", "evict"),
    [
        (("enqueue", "allocate", "backfill"), ()),
        (("allocate", "preempt"), ("preempt",)),
        (("gangreclaim", "gangpreempt"), ("preempt", "reclaim")),
        (("reclaim", "gangreclaim", "shuffle"), ("reclaim",)),
    ],
)
def test_actions_of_the_scheduler_say_what_may_be_evicted(actions, evict):
    assert resolve_policy(Snapshot(scheduler=_config(actions=actions))).evict == evict


def test_hierarchy_is_honoured_under_capacity_and_dropped_under_proportion():
    tree = Snapshot(scheduler=_config("capacity", enabled_hierarchy=True))
    assert resolve_policy(tree).hierarchy
    assert resolve_policy(tree).origins["hierarchy"] == "scheduler ConfigMap"
    flat = resolve_policy(tree, Policy(queue_model="proportion"))
    assert (flat.hierarchy, flat.policy.hierarchy) == (False, False)
    asked = resolve_policy(Snapshot(), Policy(queue_model="proportion", hierarchy=True))
    assert not asked.hierarchy
    assert resolve_policy(Snapshot(), Policy(queue_model="capacity", hierarchy=True)).hierarchy


def test_plugin_arguments_that_are_policy_keys():
    zones = {"tdm.revocable-zone.night": "01:00-06:00", "tdm.evict.period": "1m"}
    config = SchedulerConfig(
        "volcano-scheduler.conf",
        (),
        (
            SchedulerPlugin("capacity", 0, {"ancestorReclaimLevel": "2"}, enabled_hierarchy=True),
            SchedulerPlugin("overcommit", 0, {"overcommit-factor": "1.5"}),
            SchedulerPlugin("tdm", 0, zones),
        ),
    )
    policy = resolve_policy(Snapshot(scheduler=config))
    assert policy.policy.ancestor_reclaim_level == 2
    assert policy.policy.overcommit_factor == 1.5
    assert policy.policy.revocable_zones == {"night": "01:00-06:00"}
    assert policy.origins["revocable_zones"] == "scheduler ConfigMap"


@pytest.mark.parametrize("text", ["", "much", "nan", "inf", "0.5", "-1"])
def test_plugin_arguments_that_make_no_sense_leave_the_default(text):
    config = SchedulerConfig(
        "volcano-scheduler.conf",
        (),
        (
            SchedulerPlugin("overcommit", 0, {"overcommit-factor": text}),
            SchedulerPlugin(
                "capacity", 0, {"ancestorReclaimLevel": text if text != "0.5" else "-2"}
            ),
        ),
    )
    policy = resolve_policy(Snapshot(scheduler=config))
    assert policy.policy.overcommit_factor == 1.2
    assert policy.policy.ancestor_reclaim_level == 0
    assert policy.origins["overcommit_factor"] == "default"


def test_now_is_the_newest_time_of_the_export_unless_it_is_given():
    snapshot = Snapshot(as_of="2026-08-20T08:00:00Z")
    assert resolve_policy(snapshot).now == "2026-08-20T08:00:00Z"
    assert resolve_policy(snapshot).origins["now"] == "snapshot"
    given = resolve_policy(snapshot, Policy(now="2026-08-21T08:00:00Z"))
    assert (given.now, given.origins["now"]) == ("2026-08-21T08:00:00Z", "file")
    assert resolve_policy(Snapshot()).now == ""


@pytest.mark.parametrize("flags", [{"queue_model": "fair"}, {"nonsense": 1}, {"now": "x"}])
def test_bad_flags_are_input_errors(flags):
    with pytest.raises(InputError):
        resolve_policy(Snapshot(), None, flags)


def test_the_document_names_value_and_origin_of_every_key():
    snapshot = Snapshot(scheduler=_config("capacity", actions=("preempt",)))
    document = resolve_policy(snapshot, Policy(allow_moves=True), {"sla": True}).document()
    assert set(document) == set(Policy.model_fields)
    assert document["queue_model"] == {"value": "capacity", "origin": "scheduler ConfigMap"}
    assert document["evict"] == {"value": ["preempt"], "origin": "scheduler ConfigMap"}
    assert document["allow_moves"] == {"value": True, "origin": "file"}
    assert document["sla"] == {"value": True, "origin": "flag"}
    assert document["grace_seconds"] == {"value": 30, "origin": "default"}
