from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from models.findings import InputError
from models.plan import PlanResult, Summary
from planner.usecases.inputs.plan_documents import SHOWN_FAULTS, read_plan

PLAN = PlanResult(summary=Summary(sentence="Größe: 4 GPUs", gpus_after=4))
TEXT = PLAN.model_dump_json(by_alias=True)
BOMB = b"".join(
    f"k{i}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n".encode() for i in range(12)
)


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"\n  " + TEXT.encode(),
        gzip.compress(TEXT.encode(), mtime=0),
        b"schemaVersion: 1\nkind: PlanResult\nsummary: {gpusAfter: 4, sentence: 'Gr\xc3\xb6\xc3\x9fe: 4 GPUs'}",
    ],
)
def test_json_yaml_and_gz_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plan"
    path.write_bytes(content)
    assert read_plan(path) == PLAN


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"kind": "PlanResult"', "not valid JSON at line 1"),
        (b"a: [", r"neither JSON nor YAML: .* \(line \d+\)"),
        (b"a: &a [1]\n" + BOMB, "aliases expand the text out of all proportion"),
        (b"[]", "top level is not a mapping"),
        (b"text", "top level is not a mapping"),
        (b'{"kind": "List", "items": []}', "kind is 'List'"),
        (b'{"schemaVersion": 1}', "kind is None"),
        (b'{"kind": "PlanResult", "schemaVersion": 9}', "schemaVersion 9"),
        (b"\xff\xfe{", "UTF-8"),
        (gzip.compress(b"{}", mtime=0)[:9], "damaged gzip"),
        (b"\x1f\x8bnot really", "damaged gzip"),
        (b"[" * 100_000, "neither JSON nor YAML"),
        (b'{"kind": ' + b"[" * 100_000, "neither JSON nor YAML"),
    ],
)
def test_other_content_is_an_input_error(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "plan"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_plan(path)
    assert caught.value.findings[0].remedy


def test_fields_of_the_wrong_kind_are_named_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    gangs = [{"namespace": "a", "name": "b", "decision": "maybe"}] * 30
    path.write_text(
        json.dumps({"kind": "PlanResult", "summary": {"gpusAfter": "x"}, "gangs": gangs})
    )
    with pytest.raises(InputError, match="31 fields") as caught:
        read_plan(path)
    assert len(caught.value.findings) == SHOWN_FAULTS
    assert "summary.gpusAfter" in caught.value.findings[0].message


@pytest.mark.parametrize(
    ("part", "where"),
    [
        ({"snapshot": {"asOf": "tomorrow"}}, "snapshot.asOf"),
        ({"certificate": {"earlier": {"asOf": "12 o'clock"}}}, "certificate.earlier.asOf"),
    ],
)
def test_times_that_are_none_are_named_with_their_place(
    tmp_path: Path, part: dict[str, object], where: str
) -> None:
    path = tmp_path / "plan.json"
    document = json.loads(TEXT)
    for name, fields in part.items():
        document[name] = {**document[name], **fields}
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="1 field wrong") as caught:
        read_plan(path)
    (finding,) = caught.value.findings
    assert finding.message == f"{where}: not a time such as 2026-08-20T08:01:00Z"
    assert finding.object == str(path)
    assert finding.remedy


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_plan(tmp_path / "absent.json")
    with pytest.raises(InputError, match="directory"):
        read_plan(tmp_path)


def test_a_packed_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planner.usecases.inputs.plan_documents._LARGEST", 1 << 20)
    path = tmp_path / "plan.json.gz"
    path.write_bytes(gzip.compress(b" " * (50 << 20), mtime=0))
    with pytest.raises(InputError, match=r"larger than any plan document \(1 MiB\)"):
        read_plan(path)
