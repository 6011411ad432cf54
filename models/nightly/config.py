"""``nightly.yaml``: what a nightly run reads, how it plans, and where it leaves what."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from models.findings import Finding, InputError
from models.moments import seconds_of_duration
from models.nightly.reader import Reader, parse_reader
from models.policy import TimeZone
from models.prometheus import DemandQuery, PrometheusQuery, without_password
from models.seconds_field import Seconds

DAY_S = 86_400
SHORTEST_HORIZON_S = 60
LONGEST_HORIZON_S = 2_000 * 3600
NO_HISTORY = "none"


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Paths = Annotated[tuple[str, ...], BeforeValidator(_several)]


def _demand(value: Any) -> Any:
    return (value,) if isinstance(value, (str, Mapping)) else value


_FILE, _QUERY = "file", "question"
DemandEntry = Annotated[
    Annotated[str, Tag(_FILE)] | Annotated[DemandQuery, Tag(_QUERY)],
    Discriminator(lambda one: _QUERY if isinstance(one, (Mapping, DemandQuery)) else _FILE),
]
Demand = Annotated[tuple[DemandEntry, ...], BeforeValidator(_demand)]


class Inputs(BaseModel):
    """Where the snapshot comes from: files and folders, or a command that prints one, or both.

    Attributes
    ----------
    command
        A list of words is run as it is; a text is split as a shell would, but no shell runs.
    timeout
        Seconds after which the command is ended.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    paths: Paths = ()
    command: str | tuple[str, ...] | None = None
    timeout: Seconds = 300

    @model_validator(mode="after")
    def _something(self) -> Inputs:
        if not self.paths and not self.command:
            raise ValueError("names neither paths nor a command")
        if any(not one for one in self.paths):
            raise ValueError("holds an empty path")
        if "-" in self.paths:
            raise ValueError("standard input cannot be read unattended; give a command")
        return self


def _inputs(value: Any) -> Any:
    if isinstance(value, (str, list, tuple)):
        return {"paths": value}
    return value


class Retention(BaseModel):
    """Which earlier nights are kept; with both limits a night goes that exceeds one of them. None keeps all."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nights: int | None = Field(default=None, ge=1)
    age: Seconds | None = None


def _retention(value: Any) -> Any:
    if value is None:
        return {}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"nights": value}
    if isinstance(value, str):
        if seconds_of_duration(value) is None:
            raise ValueError("not a number of nights such as 30, nor an age such as 90d")
        return {"age": value}
    return value


def _readers(value: Any) -> Any:
    if value is None:
        return ()
    if isinstance(value, (str, Mapping)):
        value = (value,)
    if not isinstance(value, (list, tuple)):
        raise ValueError("not a list of readers")
    readers = tuple(parse_reader(one) for one in value)
    if len(set(readers)) < len(readers):
        raise ValueError("names a reader twice")
    return readers


class NightlyConfig(BaseModel):
    """All keys of ``nightly.yaml``; unknown ones are refused. Relative paths count from the file's own folder.

    Attributes
    ----------
    inputs
        Paths, or a mapping with ``command``.
    policy, demand
        Policy file; demand of online services: files, or queries of a Prometheus.
    horizon
        Seconds to plan.
    timezone
        Zone of the nights, and of the schedule where the policy sets none; None takes the policy's.
    output
        Folder that receives one folder per night.
    history
        Database URL; ``${NAME}`` in it is replaced by a variable of the environment. None is a SQLite file in
        ``output``, ``none`` keeps no history.
    report_for
        Readers for whom the report is cut, beside the whole report.
    folder
        The file's own folder; set by whoever reads the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    inputs: Annotated[Inputs, BeforeValidator(_inputs)]
    policy: str | None = None
    demand: Demand = ()
    horizon: Annotated[Seconds, Field(ge=SHORTEST_HORIZON_S, le=LONGEST_HORIZON_S)] = DAY_S
    timezone: TimeZone | None = None
    output: str = Field(default="nightly", min_length=1)
    retention: Annotated[Retention, BeforeValidator(_retention)] = Retention()
    history: str | Literal["none"] | None = None
    report_for: Annotated[tuple[Reader, ...], BeforeValidator(_readers)] = ()
    folder: Path = Field(default=Path(), exclude=True)

    def place(self, path: str) -> Path:
        """A path of the file as seen from the current folder."""
        return self.folder / Path(path).expanduser()


KEYS = tuple(name for name in NightlyConfig.model_fields if name != "folder")
_BELOW: Mapping[str, tuple[str, ...]] = {
    "": KEYS,
    "inputs": tuple(Inputs.model_fields),
    "retention": tuple(Retention.model_fields),
    "demand": tuple(DemandQuery.model_fields),
    "demand.prometheus": tuple(PrometheusQuery.model_fields),
}


def parse_config(raw: Any, *, source: str, folder: Path = Path()) -> NightlyConfig:
    """The configuration in a mapping that was read from ``source``, a file of ``folder``.

    Raises
    ------
    InputError
        No mapping, an unknown key (the nearest known one is named), or a bad value; one finding per fault.
    """
    if not isinstance(raw, Mapping):
        what = "is empty" if raw is None else "holds no mapping of keys to values"
        finding = Finding("nightly_config_invalid", "error", source, what, "write inputs: snap/")
        raise InputError(f"{source}: {what}", [finding])
    given = {str(key): value for key, value in raw.items()}
    if "folder" in given:
        finding = _unknown("folder", KEYS, source)
        raise InputError(f"{source}: {finding.message}", [finding])
    try:
        return NightlyConfig.model_validate({**given, "folder": folder})
    except ValidationError as error:
        findings = [_fault(detail, source) for detail in error.errors()]
        findings.sort(key=lambda one: one.code != "nightly_config_unknown_key")
        raise InputError(f"{source}: {findings[0].message}", findings) from error


def _fault(detail: Mapping[str, Any], source: str) -> Finding:
    parts = [part for part in detail["loc"] if part not in (_FILE, _QUERY)]
    location = [str(part) for part in parts if not (parts[0] == "demand" and isinstance(part, int))]
    known = _BELOW.get(".".join(location[:-1]))
    if detail["type"] == "extra_forbidden" and known:
        return _unknown(".".join(location), known, source)
    key = ".".join(location)
    if detail["type"] == "missing":
        what, remedy = f"key {key!r} is missing", f"write {key}: …"
    else:
        said = str(detail["msg"]).removeprefix("Value error, ").replace("a valid tuple", "a list")
        what = f"key {key!r}: {said} (got {without_password(detail.get('input'))[:80]!r})"
        remedy = "give a value of the documented kind"
    return Finding("nightly_config_invalid", "error", source, what, remedy)


def _unknown(key: str, known: tuple[str, ...], source: str) -> Finding:
    near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
    what = f"unknown key {key!r}: {hint}"
    return Finding("nightly_config_unknown_key", "error", source, what, "remove or rename it")
