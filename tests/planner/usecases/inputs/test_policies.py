from __future__ import annotations

from pathlib import Path

import pytest

from models.effective import resolve_policy
from models.findings import InputError, UsageError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.usecases.inputs.policies import policy_keys, policy_of_plan, read_policy


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


def test_keys_of_the_file_are_read(policy_file: Path) -> None:
    policy_file.write_text("queue_model: capacity\nevict: [preempt]\n")
    policy = read_policy(policy_file)
    assert policy.queue_model == "capacity"
    assert policy.evict == ("preempt",)


def test_a_time_without_quotes_stays_text(policy_file: Path) -> None:
    policy_file.write_text("now: 2026-11-29T10:00:00Z\n")
    assert read_policy(policy_file).now == "2026-11-29T10:00:00Z"


BOMB = "".join(f"k{i}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(12))


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}"])
def test_an_empty_file_means_all_defaults(policy_file: Path, text: str) -> None:
    policy_file.write_text(text)
    assert read_policy(policy_file).model_fields_set == set()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("queue_modle: capacity", "did you mean 'queue_model'"),
        ("queue_model: fair", "queue_model"),
        ("evict: everything", "evict"),
        ("- evict", "not a mapping"),
        ("evict", "not a mapping"),
        ("evict: [", "not valid YAML at line"),
        ("a: 1\n---\nb: 2", "not valid YAML"),
        ("evict: !!python/object/apply:os.system [ls]", "not valid YAML"),
        ("1: 2", "unknown policy key '1'"),
        ("a: &a [1]\n" + BOMB, "aliases expand the text"),
        ("[" * 1500, "nested too deeply"),
    ],
)
def test_a_bad_file_is_an_input_error_that_names_it(
    policy_file: Path, text: str, message: str
) -> None:
    policy_file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_policy(policy_file)
    assert caught.value.exit_code == 3
    assert caught.value.findings[0].object == str(policy_file)
    assert caught.value.findings[0].remedy


def test_files_that_cannot_be_read(policy_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_policy(policy_file)
    with pytest.raises(InputError, match="directory"):
        read_policy(tmp_path)
    policy_file.write_bytes(b"\xff\xfe\x00evict")
    with pytest.raises(InputError, match="UTF-8"):
        read_policy(policy_file)


def test_the_command_line_wins_over_the_file_and_says_so(policy_file: Path) -> None:
    policy_file.write_text("objective: throughput\npriority_scope: cluster\n")
    flags = policy_keys(["objective=default", "evict=[]"])
    policy = resolve_policy(Snapshot(), read_policy(policy_file), flags)
    assert policy.policy.objective == "default"
    assert policy.origins["objective"] == "flag"
    assert policy.origins["priority_scope"] == "file"
    assert policy.origins["harm"] == "default"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("objective", "KEY=VALUE"),
        ("=x", "KEY=VALUE"),
        ("objektive=throughput", "did you mean 'objective'"),
        ("evict=[", "not valid YAML"),
        ("evict=all", "evict"),
    ],
)
def test_a_bad_key_on_the_command_line_is_a_usage_error(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        policy_keys([text])


def test_a_plan_says_what_was_set_but_not_its_defaults() -> None:
    effective = resolve_policy(Snapshot(), None, policy_keys(["objective=throughput"]))
    policy = policy_of_plan(PlanResult(policy=effective.document()))
    assert policy is not None
    assert policy.model_fields_set == {"objective"}
    by_hand = policy_of_plan(PlanResult(policy={"queue_model": "capacity"}))
    assert by_hand is not None
    assert by_hand.queue_model == "capacity"
    assert policy_of_plan(PlanResult()) is None
