"""The policy of a run: the file, single keys of the command line, or what a plan document says."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from models.drill import DrillResult
from models.findings import Finding, InputError, UsageError
from models.plan import PlanResult
from models.policy import Policy, parse_policy
from models.readers.problems import BadFile
from models.readers.yaml_values import refuse_alias_bomb
from planner.samples import named_sample, sample_policy

_TIMESTAMP_TAG = "tag:yaml.org,2002:timestamp"


class _PlainLoader(yaml.SafeLoader):
    """The safe loader that leaves time stamps as the text they are (``now`` is RFC 3339 text).

    A key that is written twice is an error: YAML's libraries take the last one and say nothing.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are all different."""
        seen = set()
        for key, _ in node.value:
            text = key.value if isinstance(key, yaml.ScalarNode) else None
            if text is not None and text != "<<" and text in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {text!r} is written twice", key.start_mark
                )
            seen.add(text)
        return super().construct_mapping(node, deep=deep)


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != _TIMESTAMP_TAG]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _ChangesLoader(_PlainLoader):
    """Leaves ``+8`` the text that it is: a change of the present amount, where YAML sees the number 8."""


_CHANGE = ("tag:yaml.org,2002:str", re.compile(r"\+[0-9.]+$"))
_ChangesLoader.yaml_implicit_resolvers = {
    **_PlainLoader.yaml_implicit_resolvers,
    "+": [_CHANGE, *_PlainLoader.yaml_implicit_resolvers.get("+", [])],
}


def read_policy(path: Path) -> Policy:
    """Read a policy file; an empty one means all defaults. ``sample:NAME`` is the policy of a sample.

    Raises
    ------
    UsageError
        There is no such sample, or it has no policy.
    InputError
        Not readable, not YAML, not a mapping, an unknown key (the nearest known one is named) or a bad value.
    """
    sample = named_sample(str(path))
    if sample:
        own = sample_policy(sample)
        if own is None:
            raise UsageError(f"the sample {sample!r} has no policy; leave --policy away")
        path = own
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _policy_error(path, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _policy_error(path, "is not UTF-8 text") from error
    return policy_of_text(text, str(path))


def policy_of_text(text: str, source: str) -> Policy:
    """The policy in the text of a file; an empty one means all defaults.

    Raises
    ------
    InputError
        Not YAML, not a mapping, an unknown key (the nearest known one is named) or a bad value.
    """
    raw = load_yaml(text, source)
    if raw is not None and not isinstance(raw, Mapping):
        raise _policy_error(source, f"holds a {type(raw).__name__}, not a mapping of policy keys")
    return parse_policy(raw, source=source)


def policy_keys(assignments: Sequence[str]) -> dict[str, Any]:
    """Policy keys of ``KEY=VALUE`` texts, validated; values are YAML.

    Raises
    ------
    UsageError
        No ``=``, unknown key, bad YAML or bad value.
    """
    raw: dict[str, Any] = {}
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set-policy {text!r}: write it as KEY=VALUE")
        try:
            raw[key.strip()] = load_yaml(value, f"--set-policy {key.strip()}")
        except InputError as error:
            raise UsageError(str(error)) from error
    try:
        policy = parse_policy(raw, source="--set-policy")
    except InputError as error:
        raise UsageError(str(error)) from error
    return {key: getattr(policy, key) for key in raw}


def policy_of_plan(result: PlanResult | DrillResult) -> Policy | None:
    """What a plan document says a person had set (origin file, flag or scenario), or None where it says nothing.

    Keys written plainly, without origin, count as set: a plan may be written by hand.
    """
    raw: dict[str, Any] = {}
    for key, entry in result.policy.items():
        if not (isinstance(entry, Mapping) and "origin" in entry):
            raw[key] = entry
        elif entry["origin"] in ("file", "flag", "scenario"):
            raw[key] = entry.get("value")
    return parse_policy(raw, source="policy in the plan document") if raw else None


def load_yaml(text: str, source: str, *, changes: bool = False) -> Any:
    """Plain values of a YAML text; time stamps stay text, with ``changes`` also numbers with a plus sign.

    Raises
    ------
    InputError
        No YAML, nested too deeply, or an alias bomb.
    """
    try:
        refuse_alias_bomb(text)
        return yaml.load(io.StringIO(text), Loader=_ChangesLoader if changes else _PlainLoader)
    except BadFile as error:
        remedy = "write the values out"
        finding = Finding("policy_not_yaml", "error", source, str(error), remedy)
        raise InputError(f"{source}: {error}", [finding]) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or _plain_words(error)
        raise InputError(
            f"{source}: is not valid YAML{where}: {what}",
            [
                Finding(
                    "policy_not_yaml", "error", source, f"{what}{where}", "correct the YAML syntax"
                )
            ],
        ) from error


def _plain_words(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else type(error).__name__


def _policy_error(path: Path | str, what: str) -> InputError:
    finding = Finding(
        "policy_unreadable", "error", str(path), what, "give a YAML file of policy keys"
    )
    return InputError(f"{path}: {what}", [finding])
