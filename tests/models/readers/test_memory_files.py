from __future__ import annotations

import gzip
import json

import pytest

from models.findings import InputError
from models.readers import read_snapshot
from models.readers.input_files import memory_file

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "8", "pods": "110"}},
}


def test_bytes_are_read_like_a_file(tmp_path):
    data = json.dumps(NODE).encode()
    path = tmp_path / "nodes.json"
    path.write_bytes(data)
    from_memory = read_snapshot([memory_file("nodes.json", data)])
    assert from_memory.digest == read_snapshot([path]).digest
    assert read_snapshot([memory_file("n.gz", gzip.compress(data))]).digest == from_memory.digest
    assert from_memory.sources[0].name == "nodes.json"


def test_several_files_of_one_name_are_merged():
    other = {**NODE, "metadata": {"name": "n2"}}
    files = [memory_file("a.json", json.dumps(one).encode()) for one in (NODE, other)]
    assert [node.name for node in read_snapshot(files).nodes] == ["n1", "n2"]


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\snap\\nodes.json", "nodes.json"),
        ("", "upload"),
        ("a\x1b[2J.json", "'a\\x1b[2J.json'"),
    ],
)
def test_names_are_labels_and_never_paths(given, label):
    assert memory_file(given, b"").name == label


def test_damaged_bytes_are_faults_of_their_name():
    with pytest.raises(InputError, match=r"bad\.json"):
        read_snapshot([memory_file("bad.json", b'{"kind": "List", "items": [')])
