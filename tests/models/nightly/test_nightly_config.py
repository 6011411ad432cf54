from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.nightly.config import KEYS, parse_config
from models.nightly.reader import Reader

CONTRACT = {
    "inputs",
    "policy",
    "demand",
    "horizon",
    "timezone",
    "output",
    "retention",
    "history",
    "report_for",
}


def read(**keys: Any) -> Any:
    return parse_config({"inputs": "snap", **keys}, source="nightly.yaml", folder=Path("conf"))


def fault(raw: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        parse_config(raw, source="nightly.yaml")
    return caught.value


def test_the_keys_are_those_of_the_contract() -> None:
    assert set(KEYS) == CONTRACT


def test_paths_count_from_the_folder_of_the_file() -> None:
    config = read(output="out")
    assert config.inputs.paths == ("snap",)
    assert config.place(config.output) == Path("conf/out")
    assert config.place("/srv/out") == Path("/srv/out")


def test_defaults() -> None:
    config = read()
    assert (config.horizon, config.timezone, config.history) == (86_400, None, None)
    assert config.retention.nights is None
    assert config.retention.age is None


def test_a_command_and_its_time_limit() -> None:
    config = read(inputs={"command": ["kubectl", "get", "pods"], "timeout": "2m"})
    assert config.inputs.command == ("kubectl", "get", "pods")
    assert config.inputs.timeout == 120


@pytest.mark.parametrize(
    ("value", "nights", "age"),
    [
        (30, 30, None),
        ("90d", None, 90 * 86_400),
        ({"nights": 7, "age": "30d"}, 7, 30 * 86_400),
        (None, None, None),
    ],
)
def test_retention_is_a_count_an_age_or_both(value: Any, nights: Any, age: Any) -> None:
    kept = read(retention=value).retention
    assert (kept.nights, kept.age) == (nights, age)


def test_readers_as_text_or_mapping() -> None:
    readers = read(report_for=["platform", "tenant team a", {"service": "chat"}]).report_for
    assert readers == (
        Reader("platform"),
        Reader("tenant", "team a"),
        Reader("service", "chat"),
    )
    assert str(readers[1]) == "tenant team a"
    assert read(report_for="capacity").report_for == (Reader("capacity"),)


def test_an_unknown_key_names_the_nearest() -> None:
    error = fault({"inputs": "snap", "retentoin": 3})
    assert "unknown key 'retentoin': did you mean 'retention'?" in str(error)
    assert error.exit_code == 3
    assert "did you mean 'command'" in str(fault({"inputs": {"comand": "x"}}))
    assert "known keys: inputs, policy" in str(fault({"inputs": "a", "folder": "x"}))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (None, "is empty"),
        (["a"], "holds no mapping"),
        ({}, "key 'inputs' is missing"),
        ({"inputs": []}, "neither paths nor a command"),
        ({"inputs": "-"}, "standard input cannot be read unattended"),
        ({"inputs": "a", "horizon": "10s"}, "key 'horizon'"),
        ({"inputs": "a", "horizon": "soon"}, "not a duration"),
        ({"inputs": "a", "timezone": "Mars"}, "not a time zone"),
        ({"inputs": "a", "retention": 0}, "key 'retention.nights'"),
        ({"inputs": "a", "retention": "often"}, "not a number of nights"),
        ({"inputs": "a", "retention": True}, "key 'retention'"),
        ({"inputs": "a", "report_for": ["tenant"]}, "a reader is written"),
        ({"inputs": "a", "report_for": ["platform x"]}, "a reader is written"),
        ({"inputs": "a", "report_for": ["platform", "platform"]}, "twice"),
        ({"inputs": "a", "report_for": 3}, "not a list of readers"),
    ],
)
def test_what_is_wrong_is_named(raw: Any, said: str) -> None:
    error = fault(raw)
    assert said in str(error)
    assert all(one.object == "nightly.yaml" and one.remedy for one in error.findings)
