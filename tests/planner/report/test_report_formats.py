from __future__ import annotations

import csv
import io
import json
import stat
import subprocess
import sys

import pytest
import yaml

from models.findings import UsageError
from models.plan import PlanResult
from planner.report.formats import formats, render

TEXT_FORMATS = ("table", "wide", "json", "yaml", "md", "html")


def rendered(result, fmt, **options):
    stream = io.StringIO()
    assert render(result, fmt, stream=stream, width=150, **options) == ()
    return stream.getvalue()


def test_every_promised_format_is_found_by_itself():
    assert set(formats()) == {*TEXT_FORMATS, "csv", "parquet"}


def test_json_holds_the_document_and_nothing_else(demo):
    text = rendered(demo, "json")
    assert PlanResult.model_validate_json(text) == demo
    document = json.loads(text)
    assert list(document)[:4] == ["schemaVersion", "kind", "summary", "snapshot"]
    assert document["nodes"][0]["class"] == "h100-80gb-8"
    assert text == rendered(demo, "json")


def test_yaml_is_the_same_document_without_aliases(demo):
    text = rendered(demo, "yaml")
    assert yaml.safe_load(text) == json.loads(rendered(demo, "json"))
    assert not any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text))
    assert PlanResult.model_validate(yaml.safe_load(text)) == demo


def test_yaml_keeps_words_that_look_like_other_types(demo, samples):
    odd = samples.gang("no/0x10", "null", "wait", minimum=1, gpus=0, created="2026-11-29T08:00:00Z")
    plan = demo.model_copy(update={"gangs": (odd,)})
    assert PlanResult.model_validate(yaml.safe_load(rendered(plan, "yaml"))) == plan


@pytest.mark.parametrize("fmt", ["table", "wide", "md", "html"])
def test_every_text_for_people_holds_the_key_facts(demo, fmt):
    text = rendered(demo, fmt).replace("\\", "")
    for fact in ("3 of 5 waiting gangs can start now", "pre/llama-70b", "pretrain", "h100-[03-04]"):
        assert fact in text
    for fact in ("pre/moe-24", "eeds 3 whole", "2026-11-29T08:15:00Z", "4f0c1d9a77e3"):
        assert fact in text
    assert "0 violations of 13 rules" in text
    assert "ortools 9.15.6755" in text


