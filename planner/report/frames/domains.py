"""GPU states summed per topology domain, level by level, for maps that are too large to draw node by node."""

from __future__ import annotations

import pandas as pd

from planner.report.frames.nodes import GPU_STATES

SEPARATOR = "/"
_SUMS = ("gpus_allocatable", *GPU_STATES)


def has_domains(nodes: pd.DataFrame) -> bool:
    """Whether some node with GPUs lies in a topology domain."""
    return bool(((nodes["domain"] != "") & (nodes["gpus_allocatable"] > 0)).any())


def inside(nodes: pd.DataFrame, domain: str) -> pd.DataFrame:
    """Nodes with GPUs in a domain or below it; all of them for ""."""
    with_gpus = nodes[nodes["gpus_allocatable"] > 0]
    if not domain:
        return with_gpus
    path = with_gpus["domain"]
    return with_gpus[(path == domain) | path.str.startswith(domain + SEPARATOR)]


def domains_frame(nodes: pd.DataFrame, above: str = "") -> pd.DataFrame:
    """One row per domain one step below ``above`` ("" = the widest ones), in the order of names.

    Columns: ``domain`` (whole path; "" for nodes that lie in none), ``nodes``, ``nodes_whole`` (nodes whose GPUs are
    all free), ``largest_free_gpus`` (most free GPUs on one node), and the GPUs by state.
    """
    found = inside(nodes, above)
    depth = above.count(SEPARATOR) + 2 if above else 1
    names = [SEPARATOR.join(str(path).split(SEPARATOR)[:depth]) for path in found["domain"]]
    free = found["gpus_free_whole"] + found["gpus_free_fragment"]
    grouped = found.assign(
        domain=pd.Series(names, index=found.index, dtype=object),
        nodes_whole=(found["gpus_free_whole"] > 0).astype("Int64"),
        largest_free_gpus=free,
    ).groupby("domain", sort=True)
    sums = grouped[[*_SUMS, "nodes_whole"]].sum()
    sums.insert(0, "nodes", grouped.size())
    sums.insert(2, "largest_free_gpus", grouped["largest_free_gpus"].max())
    return sums.reset_index()


def known_domains(nodes: pd.DataFrame) -> list[str]:
    """Every domain with GPUs, wide and fine ones, by name."""
    found: set[str] = set()
    for path in set(nodes.loc[nodes["gpus_allocatable"] > 0, "domain"]) - {""}:
        parts = str(path).split(SEPARATOR)
        found.update(SEPARATOR.join(parts[: size + 1]) for size in range(len(parts)))
    return sorted(found)
