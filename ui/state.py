"""The one typed object that a browser session keeps between two runs of the script."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.findings import PlannerError
from models.plan import PlanResult
from planner.report.inspect_document import InspectResult
from planner.report.plan_view import PlanView
from planner.usecases.cluster_session import Opened
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.policy_uploads import PolicyFile
from planner.usecases.jobs.background import PlanJobView, PlanningJob, PlanRequest
from planner.usecases.past_nights import PastPlan
from ui.export import Export
from ui.night_state import NightState
from ui.whatif.state import WhatIfState

STATE_KEY = "planner"


@dataclass(frozen=True)
class Settings:
    """The solve box; "" = as the snapshot and the server's policy say."""

    time_limit_s: int = 60
    gap_percent: float = 0.0
    queue_model: str = ""
    objective: str = ""
    priority_scope: str = ""
    allow_incomplete: bool = False


@dataclass(frozen=True)
class Filters:
    """Which gangs and queues are listed; empty = all."""

    namespaces: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finished:
    """A plan with the request that it answers, and how its search went."""

    request: PlanRequest
    result: PlanResult
    job: PlanJobView


@dataclass(frozen=True)
class Failure:
    """A request that gave no plan."""

    request: PlanRequest
    error: PlannerError
    job: PlanJobView


@dataclass(frozen=True)
class Ground:
    """The opened cluster under the current policy, before any plan."""

    given: CheckedInput
    inventory: InspectResult
    view: PlanView


@dataclass
class PlannerState:
    """Everything of one session; pages read it, the sidebar and :mod:`ui.session` change it.

    Attributes
    ----------
    source
        Which snapshot is chosen: ``files``, ``upload`` or ``sample:NAME``.
    uploaded
        The last upload, kept so that one can go back to it.
    next_source
        What the snapshot picker has to show at its next run, "" = what the visitor chose.
    reading
        Which reading of a running cluster is open, "" for everything else.
    fault, upload_fault, run_fault
        Why the chosen snapshot could not be opened, the last upload was refused, the last Run was refused.
    reading_fault
        Why a running cluster could not be read again; what was read before is still open.
    own_policy, policy_fault, policy_round
        The policy file of the visitor, why the last one was refused, and a number that every change of it raises.
    run_asked
        Whether Plan was pressed; the side bar begins once it has read the settings of the same click.
    keep_old
        Whether a plan of another snapshot is shown instead of the cluster as it is.
    export
        What the page of this run hands out at its foot; None for the plan.
    night
        Schedule and drill.
    whatif
        Scenarios, the running question and its answers.
    past
        The plan of a past night that the page Plan shows; None for the open cluster.
    caches
        The last value per name with its key; see :func:`ui.session.cached`.
    """

    source: str = ""
    language: str = "en"
    opened: Opened | None = None
    uploaded: Opened | None = None
    upload_round: int = 0
    next_source: str = ""
    reading: str = ""
    fault: PlannerError | None = None
    reading_fault: PlannerError | None = None
    upload_fault: PlannerError | None = None
    run_fault: PlannerError | None = None
    own_policy: PolicyFile | None = None
    policy_fault: PlannerError | None = None
    policy_round: int = 0
    settings: Settings = Settings()
    filters: Filters = Filters()
    job: PlanningJob | None = None
    plan: Finished | None = None
    failure: Failure | None = None
    run_asked: bool = False
    keep_old: bool = False
    export: Export | None = None
    night: NightState = field(default_factory=NightState)
    whatif: WhatIfState = field(default_factory=WhatIfState)
    past: PastPlan | None = None
    caches: dict[str, tuple[object, object]] = field(default_factory=dict)
