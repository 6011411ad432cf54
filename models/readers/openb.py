"""The openb trace (Alibaba ``cluster-trace-gpu-v2023``): one CSV of nodes, one of pods.

Every pod is a gang of one that waits. The trace limits no node's number of pods, so nodes get one that never binds.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from models.cards.kinds import MILLI_RESOURCE
from models.cluster import Node
from models.gpu import GPU_MODEL_LABEL
from models.readers.annotations import RUNTIME
from models.readers.collection import Origin
from models.readers.controllers import VOLCANO
from models.readers.fields import BadObject, shown
from models.readers.intake import Intake
from models.readers.problems import BadFile, damaged
from models.readers.text_source import TextSource
from models.readers.times import read_time
from models.resources import CPU, MEMORY, PODS, Resources
from models.selectors import Expression, NodeSelectorTerm
from models.units import QuantityError, to_base_units
from models.workloads import Pod, PodSpec

NODE_HEADER: Final = "sn,cpu_milli,memory_mib,gpu,model"
_POD_COLUMNS: Final = frozenset(("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"))
PODS_PER_NODE: Final = 10_000
NAMESPACE: Final = "openb"
GPU: Final = "nvidia.com/gpu"
_MIB: Final = 1024**2
_WHOLE_GPU_MILLI: Final = 1000
_TRACE_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_TRACE_SECONDS: Final = 30 * 365 * 86_400
Row = dict[str, str]


def is_trace_header(line: str) -> bool:
    """Whether a file with this first line is a list of the trace: its columns in any order, others beside them."""
    columns = [name.strip() for name in line.split(",")]
    named = set(columns)
    known = named >= _POD_COLUMNS or named >= set(NODE_HEADER.split(","))
    return known and len(named) == len(columns)


def read_trace(source: TextSource, intake: Intake, file: str) -> int:
    """Add the rows of one list to the intake; the number of rows.

    Raises
    ------
    BadFile
        A row is damaged, or two lists name the same node or pod differently.
    """
    intake.clock.kind = "Pod"
    rows = csv.reader(_lines(source))
    header = [name.strip() for name in next(rows)]
    number = 0
    try:
        for number, values in enumerate((row for row in rows if row), 1):  # noqa: B007
            if len(values) != len(header):
                raise BadObject(f"{len(values)} values for {len(header)} columns")
            _take(dict(zip(header, values, strict=True)), intake, Origin(file))
    except (BadObject, QuantityError, csv.Error) as error:
        raise damaged(f"row {number}: {error}") from None
    return number


def _take(row: Row, intake: Intake, origin: Origin) -> None:
    if "sn" in row:
        node = _node(row, intake)
        conflict = intake.nodes.add(node.name, node, origin)
    else:
        pod = _pod(row, intake)
        conflict = intake.pods.add(pod.full_name, pod, origin)
    if conflict is not None:
        message = f"{conflict.object} is in two lists with different values"
        raise BadFile(
            "trace_lists_mixed", message, "give one node list and one pod list of the trace"
        )


def _node(row: Row, intake: Intake) -> Node:
    gpus, model = _amount(row, "gpu"), row["model"].strip()
    amounts = {
        CPU: _amount(row, "cpu_milli"),  # already in milli
        MEMORY: _amount(row, "memory_mib") * _MIB,
        PODS: PODS_PER_NODE,
        GPU: gpus,
    }
    capacity = Resources(amounts).without_zeros()
    labels = {GPU_MODEL_LABEL: intake.metas.share(model, "model")} if model else {}
    return Node(
        name=intake.metas.name(row["sn"], "sn"),
        allocatable=capacity,
        capacity=capacity,
        labels=labels,
    )


def _pod(row: Row, intake: Intake) -> Pod:
    gpus, milli = _amount(row, "num_gpu"), _amount(row, "gpu_milli")
    shared = gpus == 1 and milli < _WHOLE_GPU_MILLI
    models = sorted(part.strip() for part in row.get("gpu_spec", "").split("|") if part.strip())
    spec = PodSpec(
        request=Resources(
            {
                CPU: _amount(row, "cpu_milli"),
                MEMORY: _amount(row, "memory_mib") * _MIB,
                GPU: 0 if shared else gpus,
                MILLI_RESOURCE: milli if shared else 0,
            }
        ).without_zeros(),
        node_affinity=_needs_model(models) if models else None,
        scheduler_name=VOLCANO,
    )
    return Pod(
        namespace=NAMESPACE,
        name=intake.metas.name(row["name"], "name"),
        spec=intake.specs.share(spec),
        annotations=_runtime(row),
        created=intake.clock.read(_moment(row.get("creation_time", ""))),
    )


def _amount(row: Row, column: str) -> int:
    """A whole number of a column, which an error names."""
    return to_base_units(column, row[column])


def _needs_model(models: list[str]) -> tuple[NodeSelectorTerm, ...]:
    return (NodeSelectorTerm((Expression(GPU_MODEL_LABEL, "In", tuple(models)),)),)


def _runtime(row: Row) -> dict[str, str]:
    """How long the pod ran in the trace, where it was ever scheduled."""
    start, end = row.get("scheduled_time", "").strip(), row.get("deletion_time", "").strip()
    if not start or not end:
        return {}
    seconds = to_base_units("seconds", end) - to_base_units("seconds", start)
    return {RUNTIME: f"{seconds}s"} if seconds > 0 else {}


def _moment(seconds: str) -> str:
    """Seconds of the trace as a time; its second 0 has no date and is put at 1970-01-01."""
    if not seconds.strip():
        return ""
    elapsed = to_base_units("seconds", seconds)
    if elapsed > _LONGEST_TRACE_SECONDS:
        raise BadObject(f"{shown(seconds)} seconds is no time of the trace")
    return read_time((_TRACE_START + timedelta(seconds=elapsed)).isoformat())


def _lines(source: TextSource) -> Iterator[str]:
    rest = ""
    while piece := source.read():
        lines = (rest + piece).split("\n")
        rest = lines.pop()
        if len(rest) > 1 << 20:
            raise damaged("a line is longer than 1 MiB")
        yield from (f"{line}\n" for line in lines)
    if rest:
        yield rest
