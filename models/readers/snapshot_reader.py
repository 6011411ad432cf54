"""Any number of input files into one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from models.cluster import SchedulerConfig
from models.collector import collector_paused
from models.findings import Finding, InputError
from models.readers.fields import BadObject
from models.readers.file_reader import FileResult, read_file
from models.readers.gang_finish import finish_gang
from models.readers.gang_table import GangTable
from models.readers.input_files import InputFile, MemoryFile, list_input_files, shown_name
from models.readers.intake import Intake
from models.readers.listings import ClusterSource, read_cluster
from models.readers.missing_kinds import missing_kinds
from models.readers.pod_links import link_pods
from models.readers.priorities import Priorities
from models.readers.problems import BadFile
from models.readers.promises import Promises
from models.readers.scheduler_config import USUAL_NAME
from models.snapshot import Snapshot, Source
from models.writers.snapshot_json import snapshot_digest

SnapshotPath = str | Path | MemoryFile | ClusterSource
OpenSource = InputFile | ClusterSource


def read_snapshot(paths: Sequence[SnapshotPath], *, stdin: BinaryIO | None = None) -> Snapshot:
    """Read files, folders, standard input (``-``) and running clusters into one snapshot.

    Formats are told by content: Kubernetes and Volcano objects as JSON or YAML (lists, several documents), our own
    snapshot JSON, openb node and pod lists; each may be gzip-packed.

    Raises
    ------
    InputError
        A file cannot be read or trusted; one finding per fault, all files are tried before.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    intake = Intake()
    with collector_paused():
        results, faults = _read_all(paths, intake, stdin)
        faults += intake.two_clusters
        if faults:
            raise _input_error(faults)
        if not any(result.source.objects for result in results):
            raise _input_error([_nothing(results, paths)])
        stored = [result.snapshot for result in results if result.snapshot is not None]
        if len(stored) == 1 and sum(result.source.objects for result in results) == 1:
            return replace(stored[0], digest=snapshot_digest(stored[0]))
        return _assemble(intake, results)


def _read_all(
    paths: Sequence[SnapshotPath], intake: Intake, stdin: BinaryIO | None
) -> tuple[list[FileResult], list[Finding]]:
    given = [path for path in paths if isinstance(path, (str, Path, MemoryFile))]
    files, unlisted = list_input_files(given)
    faults = [fault.finding(name) for name, fault in unlisted]
    results = []
    clusters = [path for path in paths if not isinstance(path, (str, Path, MemoryFile))]
    sources: list[OpenSource] = [*files, *clusters]
    for source in sources:
        try:
            result = (
                read_file(source, intake, stdin)
                if isinstance(source, InputFile)
                else read_cluster(source, intake)
            )
        except BadFile as error:
            faults.append(error.finding(source.name))
        else:
            results.append(result)
            faults += result.findings
    return results, faults


def _assemble(intake: Intake, results: Sequence[FileResult]) -> Snapshot:
    table = GangTable(intake)
    try:
        pods = link_pods(intake, table)
    except BadObject as error:
        finding = Finding("object_invalid", "error", "pods", str(error), "correct the annotation")
        raise _input_error([finding]) from None
    priorities, promises = Priorities(intake.priority_classes.sorted()), Promises(intake)
    gangs = []
    for draft in table:
        gang, members = finish_gang(draft, priorities, promises)
        gangs.append(gang)
        pods += members
    scheduler, config_findings = _scheduler(intake.schedulers.sorted())
    earlier = [result.snapshot for result in results if result.snapshot is not None]
    findings = [*intake.findings, *priorities.findings(), *config_findings]
    findings += [finding for one in earlier for finding in one.findings]
    snapshot = Snapshot(
        nodes=tuple(intake.nodes.sorted()),
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        gangs=tuple(sorted(gangs, key=lambda gang: gang.full_name)),
        queues=tuple(intake.queues.sorted()),
        priority_classes=tuple(intake.priority_classes.sorted()),
        disruption_budgets=tuple(intake.disruption_budgets.sorted()),
        hyper_nodes=tuple(intake.hyper_nodes.sorted()),
        workloads=tuple(intake.workloads.sorted()),
        scheduler=scheduler,
        as_of=intake.clock.newest,
        newest={kind: moment for kind, moment in sorted(intake.clock.by_kind.items()) if kind},
        sources=tuple(source for result in results for source in _sources(result)),
        ignored=dict(sorted(intake.ignored.items())),
        missing_kinds={
            kind: assumed
            for kind, assumed in missing_kinds(intake).items()
            if all(kind in one.missing_kinds for one in earlier)
        },
        use=tuple(sorted({one for other in earlier for one in other.use}, key=lambda one: one.pod)),
        findings=tuple(sorted(set(findings), key=lambda one: (one.code, one.object, one.message))),
    )
    return replace(snapshot, digest=snapshot_digest(snapshot))


def _sources(result: FileResult) -> tuple[Source, ...]:
    return (*(result.snapshot.sources if result.snapshot else ()), result.source)


def _scheduler(
    found: Sequence[SchedulerConfig],
) -> tuple[SchedulerConfig | None, list[Finding]]:
    """The scheduler's configuration; of several the one with the usual name, else the first."""
    if not found:
        return None, []
    chosen = next((one for one in found if one.source.endswith(f"/{USUAL_NAME}")), found[0])
    if len(found) == 1:
        return chosen, []
    others = ", ".join(one.source for one in found if one is not chosen)
    message = f"several scheduler configurations: {chosen.source} counts, not {others}"
    remedy = "export only the ConfigMap of the scheduler that is planned for"
    return chosen, [
        Finding(
            "several_scheduler_configs", "warning", f"configmap/{chosen.source}", message, remedy
        )
    ]


def _nothing(results: Sequence[FileResult], paths: Sequence[SnapshotPath]) -> Finding:
    names = ", ".join(result.source.name for result in results[:5])
    folders = ", ".join(shown_name(Path(one)) for one in paths if isinstance(one, (str, Path)))
    return Finding(
        "input_empty",
        "error",
        names or folders or "no file",
        "the input holds no object at all" if names or not folders else "the folder holds no file",
        "export nodes, pods, podgroups and queues with kubectl get … -o json",
    )


def _input_error(faults: Sequence[Finding]) -> InputError:
    first = f"{faults[0].object}: {faults[0].message}"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return InputError(first + more, faults)
