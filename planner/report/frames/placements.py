"""What a plan places, pod by pod and node by node."""

from __future__ import annotations

import pandas as pd

from models.plan import PlanResult
from planner.report.frames.pods import pods_frame


def placements_frame(result: PlanResult, *, gang: str | None = None) -> pd.DataFrame:
    """Rows of the pods frame that change (place, move, evict); with ``gang`` all pods of this gang, kept ones too."""
    if gang is not None:
        chosen = tuple(one for one in result.gangs if one.full_name == gang)
        return pods_frame(result.model_copy(update={"gangs": chosen}))
    pods = pods_frame(result)
    return pods[pods["action"] != "keep"].reset_index(drop=True)


def receiving_nodes(nodes: pd.DataFrame, placements: pd.DataFrame) -> pd.DataFrame:
    """Rows of the nodes frame that receive pods, with number of ``pods`` and ``gangs``, most planned GPUs first."""
    arriving = placements[placements["action"].isin(["place", "move"])]
    grouped = arriving.groupby("node", sort=True)
    counted = pd.DataFrame(
        {
            "pods": grouped["pods"].sum(),
            "gangs": grouped["gang"].agg(lambda names: ", ".join(sorted(set(names)))),
        }
    ).reset_index()
    joined = nodes.merge(counted, on="node", how="inner")
    ordered = joined.sort_values(["gpus_planned", "node"], ascending=[False, True], kind="stable")
    return ordered.reset_index(drop=True)
