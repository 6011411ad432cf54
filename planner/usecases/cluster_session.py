"""A cluster as the dashboard holds it: where it came from, and what is there before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from models.effective import resolve_policy
from models.findings import Finding, InputError
from models.gpu import gpu_model, whole_gpu_names
from models.plan import FindingEntry, NodeEntry, PlanResult, SnapshotEntry
from models.policy import Policy
from models.pools import pool_of
from models.readers.input_files import list_input_files, memory_file
from models.snapshot import Snapshot
from planner.documents.domain_entries import path_in
from planner.documents.node_entries import conditions_of, used_now
from planner.encode.topology import topology_forest
from planner.samples import (
    DEFAULT_SAMPLE,
    sample_names,
    sample_path,
    sample_policy,
    sample_title,
)
from planner.usecases.inputs.checked_input import CheckedInput, checked
from planner.usecases.inputs.inputs import is_cluster, read_inputs
from planner.usecases.inputs.measured import with_use
from planner.usecases.inputs.policies import read_policy

Origin = Literal["sample", "files", "upload"]
MIB = 1 << 20


@dataclass(frozen=True)
class Opened:
    """One snapshot and how it was opened.

    Attributes
    ----------
    name
        Sample name, or file names; never a path of the server that the visitor did not give.
    policy
        The policy file that the server was started with, or the sample's own; None where there is none.
    """

    origin: Origin
    name: str
    snapshot: Snapshot
    policy: Policy | None = None

    def under(self, flags: Mapping[str, Any]) -> CheckedInput:
        """The snapshot checked under the policy that the flags make of the file.

        Raises
        ------
        InputError
            A flag does not fit the snapshot's policy.
        """
        return checked(self.snapshot, resolve_policy(self.snapshot, self.policy, flags))


def samples() -> Mapping[str, str]:
    """Name to title of every sample, the default one first."""
    names = sorted(sample_names(), key=lambda name: (name != DEFAULT_SAMPLE, name))
    return {name: sample_title(name) for name in names}


def open_sample(name: str, policy: Policy | None = None) -> Opened:
    """A sample that ships with the product, under its own policy where it has one and none is given.

    Raises
    ------
    UsageError
        There is none of this name.
    """
    own = sample_policy(name)
    if policy is None and own is not None:
        policy = read_policy(own)
    return Opened("sample", name, read_inputs([sample_path(name)]), policy)


def open_files(paths: Sequence[str | Path], policy: Policy | None = None) -> Opened:
    """Files and folders that the server was started with.

    Raises
    ------
    InputError
        Something cannot be read.
    """
    snapshot = read_inputs(paths)
    if policy is not None:
        snapshot = with_use(snapshot, policy)
    return Opened("files", _names([source.name for source in snapshot.sources]), snapshot, policy)


def state_of_files(paths: Sequence[str | Path]) -> str:
    """Times and sizes of the files of a snapshot; another text means that they were written again."""
    files, _ = list_input_files([path for path in paths if not is_cluster(path)])
    stamps = [one.path.stat() for one in files if one.path is not None and one.path.exists()]
    return repr([(stamp.st_mtime_ns, stamp.st_size) for stamp in stamps])


def open_uploads(
    files: Sequence[tuple[str, bytes]], *, limit_bytes: int, policy: Policy | None = None
) -> Opened:
    """Files that a browser sent; they are parsed from memory and never written anywhere.

    Raises
    ------
    InputError
        Together larger than ``limit_bytes``, or something cannot be read.
    """
    total = sum(len(data) for _, data in files)
    if total > limit_bytes:
        raise _too_large(files, total, limit_bytes)
    given = [memory_file(name, data) for name, data in files]
    return Opened(
        "upload", _names([one.name for one in given]), read_inputs(given, stdin=None), policy
    )


def unplanned(given: CheckedInput) -> PlanResult:
    """The document of a cluster before any plan: nodes as they are, findings, policy; no gangs, no certificate."""
    snapshot, policy = given.snapshot, given.policy
    rule = policy.policy.gpu_models
    names = whole_gpu_names(rule)
    forest = topology_forest(snapshot, policy.policy.topology_labels)
    nodes = []
    for number, node in enumerate(snapshot.nodes):
        used = used_now(snapshot, node)
        nodes.append(
            NodeEntry(
                name=node.name,
                pool=pool_of(node, rule, names),
                gpu_model=gpu_model(node, rule),
                domain=path_in(forest, number),
                allocatable=node.allocatable,
                before=used,
                after=used,
                conditions=conditions_of(node),
            )
        )
    return PlanResult(
        snapshot=SnapshotEntry(
            as_of=snapshot.as_of,
            digest=snapshot.digest,
            sources=tuple(source.name for source in snapshot.sources),
            nodes=len(snapshot.nodes),
            pods=len(snapshot.pods),
            findings=tuple(
                FindingEntry(
                    code=one.code,
                    severity=one.severity,
                    object=one.object,
                    message=one.message,
                    remedy=one.remedy,
                )
                for one in given.findings
            ),
            missing_kinds=snapshot.missing_kinds,
            ignored=snapshot.ignored,
        ),
        policy=policy.document(),
        nodes=tuple(nodes),
    )


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown or "no file"


def _too_large(files: Sequence[tuple[str, bytes]], total: int, limit: int) -> InputError:
    message = (
        f"the upload has {total / MIB:,.1f} MiB; this server takes at most {limit / MIB:,.0f} MiB"
    )
    remedy = (
        "make one small file of it with `gangplan convert SNAPSHOT --out cluster.json.gz`, or start the "
        "server with a higher --max-upload"
    )
    name = _names([name for name, _ in files])
    return InputError(message, [Finding("upload_too_large", "error", name, message, remedy)])