def test_json_needs_no_pandas():
    code = (
        "import io, sys; from models.plan import PlanResult; from planner.report.formats import render; "
        "render(PlanResult(), 'json', stream=io.StringIO()); "
        "heavy = {'pandas', 'jinja2', 'altair', 'rich'} & set(sys.modules); assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_kind_of_change_is_shown(demo, samples):
    from models.plan import PodGroupEntry, Reason

    evicted = samples.gang("eval/victim", "eval", "evict", minimum=2, gpus=2).model_copy(
        update={
            "pods_before": 2,
            "pods": (PodGroupEntry(role="w", action="evict", from_node="h100-05", count=2),),
            "reasons": (Reason(code="preempted", message="makes room for pre/llama-70b"),),
        }
    )
    grown = samples.gang("eval/grower", "eval", "grow", minimum=2, gpus=4, where={"h100-06": 2})
    plan = demo.model_copy(update={"gangs": (*demo.gangs, evicted, grown)})
    page = rendered(plan, "html")
    assert "Other changes" in page
    for text in (page, rendered(plan, "table"), rendered(plan, "md").replace("\\", "")):
        for fact in ("eval/victim", "evict", "akes room for pre/llama-70b", "eval/grower", "grow"):
            assert fact in text


def test_first_line_is_the_sentence(demo):
    assert rendered(demo, "table").splitlines()[0] == demo.summary.sentence


def test_unknown_format_names_the_known_ones(demo):
    with pytest.raises(UsageError, match=r"unknown output format 'xml'; known: csv, html, json"):
        rendered(demo, "xml")


def test_csv_needs_a_folder(demo, tmp_path):
    with pytest.raises(UsageError, match="name a folder with --out"):
        rendered(demo, "csv")
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(UsageError, match="is not a folder"):
        render(demo, "csv", out=file)
    assert file.read_text() == "kept"


def test_csv_set_has_every_row_once(demo, tmp_path):
    paths = render(demo, "csv", out=tmp_path / "new" / "set")
    tables = {
        path.stem: list(csv.DictReader(io.StringIO(path.read_text("utf-8")))) for path in paths
    }
    assert {"gangs", "pods", "queues", "nodes", "reasons"} <= set(tables)
    assert [row["gang"] for row in tables["gangs"]] == [gang.full_name for gang in demo.gangs]
    pods = sum(entry.count for gang in demo.gangs for entry in gang.pods)
    assert sum(int(row["pods"]) for row in tables["pods"]) == pods
    assert len(tables["nodes"]) == len(demo.nodes)
    assert {row["code"] for row in tables["reasons"]} == {"fragmentation", "quota", "unsupported"}
    eval_queue = next(row for row in tables["queues"] if row["queue"] == "eval")
    assert (eval_queue["deserved_gpus"], eval_queue["capability_gpus"]) == ("12", "16")
    assert eval_queue["guarantee_gpus"] == ""
    assert eval_queue["after_memory_bytes"] == str(14 * 96 * 1024**3)


def test_out_may_be_a_file_or_a_folder_and_is_replaced_whole(demo, tmp_path):
    assert render(demo, "html", out=tmp_path) == (tmp_path / "plan.html",)
    target = tmp_path / "deep" / "er" / "plan.json"
    render(demo, "json", out=target)
    render(demo, "json", out=target)
    assert PlanResult.model_validate_json(target.read_text("utf-8")) == demo
    assert [path.name for path in target.parent.iterdir()] == ["plan.json"]
    assert stat.S_IMODE(target.stat().st_mode) & 0o400


def test_a_place_that_cannot_be_written_is_a_usage_error(demo, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        render(demo, "json", out=tmp_path / "file" / "plan.json")


def test_a_failed_write_leaves_the_old_file(demo, tmp_path, monkeypatch):
    target = tmp_path / "plan.html"
    target.write_text("old")
    monkeypatch.setattr("planner.report.html_page._text", lambda name: "{{ missing }}")
    with pytest.raises(Exception, match="missing"):
        render(demo, "html", out=target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("fmt", TEXT_FORMATS)
def test_a_document_without_anything_renders(fmt):
    assert rendered(PlanResult(), fmt).strip()


def test_empty_csv_tables_keep_their_heads(tmp_path):
    paths = render(PlanResult(), "csv", out=tmp_path)
    for path in paths:
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) == 1, path
        assert "," in lines[0]


def test_filter_applies_to_every_format_and_says_so(demo):
    document = json.loads(rendered(demo, "json", namespaces=["eval"], queues=["eval"]))
    assert {gang["namespace"] for gang in document["gangs"]} == {"eval"}
    assert document["filter"]["gangsInAll"] == 8
    assert document["summary"] == json.loads(rendered(demo, "json"))["summary"]
    table = rendered(demo, "table", queues=["eval"])
    assert "Shown: queue eval (4 of 8 gangs)" in table
    assert "pre/llama-70b" not in table
    assert "Shown: namespace nowhere (0 of 8 gangs)" in rendered(demo, "md", namespaces=["nowhere"])


def test_a_plan_that_is_not_verified_says_so_first(demo):
    text = rendered(demo.model_copy(update={"verification": None}), "table")
    assert text.splitlines()[1].startswith("! This plan was not verified")


def test_violations_are_shown_before_anything_else(demo):
    from models.plan import RuleViolation, Verification

    broken = RuleViolation(rule="node_capacity", object="node/h100-01", message="9 of 8 GPUs")
    plan = demo.model_copy(update={"verification": Verification(violations=(broken,), rules=13)})
    assert "do not act on this plan. First: 9 of 8 GPUs" in rendered(plan, "table").splitlines()[1]
    assert "node/h100-01" in rendered(plan, "html")
