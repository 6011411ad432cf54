"""GPUs of shapes as schedules count them: whole devices; shares of GPUs are held by their own resource's rows."""

from __future__ import annotations

import numpy as np

from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray


def whole_gpus(prepared: Prepared) -> IntArray:
    """``[shapes]`` whole GPUs of one pod."""
    names = prepared.problem.dimensions
    columns = [index for index, name in enumerate(names) if name in prepared.gpu_names]
    found: IntArray = prepared.problem.requests[:, columns].sum(axis=1, dtype=np.int64)
    return found
