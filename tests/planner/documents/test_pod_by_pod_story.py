from __future__ import annotations

from models.effective import resolve_policy
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.documents.pod_by_pod_story import pod_by_pod_story
from planner.samples import sample_path


def test_the_demo_has_two_gangs_that_would_block_each_other() -> None:
    snapshot = read_snapshot([sample_path("demo")])
    text = pod_by_pod_story(snapshot, resolve_policy(snapshot))
    assert "pretrain/moe-ablation-a (4 GPUs)" in text
    assert "pretrain/moe-ablation-b (4 GPUs)" in text
    assert "for ever and never run" in text


def test_there_is_nothing_to_tell_of_an_empty_cluster() -> None:
    assert pod_by_pod_story(Snapshot(), resolve_policy(Snapshot())) == ""
