"""Exit code 3 and one clear message for every input that cannot be read."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gangplan = Callable[..., Any]
BROKEN = {
    "empty.json": b"",
    "blank.yaml": b"\n\n",
    "cut.json": b'{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "meta',
    "bad.yaml": b"a: [1, 2\nb: }",
    "binary.bin": bytes(range(256)),
    "deep.json": b"[" * 200_000,
    "text.txt": b"No resources found in default namespace.\n",
    "cut.gz": gzip.compress(b"apiVersion: v1\nkind: List\nitems: []\n" * 50, mtime=0)[:40],
    "tags.yaml": b"!!python/object/apply:os.system ['true']",
}


@pytest.mark.parametrize("name", sorted(BROKEN))
@pytest.mark.parametrize("verb", ["inspect", "plan", "convert"])
def test_broken_files(gangplan: Gangplan, tmp_path: Path, verb: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(BROKEN[name])
    done = gangplan(verb, path)
    assert done.exit_code == 3, done.stderr
    assert name in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("verb", ["inspect", "plan", "convert"])
def test_missing_files_and_empty_folders(gangplan: Gangplan, tmp_path: Path, verb: str) -> None:
    absent = gangplan(verb, tmp_path / "absent.json")
    assert absent.exit_code == 3
    assert "absent.json" in absent.stderr
    (tmp_path / "nothing").mkdir()
    empty = gangplan(verb, tmp_path / "nothing")
    assert empty.exit_code == 3
    assert "the folder holds no file" in empty.stderr


def test_a_wrong_policy_file_is_an_input_error(
    gangplan: Gangplan, snapshot_file: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("queue_modle: capacity")
    done = gangplan("plan", snapshot_file, "--policy", policy)
    assert done.exit_code == 3
    assert "did you mean 'queue_model'" in done.stderr


@pytest.mark.parametrize("arguments", [["report"], ["compare"], ["verify"], ["plan"]])
def test_missing_arguments_are_wrong_use(gangplan: Gangplan, arguments: list[str]) -> None:
    assert gangplan(*arguments).exit_code == 2


def test_an_incomplete_export_needs_consent(gangplan: Gangplan, tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(
        """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: gpu-1}
  status: {allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
- apiVersion: scheduling.volcano.sh/v1beta1
  kind: Queue
  metadata: {name: research}
  spec: {weight: 1}
  status: {state: Open, allocated: {cpu: "32", nvidia.com/gpu: "8"}}
"""
    )
    for verb in ("inspect", "plan"):
        done = gangplan(verb, path)
        assert done.exit_code == 3, done.stderr
        assert "--allow-incomplete" in done.stderr
        assert "queue/research" in done.stderr
    assert gangplan("inspect", path, "--allow-incomplete").exit_code == 0
