"""A small copy of the made-up export goes through reader and checks, as a real one would."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from models.checks import check_snapshot
from models.effective import resolve_policy
from models.readers import read_snapshot

ROOT = Path(__file__).resolve().parents[2]


def _script():
    path = ROOT / "data" / "make_export.py"
    spec = importlib.util.spec_from_file_location("gangplan_make_export", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT))
    return module


@pytest.fixture(scope="module")
def script():
    return _script()


@pytest.fixture(scope="module")
def folder(script, tmp_path_factory):
    target = tmp_path_factory.mktemp("export")
    script.main([str(target), "--nodes", "20"])
    return target


@pytest.fixture(scope="module")
def snapshot(folder):
    return read_snapshot([folder])


def _codes(snapshot):
    return {one.code for one in check_snapshot(snapshot, resolve_policy(snapshot))}


def test_the_whole_folder_is_read(snapshot):
    assert len(snapshot.nodes) == 20
    assert snapshot.scheduler is not None
    assert snapshot.hyper_nodes
    assert snapshot.disruption_budgets
    assert {"vision/manual-1", "vision/manual-2"} <= {gang.full_name for gang in snapshot.gangs}


def test_it_holds_one_of_everything(snapshot):
    assert _codes(snapshot) >= {
        "capability_above_ancestor",
        "capability_is_ceiling",
        "children_deserved_above_parent",
        "closed_queue",
        "conflicting_copies",
        "export_incomplete",
        "foreign_pending_pods",
        "gated_pods",
        "half_listed_gang",
        "hyper_node_unknown_member",
        "inner_queue",
        "leftover_pod_group",
        "min_member_above_replicas",
        "missing_pod_group",
        "no_gpu_model_label",
        "node_cordoned",
        "node_not_ready",
        "node_overfull",
        "pod_larger_than_any_node",
        "pod_on_unknown_node",
        "priority_unknown",
        "queue_tree_stops",
        "quota_for_missing_resource",
        "reclaimable_without_action",
        "roles_ignored",
        "scheduler_mismatch",
        "sla_unreadable",
        "unhealthy_gpus",
        "unknown_queue",
        "unknown_resource",
        "unsupported_rule",
        "window_crosses_midnight",
    }


def test_what_is_over_and_what_still_waits(snapshot):
    gangs = snapshot.gang_by_name
    for name in ("old-aborted", "old-completed", "old-failed", "old-terminated"):
        assert gangs[f"vision/{name}"].finished
    assert not gangs["vision/again"].finished
    assert gangs["data/suspended"].suspended
    (chat,) = (gang for gang in snapshot.gangs if gang.online)
    assert (chat.namespace, chat.min_member, len(snapshot.pods_of(chat))) == ("online", 1, 3)


def test_the_newer_of_two_copies_counts(snapshot):
    first = snapshot.pod_by_name["nlp/half-listed-worker-0"]
    assert first.running


def test_no_secret_of_the_export_is_kept(folder, snapshot):
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json"))
    assert text.count("do-not-keep") > 500
    assert "do-not-keep" not in repr(snapshot)


def test_a_consistent_export_is_not_incomplete(script, tmp_path):
    script.main([str(tmp_path), "--nodes", "20", "--consistent"])
    codes = _codes(read_snapshot([tmp_path]))
    assert not codes & {"export_incomplete", "half_listed_gang"}


def test_a_user_who_sees_one_namespace_only(script, tmp_path):
    script.main([str(tmp_path), "--nodes", "30", "--consistent", "--only-namespace", "nlp"])
    codes = _codes(read_snapshot([tmp_path]))
    assert {"export_incomplete", "no_system_pods"} <= codes


def test_the_same_seed_gives_the_same_files(script, folder, tmp_path):
    script.main([str(tmp_path), "--nodes", "20"])
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_too_few_nodes_are_refused(script, tmp_path, capsys):
    with pytest.raises(SystemExit):
        script.main([str(tmp_path), "--nodes", "3"])
    assert "6 or more" in capsys.readouterr().err
