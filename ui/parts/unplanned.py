"""What an export alone tells, under the filters of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.report.csv_frames import flat_frame
from planner.report.frames.waiting import standing_frame, waiting_frame
from planner.report.inspect_document import NodeClassEntry
from ui.parts.page import Page

if TYPE_CHECKING:
    import pandas as pd


def unplanned_waits(page: Page) -> pd.DataFrame:
    """Waiting gangs of the cluster, without reasons."""
    filters = page.state.filters
    return waiting_frame(page.base.inventory, namespaces=filters.namespaces, queues=filters.queues)


def unplanned_queues(page: Page) -> pd.DataFrame:
    """Queues of the cluster as the export describes them."""
    return standing_frame(page.base.inventory, queues=page.state.filters.queues)


def node_classes(page: Page) -> pd.DataFrame:
    """Classes of equal nodes."""
    return flat_frame(page.base.inventory.node_classes, NodeClassEntry).infer_objects()
