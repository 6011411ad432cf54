"""Input that nobody's cluster prints: one clear message each, quickly, and nothing but InputError."""

from __future__ import annotations

import gzip
import io
import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.readers import read_snapshot

NODE = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}'
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + level)}: &{chr(98 + level)} [{', '.join([f'*{chr(97 + level)}'] * 9)}]\n"
    for level in range(9)
)
LIST_BOMB = (
    "kind: List\nitems:\n- &a {kind: List, items: ["
    + NODE
    + "]}\n"
    + "".join(
        f"- &{chr(98 + level)} {{kind: List, items: [{', '.join([f'*{chr(97 + level)}'] * 9)}]}}\n"
        for level in range(9)
    )
)
DEEP_JSON = (
    '{"kind":"Node","metadata":{"name":"n"},"spec":' + '{"a":' * 100_000 + "1" + "}" * 100_001
)
DEEP_YAML = "kind: Node\nmetadata: {name: n}\nspec:\n" + "".join(
    " " * (n + 1) + "a:\n" for n in range(2000)
)

HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "no object at all"),
    "blank": (" \n\n", "no object at all"),
    "comment": ("# nothing\n", "no object at all"),
    "no_items": ('{"kind": "List", "items": []}', "no object at all"),
    "null": ("null", "list or an object|no object|none of the known formats"),
    "prose": ("This is a letter.\nIt is no export.\n", "none of the known formats"),
    "number": ("42", "none of the known formats"),
    "text_key": ("a: b\n", "kind is missing"),
    "yaml_broken": ("kind: Node\n  metadata: x\n bad", "not YAML"),
    "yaml_tab": ("kind: Node\nmetadata:\n\tname: n\n", "not YAML"),
    "yaml_tag": ("kind: !!python/object/apply:os.system ['true']\n", "tag .* not supported"),
    "yaml_unknown_alias": (
        "kind: Node\nmetadata: *nowhere\n",
        "anchor of alias .nowhere is not defined",
    ),
    "yaml_recursive": (
        "kind: Node\nmetadata: &a {name: *a}\n",
        "anchor of alias .a is not defined",
    ),
    "yaml_hidden_anchor": (
        "kind: Pod\nspec: {env: [&a b]}\nmetadata: {name: *a}\n",
        "a field that is dropped",
    ),
    "yaml_list_key": ("kind: Node\n? [a]\n: b\n", "a key that is not plain text"),
    "yaml_merge_text": (
        "kind: Node\nmetadata: {<<: [abc]}\n",
        "merges something that is no mapping",
    ),
    "yaml_bomb": (BOMB, "expand the text|kind is missing"),
    "yaml_list_bomb": (LIST_BOMB, "expand the text"),
    "yaml_deep_flow": ("kind: Node\nspec: " + "[" * 50_000, "nested|not YAML"),
    "yaml_deep_block": (DEEP_YAML, "nested more than 100 levels"),
    "yaml_deep_dropped": ("kind: Pod\nspec:\n env: " + "[" * 50_000, "nested|not YAML"),
    "yaml_quote_open": ('kind: "Node\n' + "x\n" * 1000, "not YAML"),
    "json_truncated": (
        '{"kind": "List", "items": [' + NODE + ', {"kind": "Po',
        "ends in the middle",
    ),
    "json_cut_after_item": ('{"kind": "List", "items": [' + NODE + ",", "ends in the middle"),
    "json_cut_list": ('{"kind": "List", "items": [' + NODE, "ends in the middle"),
    "json_comma": ('{"kind": "List", "items": [' + NODE + " " + NODE + "]}" + " " * 50, "broken"),
    "json_garbage_after": (NODE + " x y z and more words follow here", "list or an object"),
    "json_deep": (DEEP_JSON, "nested too deeply"),
    "json_brackets": ("[" * 100_000, "nested too deeply"),
    "json_nan": (
        '{"kind": "Node", "metadata": {"name": "n"}, "value": NaN, "other": [1, 2, 3]}',
        "NaN is no JSON",
    ),
    "json_infinite": (
        '{"kind": "Node", "metadata": {"name": "n"}, "value": -Infinity}',
        "Infinity is no JSON",
    ),
    "json_long_number": (
        '{"kind": "Node", "metadata": {"name": "n"}, "value": ' + "9" * 10_000 + "}",
        "thousands of digits",
    ),
    "json_scalars": ("[1, 2, 3]", "stands where an object is expected"),
    "json_surrogate": (
        '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "\\ud800"}}',
        "holds control characters",
    ),
    "json_list_kind": ('{"kind": ["Node"], "metadata": {"name": "n"}}', "kind is missing"),
    "lists_in_lists": ("[" * 60 + NODE + "]" * 60, "lists inside lists"),
    "not_utf8": (b"kind: Node\nmetadata: {name: \xff\xfe}\n", "not valid UTF-8"),
    "half_character": (b'{"kind": "Node"}' + b"\xc3", "not valid UTF-8"),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00\x00\x00", "binary data"),
    "controls": (b"\x01\x02\x03\x04\x05 abc", "binary data"),
    "gzip_cut": (gzip.compress(NODE.encode() * 100, mtime=0)[:-20], "gzip data is damaged"),
    "gzip_flipped": (
        gzip.compress(NODE.encode(), mtime=0)[:20] + b"\x00" * 30,
        "gzip data is damaged",
    ),
    "gzip_twice": (
        gzip.compress(gzip.compress(NODE.encode(), mtime=0), mtime=0),
        "gzip data inside gzip data",
    ),
    "gzip_only_magic": (b"\x1f\x8b", "gzip data is damaged"),
    "plan_document": ('{"kind": "PlanResult", "schemaVersion": 1, "gangs": []}', "plan document"),
    "snapshot_version": (
        '{"kind": "GangplanSnapshot", "schemaVersion": 99}',
        "schemaVersion is 99",
    ),
    "snapshot_field": ('{"kind": "GangplanSnapshot", "schemaVersion": 1, "x": 1}', "no field 'x'"),
    "snapshot_pod": (
        '{"kind": "GangplanSnapshot", "schemaVersion": 1, "pods": [{"namespace": "a", "name": "b", "spec": 7}]}',
        "no index",
    ),
    "snapshot_name": (
        '{"kind": "GangplanSnapshot", "schemaVersion": 1, "nodes": [{"name": "<b>"}]}',
        "is not a name",
    ),
    "snapshot_amount": (
        '{"kind": "GangplanSnapshot", "schemaVersion": 1, "nodes": [{"name": "a", "allocatable": {"cpu": -1}}]}',
        "not an amount",
    ),
    "snapshot_gang": (
        '{"kind": "GangplanSnapshot", "schemaVersion": 1, "podSpecs": [{}],'
        ' "pods": [{"namespace": "a", "name": "b", "spec": 0, "gang": "a/c"}]}',
        "not there",
    ),
    "csv_cut": ("sn,cpu_milli,memory_mib,gpu,model\nn0,1000,10\n", "row 1: 3 values for 5 columns"),
    "csv_words": (
        "sn,cpu_milli,memory_mib,gpu,model\nn0,many,10,1,T4\n",
        "row 1: .* is not a quantity",
    ),
    "csv_negative": ("sn,cpu_milli,memory_mib,gpu,model\nn0,1,10,-1,T4\n", "negative"),
    "csv_unknown": ("workload,policy,seeds\ndefault,Random,10\n", "none of the known formats"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file(tmp_path: Path, name: str) -> None:
    data, message = HOSTILE[name]
    path = tmp_path / f"{name}.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    start = time.perf_counter()
    with pytest.raises(InputError, match=message) as caught:
        read_snapshot([path])
    assert time.perf_counter() - start < 5
    for finding in caught.value.findings:
        assert f"{name}.txt" in finding.object
        assert finding.remedy
        assert finding.severity == "error"
        assert (finding.object + finding.message).isprintable()
        assert len(finding.message) < 300
    assert caught.value.exit_code == 3


def test_one_bad_file_among_good_ones_is_named(tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / f"good{index}.json").write_text(NODE)
    (tmp_path / "bad.json").write_text(NODE[:-3])
    (tmp_path / "worse.yaml").write_bytes(b"\x00\x01")
    with pytest.raises(
        InputError, match=r"bad.json: the JSON text ends in the middle \(and 1 more\)"
    ) as caught:
        read_snapshot([tmp_path])
    assert [one.object.rpartition("/")[2] for one in caught.value.findings] == [
        "bad.json",
        "worse.yaml",
    ]


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_snapshot([tmp_path / "nowhere.json"])
    with pytest.raises(InputError, match="cannot be read"):
        read_snapshot(["a\x00b"])
    with pytest.raises(InputError, match=f"{tmp_path.name}: the folder holds no file"):
        read_snapshot([tmp_path])
    with pytest.raises(InputError, match="no object at all"):
        read_snapshot([])


class Failing(io.RawIOBase):
    """A stream that breaks after its first bytes."""

    def __init__(self) -> None:
        self.reads = 0

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        if self.reads > 1:
            raise OSError(5, "Input/output error")
        return b"{ "


def test_a_stream_that_breaks() -> None:
    with pytest.raises(InputError, match="standard input: cannot be read: Input/output error"):
        read_snapshot(["-"], stdin=Failing())  # type: ignore[arg-type]


class Endless(io.RawIOBase):
    """More junk than anyone wants to read; counts what was taken."""

    def __init__(self, piece: bytes, size: int = 200 * 1024 * 1024) -> None:
        self.piece, self.left, self.taken = piece, size, 0

    def read(self, size: int = -1) -> bytes:
        data = (self.piece * (size // len(self.piece) + 1))[: min(size, self.left)]
        self.left -= len(data)
        self.taken += len(data)
        return data


@pytest.mark.parametrize(
    "piece",
    [
        b"\x00",
        b"\x8f\x02\xfe\x9c",
        b"aGVsbG8gd29ybGQ",
        b"word and word\n",
        b"[",
        b"{",
        b'{"a":',
        b"- - - ",
        b"]",
    ],
    ids=["zeros", "noise", "base64", "prose", "brackets", "braces", "objects", "dashes", "closing"],
)
def test_200_mb_of_junk_are_not_read_to_the_end(piece: bytes) -> None:
    stream = Endless(piece)
    start = time.perf_counter()
    with pytest.raises(InputError):
        read_snapshot(["-"], stdin=stream)  # type: ignore[arg-type]
    assert time.perf_counter() - start < 5
    assert stream.taken < 4 * 1024 * 1024


@pytest.mark.parametrize("filling", [b" ", b"\n", b"{},"], ids=["blanks", "lines", "objects"])
def test_gzip_bombs_stop_early(filling: bytes) -> None:
    packer = io.BytesIO()
    with gzip.GzipFile(fileobj=packer, mode="wb", compresslevel=6) as file:
        file.write(b"[" if filling == b"{}," else b"")
        for _ in range(100):
            file.write(filling * (1024 * 1024 // len(filling)))
    packer.seek(0)
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(InputError):
        read_snapshot(["-"], stdin=packer)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.perf_counter() - start < 30
    assert peak < 100 * 1024 * 1024


def test_a_folder_of_many_files(tmp_path: Path) -> None:
    for index in range(2_000):
        (tmp_path / f"{index:05}.json").write_text(NODE.replace("n1", f"n{index}"))
    start = time.perf_counter()
    snapshot = read_snapshot([tmp_path])
    assert time.perf_counter() - start < 5
    assert len(snapshot.nodes) == len(snapshot.sources) == 2_000


def test_cycles_of_queues_and_hyper_nodes_are_only_data(read: Any, objects: Any) -> None:
    def hyper_node(name: str, child: str) -> Any:
        members = [{"type": "HyperNode", "selector": {"exactMatch": {"name": child}}}]
        return objects.obj(
            "HyperNode", "topology.volcano.sh/v1alpha1", name, spec={"tier": 1, "members": members}
        )

    snapshot = read(
        objects.queue("a", parent="b"),
        objects.queue("b", parent="a"),
        objects.queue("c", parent="c"),
        hyper_node("x", "y"),
        hyper_node("y", "x"),
    )
    assert [queue.parent for queue in snapshot.queues] == ["b", "a", "c"]
    assert len(snapshot.hyper_nodes) == 2


def test_a_broken_item_in_the_middle_of_a_large_list_is_found_without_reading_on(
    tmp_path: Path,
) -> None:
    good = json.dumps({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s" * 200}})
    stream = Endless(b"," + good.encode())
    head = ('{"kind":"List","items":[' + good + ', {"kind" "Node"}').encode()
    whole = io.BytesIO(head + stream.read(8 * 1024 * 1024))
    with pytest.raises(InputError, match="broken"):
        read_snapshot(["-"], stdin=whole)
    assert whole.tell() < 4 * 1024 * 1024


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b'{"kind": "List", "items": [{"kind": "Node", "spec": [', b"1,"),
        (b'{"kind": "List", "items": [{"kind": "Node", "spec": "', b"aaaaaaaaaaaaaaaa"),
        (b"kind: List\nitems:\n- kind: Node\n  spec:\n", b"  - 1\n"),
    ],
    ids=["numbers", "text", "yaml"],
)
def test_one_endless_object_is_refused_before_it_fills_the_memory(
    head: bytes, piece: bytes
) -> None:
    # An object of 700 MB of numbers took 3.6 GB and two minutes before it was refused.
    stream = Endless(piece, 1 << 30)
    source = io.BufferedReader(Chained(head, stream))
    with pytest.raises(InputError, match=r"one object (is larger than 16 MiB|has more keys)"):
        read_snapshot(["-"], stdin=source)
    assert stream.taken < 100 << 20


class Chained(io.RawIOBase):
    """Some bytes, then a stream."""

    def __init__(self, head: bytes, rest: Endless) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)
