"""What one night is planned on: snapshot, policy, demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.checks import check_snapshot
from models.demand import DemandSamples
from models.effective import EffectivePolicy, resolve_policy, with_keys
from models.nightly.config import NightlyConfig
from models.policy import Policy
from models.readers.input_files import MemoryFile
from models.snapshot import Snapshot
from planner.live.patience import stoppable
from planner.nightly.command import command_output, command_words
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.demand_files import read_demand, with_services
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.inputs.measured import with_use
from planner.usecases.inputs.policies import policy_keys, read_policy

NAMED = ("sample:", "cluster:")
"""What begins so is no path."""


@dataclass(frozen=True)
class NightInput:
    """Snapshot and policy with their findings, and the demand of online services."""

    given: CheckedInput
    demand: tuple[DemandSamples, ...]


def gather(
    config: NightlyConfig,
    *,
    policy_file: Path | None = None,
    assignments: Sequence[str] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> NightInput:
    """Read everything that the configuration names; small files first, so that a typing error shows at once.

    Parameters
    ----------
    policy_file, assignments
        Of the command line; they win over the policy of the configuration.

    Raises
    ------
    InputError, UsageError
        Something cannot be read.
    KeyboardInterrupt
        ``stopped`` became true.
    """
    flags = policy_keys(assignments)
    named = config.place(config.policy) if config.policy is not None else None
    chosen = policy_file or named
    file = read_policy(chosen) if chosen is not None else None
    files = [config.place(one) for one in config.demand if isinstance(one, str)]
    queries = [
        one.prometheus.beside(config.folder) for one in config.demand if not isinstance(one, str)
    ]
    with stoppable(stopped):
        demand = read_demand(files, queries=queries)
        snapshot = read_inputs(_sources(config, stopped))
        if stopped():
            raise KeyboardInterrupt
        policy = _policy(snapshot, config, file, flags)
        demand = with_services(demand, policy.policy)
        snapshot = with_use(snapshot, policy.policy)
    return NightInput(CheckedInput(snapshot, policy, check_snapshot(snapshot, policy)), demand)


def _sources(config: NightlyConfig, stopped: Callable[[], bool]) -> list[str | Path | MemoryFile]:
    found: list[str | Path | MemoryFile] = [
        one if one.startswith(NAMED) else config.place(one) for one in config.inputs.paths
    ]
    if config.inputs.command:
        words = command_words(config.inputs.command)
        found.append(command_output(words, config.inputs.timeout, config.folder, stopped))
    return found


def _policy(
    snapshot: Snapshot, config: NightlyConfig, file: Policy | None, flags: Mapping[str, Any]
) -> EffectivePolicy:
    """The effective policy; the zone of the nights is that of the schedule where the policy sets none."""
    policy = resolve_policy(snapshot, file, flags)
    if config.timezone is None or policy.origins.get("timezone") != "default":
        return policy
    return with_keys(policy, {"timezone": config.timezone}, origin="file")
