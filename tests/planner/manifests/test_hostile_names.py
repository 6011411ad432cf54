from __future__ import annotations

import re
import shlex
from dataclasses import replace

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.manifests.build import night_manifests
from planner.manifests.manifest_file import ManifestFile
from planner.manifests.quoting import code, file_part, one_line, words
from planner.testing.nights_by_hand import NightByHand, whole_night

NAMES = st.text(min_size=1, max_size=30)
NASTY = (
    "$(reboot)",
    "a;b",
    "--all",
    "../../etc/passwd",
    "null",
    "1e3",
    "yes",
    "a`b|c",
    "ä\u202eb",
    "'\"",
    "a\nb: c",
)


@given(st.lists(NAMES, min_size=1))
def test_every_part_is_one_word(parts: list[str]) -> None:
    assert shlex.split(words(*parts)) == parts


@given(NAMES)
def test_a_comment_stays_on_its_line(text: str) -> None:
    shown = one_line(text)
    assert shown.isprintable()
    assert len(shown.splitlines()) <= 1


@given(NAMES, NAMES)
def test_file_names_are_plain_and_tell_texts_apart(one: str, other: str) -> None:
    part = file_part(one)
    assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", part)
    assert (part == file_part(other)) == (one == other)


@given(NAMES)
def test_a_code_span_ends_where_it_should(text: str) -> None:
    assert code(text).count("`") == 2


def renamed(night: NightByHand, new: str) -> NightByHand:
    """The gang ``held``, its namespace and the queue under another name, as a foreign snapshot may hold them."""
    snapshot, schedule = night.snapshot, night.result.schedule
    assert schedule is not None
    gangs = tuple(
        replace(one, namespace=new, name=new, queue=new) if one.name == "held" else one
        for one in snapshot.gangs
        if one.name != "tired"
    )
    listed = tuple(
        one.model_copy(update={"namespace": new, "name": new, "queue": new})
        if one.name == "held"
        else one
        for one in schedule.gangs
        if one.name != "tired"
    )
    queues = (*snapshot.queues, replace(snapshot.queues[0], name=new))
    changed = replace(snapshot, gangs=gangs, queues=queues)
    result = night.result.model_copy(
        update={"schedule": schedule.model_copy(update={"gangs": listed})}
    )
    return NightByHand(changed, result, night.policy)


NIGHT = whole_night()


def made_for(name: str) -> tuple[ManifestFile, ...]:
    night = renamed(NIGHT, name)
    return night_manifests(night.snapshot, night.result, night.policy)


def check(name: str) -> None:
    files = made_for(name)
    held = [one for one in files if one.subject == f"gang {name}/{name}"]
    assert len(held) >= 2
    for file in held:
        body = yaml.safe_load(file.text)
        assert body["target"]["name"] == name
        assert body["metadata"]["namespace"] == name
        assert body["metadata"]["generateName"].startswith(name)
        parts = file.path.split("/")
        assert len(parts) == 2
        assert ".." not in parts
        assert shlex.split(file.command) == ["kubectl", "create", f"--filename={file.path}"]
        assert file.path in files[0].text
    assert all(sign.isprintable() or sign == "\n" for sign in files[0].text)


def test_nasty_names() -> None:
    for name in NASTY:
        check(name)


@settings(max_examples=25, deadline=None)
@given(NAMES)
def test_any_name(name: str) -> None:
    check(name)
