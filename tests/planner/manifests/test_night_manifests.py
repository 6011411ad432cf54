from __future__ import annotations

import csv
import io
import re
import shlex
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import yaml

from models.plan import PlanResult
from models.readers.input_files import memory_file
from models.readers.snapshot_reader import read_snapshot
from planner.manifests.build import manifest_archive, night_manifests
from planner.manifests.manifest_file import ManifestFile
from planner.testing.nights_by_hand import NightByHand, queue, volcano_job, whole_night

# Written down a second time, from the documentation of the cluster and not from the code.
MAY_SET = {
    "Command.bus.volcano.sh": {
        "action", "reason", "message", "metadata.generateName", "metadata.namespace",
        *(f"{owner}.{key}" for owner in ("target", "metadata.ownerReferences")
          for key in ("apiVersion", "kind", "name", "uid", "controller")),
    },
    "Job.batch": {"metadata.name", "metadata.namespace", "spec.suspend"},
    "Queue.scheduling.volcano.sh": {
        "metadata.name", "spec.weight", "spec.capability.nvidia.com/gpu",
        "spec.deserved.nvidia.com/gpu",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def night() -> NightByHand:
    return whole_night()


@pytest.fixture(scope="module")
def files(night: NightByHand) -> tuple[ManifestFile, ...]:
    return night_manifests(night.snapshot, night.result, night.policy)


def documents(files: tuple[ManifestFile, ...]) -> list[tuple[ManifestFile, Any]]:
    return [(one, yaml.safe_load(one.text)) for one in files if one.path.endswith(".yaml")]


def leaves(value: Any, path: str = "") -> set[str]:
    if isinstance(value, Mapping):
        return {
            leaf
            for key, below in value.items()
            for leaf in leaves(below, f"{path}.{key}" if path else key)
        }
    if isinstance(value, list):
        return {leaf for below in value for leaf in leaves(below, path)}
    return {path}


def test_every_field_is_one_that_the_cluster_lets_people_write(
    files: tuple[ManifestFile, ...],
) -> None:
    kinds = Counter()
    for file, body in documents(files):
        if file.operation == "resubmit":
            continue
        group = body["apiVersion"].rpartition("/")[0]
        kind = f"{body['kind']}.{group}"
        kinds[kind] += 1
        rest = {key: value for key, value in body.items() if key not in ("apiVersion", "kind")}
        assert leaves(rest) <= MAY_SET[kind], file.path
    assert set(kinds) == set(MAY_SET)


def test_text_and_value_are_the_same(files: tuple[ManifestFile, ...]) -> None:
    for file, body in documents(files):
        lines = file.text.splitlines(keepends=True)
        comments = [line for line in lines if line.startswith("#")]
        assert comments
        again = "".join(comments) + yaml.safe_dump(body, sort_keys=False, width=1000)
        assert again == file.text, file.path


def test_the_readers_read_back_what_is_an_object(files: tuple[ManifestFile, ...]) -> None:
    for file, body in documents(files):
        if file.operation == "resubmit":
            continue
        back = read_snapshot([memory_file(file.path, file.text.encode())])
        assert not [one for one in back.findings if one.severity == "error"], file.path
        if body["kind"] == "Queue":
            (read,) = (one for one in back.queues if one.name == "batch")
            told = int(body["spec"]["capability"]["nvidia.com/gpu"])
            assert read.capability == {"nvidia.com/gpu": told}
        elif body["kind"] == "Command":
            assert back.ignored == {"Command.bus.volcano.sh": 1}
        else:
            assert back.sources[0].objects == 1
            assert not back.ignored


def test_the_order_of_the_input_does_not_matter(files: tuple[ManifestFile, ...]) -> None:
    other = whole_night(seed_order=-1)
    assert night_manifests(other.snapshot, other.result, other.policy) == files


def test_what_is_held_starts_at_its_planned_time(files: tuple[ManifestFile, ...]) -> None:
    told = {(one.path.partition("/")[0][3:], one.path.partition("/")[2]) for one in files}
    assert ("0915-1920-hold", "abort-ml.held.yaml") in told
    assert ("0915-2220-start", "resume-ml.held.yaml") in told
    assert ("0915-1920-hold", "suspend-ml.kept.yaml") in told
    assert ("0915-2120-start", "resume-ml.kept.yaml") in told
    assert ("0915-2120-start", "resume-ml.asleep.yaml") in told
    assert not [one for one in files if "first" in one.path and "-hold/" in one.path]


def test_a_planned_stop_leaves_time_for_the_grace_period(files: tuple[ManifestFile, ...]) -> None:
    (stop,) = (one for one in files if one.path.endswith("-leave/abort-ml.leaves.yaml"))
    (back,) = (one for one in files if one.path.endswith("-start/resume-ml.leaves.yaml"))
    assert stop.at is not None
    assert back.at is not None
    end = whole_night().result.schedule
    assert end is not None
    assert stop.at == end.edges[4] - 15 - 1
    assert back.at == end.edges[6]


def test_every_abort_that_the_plan_asks_for_has_its_resumption(
    files: tuple[ManifestFile, ...],
) -> None:
    wanted = Counter()
    for one, body in documents(files):
        if one.operation == "create" and "-check/" not in one.path:
            name = body["target"]["name"]
            wanted[name] += {"AbortJob": 1, "ResumeJob": -1}[body["action"]]
    assert set(wanted) == {"held", "leaves"}
    assert not any(wanted.values())


def test_a_job_without_retries_is_not_aborted_to_hold_it(files: tuple[ManifestFile, ...]) -> None:
    assert not [one for one in files if "tired" in one.path]
    readme = files[0].text
    assert (
        "| `ml/tired` | no command or patch of its own holds it; the limit of queue batch" in readme
    )


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


def test_queue_limits_follow_the_plan_and_are_taken_back(
    night: NightByHand, files: tuple[ManifestFile, ...]
) -> None:
    before = queue("batch", deserved=40, capability=72)
    schedule = night.result.schedule
    assert schedule is not None
    now, seen = before, []
    for file, body in documents(files):
        if body and not isinstance(body, list) and body["kind"] == "Queue":
            assert file.at is not None
            now = merged(now, body)
            capability = int(now["spec"]["capability"]["nvidia.com/gpu"])
            assert int(now["spec"]["deserved"]["nvidia.com/gpu"]) <= capability
            if "-limit/" in file.path:
                assert capability == schedule.queues[0].used[schedule.horizon.bucket_at(file.at)]
            seen.append(capability)
    assert seen[-1] == 72
    assert now == before
    assert len(seen) == 6


def test_the_undo_takes_away_what_the_queue_did_not_have() -> None:
    made = whole_night()
    bare = queue("batch", deserved=40)
    queues = tuple(replace(one, capability={}) for one in made.snapshot.queues)  # type: ignore[arg-type]
    snapshot = replace(made.snapshot, queues=queues)
    now = bare
    for _, body in documents(night_manifests(snapshot, made.result, made.policy)):
        if not isinstance(body, list) and body["kind"] == "Queue":
            now = merged(now, body)
    assert now == bare


def test_commands_run_as_they_stand(files: tuple[ManifestFile, ...]) -> None:
    paths = {one.path for one in files}
    for one in files:
        for line in one.command.splitlines():
            parts = shlex.split(line.partition(" > ")[0])
            assert parts[0] == "kubectl"
            assert parts[1] in ("create", "patch", "delete")
            for part in parts:
                key, _, value = part.partition("=")
                if key in ("--patch-file", "--filename") and value.endswith(".yaml"):
                    assert value in paths or value in ("YOUR-MANIFEST.yaml", "again.yaml")
            assert line in files[0].text


def test_the_readme_names_every_file_and_is_in_order(files: tuple[ManifestFile, ...]) -> None:
    text = files[0].text
    assert files[0].path == "README.md"
    assert all(one.path in text for one in files[1:])
    steps = [int(found) for found in re.findall(r"^## Step (\d+):", text, re.M)]
    assert steps == list(range(1, len(steps) + 1))
    moments = [one.at for one in files if one.at is not None]
    assert moments == sorted(moments)
    assert "nothing was applied" in text


def test_the_eviction_list_says_who_is_gone_by_when(files: tuple[ManifestFile, ...]) -> None:
    (listed,) = (one for one in files if one.path == "evictions.csv")
    rows = list(csv.DictReader(io.StringIO(listed.text)))
    by_gang = {(row["gang"], row["planned"]) for row in rows}
    assert ("leaves", "stop") in by_gang
    assert ("podgroup-ends", "only if it still runs") in by_gang
    (row,) = (row for row in rows if row["gang"] == "podgroup-ends")
    assert row["leave_by"] == "2026-09-16 00:20 UTC"
    assert row["stop_by"] == "2026-09-16 00:19:44 UTC"
    assert row["pods"] == "ends-0"
    assert shlex.split(row["command"])[-1] == '--patch={"spec":{"suspend":true}}'
    assert [row["leave_by"] for row in rows] == sorted(row["leave_by"] for row in rows)


def applied(body: Any, patch: list[dict[str, Any]]) -> Any:
    """RFC 6902 for the operations that are used."""
    found = yaml.safe_load(yaml.safe_dump(body))
    for one in patch:
        *above, last = one["path"].strip("/").split("/")
        place = found
        for part in above:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if one["op"] == "test":
            assert place[last] == one["value"]
        elif one["op"] == "replace":
            assert last in place
            place[last] = one["value"]
        else:
            place[last] = one["value"]
    return found


def test_a_resubmission_adds_the_nodes_of_the_plan_and_nothing_else(
    files: tuple[ManifestFile, ...],
) -> None:
    (file,) = (one for one in files if one.operation == "resubmit")
    assert file.text.startswith("# RE-SUBMIT:")
    mine = volcano_job("first", uid="8f3")
    changed = applied(mine, yaml.safe_load(file.text))
    read = read_snapshot([memory_file("again.yaml", yaml.safe_dump(changed).encode())])
    (term,) = read.gangs[0].templates[0].spec.node_affinity or ()
    assert term.matches("n2", {"kubernetes.io/hostname": "n2"})
    assert not term.matches("n3", {"kubernetes.io/hostname": "n3"})
    del changed["spec"]["tasks"][0]["template"]["spec"]["affinity"]
    assert changed == mine


def test_an_archive_of_the_same_files_has_the_same_bytes(files: tuple[ManifestFile, ...]) -> None:
    packed = manifest_archive(files)
    assert packed == manifest_archive(files)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [f"manifests/{one.path}" for one in files]
        assert archive.read("manifests/README.md").decode() == files[0].text


def test_a_plan_without_schedule_has_no_manifests(night: NightByHand) -> None:
    with pytest.raises(ValueError, match="no schedule"):
        night_manifests(night.snapshot, PlanResult(), night.policy)
