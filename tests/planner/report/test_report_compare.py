from __future__ import annotations

import io
import json

import pytest

from planner.report.compare import compare
from planner.report.compare_document import PlanDifference
from planner.report.compare_report import compare_report
from planner.report.formats import write_report


def text_of(difference, fmt):
    stream = io.StringIO()
    write_report(compare_report(difference), fmt, stream=stream, width=160)
    return stream.getvalue()


def replaced(plan, name, **update):
    gangs = tuple(
        gang.model_copy(update=update) if gang.full_name == name else gang for gang in plan.gangs
    )
    return plan.model_copy(update={"gangs": gangs})


def test_a_plan_does_not_differ_from_itself(demo):
    difference = compare(demo, demo)
    assert not difference.has_difference
    assert not difference.changed
    assert (difference.gangs, difference.queues) == ((), ())
    assert "The plans are the same" in text_of(difference, "table")


def test_times_bounds_and_pod_names_are_no_difference(demo):
    certificate = demo.certificate.model_copy(update={"seconds": 99.0, "seed": 5, "tiers": ()})
    gang = next(one for one in demo.gangs if one.full_name == "pre/llama-70b")
    swapped = tuple(pod.model_copy(update={"names": pod.names[::-1]}) for pod in gang.pods[::-1])
    other = replaced(demo, "pre/llama-70b", pods=swapped)
    assert not compare(demo, other.model_copy(update={"certificate": certificate})).changed


def test_a_changed_decision_names_both_sides(demo):
    wait = next(gang for gang in demo.gangs if gang.full_name == "pre/moe-24")
    other = replaced(demo, "eval/smoke", decision="wait", pods=(), reasons=wait.reasons)
    (gang,) = compare(demo, other).gangs
    assert gang.changes == ("decision", "placement", "reasons")
    assert (gang.decision_before, gang.decision_after) == ("start", "wait")
    assert (gang.pods_before, gang.pods_after) == (2, 0)
    assert gang.nodes_before == "h100-05"
    assert gang.reasons_after == ("fragmentation", "quota")


def test_a_moved_pod_is_a_changed_placement(demo, samples):
    moved = samples.pods("place", {"a100-01": 3, "h100-06": 1}, "eval/humaneval")
    (gang,) = compare(demo, replaced(demo, "eval/humaneval", pods=moved)).gangs
    assert gang.changes == ("placement",)
    assert (gang.nodes_before, gang.nodes_after) == ("a100-01", "a100-01, h100-06")


def test_gangs_queues_and_nodes_of_one_plan_only(demo):
    other = demo.model_copy(
        update={"gangs": demo.gangs[1:], "queues": demo.queues[:-1], "nodes": demo.nodes[2:]}
    )
    difference = compare(demo, other)
    assert [gang.changes for gang in difference.gangs] == [("removed",)]
    assert [queue.fields for queue in difference.queues] == [("removed",)]
    assert difference.nodes_removed == ("h100-01", "h100-02")
    back = compare(other, demo)
    assert [gang.changes for gang in back.gangs] == [("added",)]
    assert "2 nodes only in B: h100-[01-02]" in text_of(back, "table")


def test_key_figures_and_other_inputs_are_told(demo):
    summary = demo.summary.model_copy(update={"gpus_after": 60})
    snapshot = demo.snapshot.model_copy(update={"digest": "sha256:ffff"})
    difference = compare(demo, demo.model_copy(update={"summary": summary, "snapshot": snapshot}))
    assert difference.changed
    assert not difference.same_snapshot
    text = text_of(difference, "table")
    assert "53 → 60 (+7 GPUs)" in text
    assert "different snapshots" in text


def test_another_snapshot_with_the_same_plan_is_no_difference(demo):
    snapshot = demo.snapshot.model_copy(update={"digest": "sha256:ffff", "as_of": "2026-11-30"})
    assert not compare(demo, demo.model_copy(update={"snapshot": snapshot})).changed


@pytest.mark.parametrize("fmt", ["table", "wide", "json", "yaml", "md", "html"])
def test_every_format_tells_the_difference(demo, fmt):
    difference = compare(demo, replaced(demo, "eval/smoke", decision="wait", pods=()))
    text = text_of(difference, fmt)
    assert "smoke" in text
    assert "humaneval" not in text


def test_json_reads_back_to_the_same_value(demo, medium):
    difference = compare(demo, medium)
    text = text_of(difference, "json")
    assert PlanDifference.model_validate_json(text) == difference
    assert json.loads(text)["changed"] is True


def test_many_differences_are_counted_and_all_in_csv(medium, tmp_path):
    difference = compare(medium, medium.model_copy(update={"gangs": ()}))
    assert len(difference.gangs) == 1_300
    assert "1,240 more gangs are not shown here" in text_of(difference, "table")
    paths = write_report(compare_report(difference), "csv", out=tmp_path)
    gangs = next(path for path in paths if path.stem == "gangs")
    assert len(gangs.read_text("utf-8").splitlines()) == 1_301
