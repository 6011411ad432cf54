"""A comparison cut down to some namespaces and queues; key figures stay those of the whole cluster."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.whatif.document import ScenarioOutcome, WhatIf


def select_what_if(
    document: WhatIf, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> WhatIf:
    """Only gangs of these namespaces and queues, and these queues; everything where none is named."""
    if not namespaces and not queues:
        return document
    return document.model_copy(
        update={
            "scenarios": tuple(_cut(one, namespaces, queues) for one in document.scenarios),
            "filter": {"namespaces": list(namespaces), "queues": list(queues)},
        }
    )


def _cut(
    outcome: ScenarioOutcome, namespaces: Sequence[str], queues: Sequence[str]
) -> ScenarioOutcome:
    return outcome.model_copy(
        update={
            "gangs": tuple(
                gang
                for gang in outcome.gangs
                if (not namespaces or gang.namespace in namespaces)
                and (not queues or gang.queue in queues)
            ),
            "queues": tuple(one for one in outcome.queues if not queues or one.name in queues),
        }
    )
