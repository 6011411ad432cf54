from __future__ import annotations

import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.findings import UsageError
from models.nightly.reader import Reader
from models.plan import (
    Baseline,
    FindingEntry,
    Fix,
    GangEntry,
    Loan,
    NodeEntry,
    PlanResult,
    QueueEntry,
    Reason,
    RuleViolation,
    SnapshotEntry,
    Summary,
    Verification,
    WaitingClass,
)
from models.resources import Resources
from models.schedule import Reservation
from planner.report.formats import write_report
from planner.report.night.cut import cut_for
from planner.report.night.hidden_names import HiddenNames
from planner.report.night.report import night_report
from planner.testing.nights_by_hand import schedule_of, scheduled

FOREIGN = (
    "rivalqueue",
    "rivalspace",
    "rivalgang",
    "lowerrival",
    "foreignpool-7",
    "secretsvc",
    "hiddenfile",
)
ME = Reader("tenant", "mine")
GPU = "nvidia.com/gpu"


def _other(name: str, *spans: tuple[int, int], **more: Any) -> Any:
    return scheduled(name, *spans, **{"namespace": "rivalspace", "queue": "rivalqueue", **more})


def _mine(name: str, *spans: tuple[int, int], **more: Any) -> Any:
    return scheduled(name, *spans, **{"namespace": "myspace", "queue": "mine", **more})


def _finding(what: str, message: str) -> FindingEntry:
    return FindingEntry(code="c", severity="warning", object=what, message=message)


def two_tenants() -> PlanResult:
    """A night in which every place that can name somebody names the other tenant."""
    told = Reason(
        code="lower_priority",
        message="rivalspace/rivalgang of queue rivalqueue takes the room; its pods rivalspace/rivalgang-0 run on n1",
        data={"holders": ["rivalspace/rivalgang"], "needed": 8},
    )
    schedule = schedule_of(
        (
            _mine("myjob", (1, 3), reasons=(told,)),
            _mine("stuck", status="waits", reasons=(told,), fixes=("evict rivalspace/rivalgang", "ask for 4 GPUs")),
            _mine("deep", (0, 2), queue="mine-low", status="running"),
            _other("rivalgang", (0, 5), status="running", reasons=(told,)),
            _other("lowerrival", status="waits", reasons=(told,)),
        ),
        gpus=80,
        online=(8,) * 8,
    ).model_copy(
        update={
            "notes": ("rivalqueue has no limit",),
            "reservations": (
                Reservation(
                    gang="myspace/myjob", pool="lent", starts_at="2026-09-15T20:20:00Z", gpus=8,
                    backfilled=("rivalspace/rivalgang",),
                ),
            ),
        }
    )  # fmt: skip

    def gang(one: Any, decision: str) -> GangEntry:
        return GangEntry(
            namespace=one.namespace, name=one.name, queue=one.queue, decision=decision,  # type: ignore[arg-type]
            reasons=(told,), gpus=8, created="2026-09-13T00:00:00Z",
        )  # fmt: skip

    decisions = ("wait", "wait", "keep", "keep", "wait")
    gangs = tuple(gang(one, d) for one, d in zip(schedule.gangs, decisions, strict=True))
    loan = Loan(resource=GPU, lender="rivalqueue", amount=8)
    fixes = (
        Fix(kind="evict", text="end rivalspace/rivalgang", basis="beside this plan"),
        Fix(kind="size", text="ask for 4 GPUs", basis="beside this plan"),
        Fix(kind="q", text="lower it", basis="b", objects=("rivalqueue",)),
        Fix(kind="e", text="edit", basis="b", edits=({"remove_gangs": {"name": "rivalgang"}},)),
    )
    return PlanResult(
        summary=Summary(sentence="rivalqueue lends 8 GPUs."),
        snapshot=SnapshotEntry(
            sources=("hiddenfile.yaml",),
            findings=(
                _finding("gang myspace/myjob", "beside rivalspace/rivalgang"),
                _finding("gang rivalspace/rivalgang", "bad"),
            ),
        ),
        policy={"services": {"value": [{"name": "secretsvc"}]}, "queue_model": {"value": "capacity"}},
        verification=Verification(violations=(), rules=3),
        gangs=gangs,
        queues=(
            QueueEntry(name="mine", after=Resources({GPU: 8}), loans=(loan,)),
            QueueEntry(name="mine-low", parent="mine"),
            QueueEntry(name="rivalqueue"),
        ),
        nodes=(NodeEntry(name="n0", pool="foreignpool-7"),),
        waiting=(WaitingClass(queue="mine", gangs=("myspace/stuck",), fixes=fixes),),
        baseline=Baseline(),
        schedule=schedule,
    )  # fmt: skip


@pytest.mark.parametrize("form", ["html", "md", "json", "yaml", "table", "wide"])
def test_no_foreign_name_is_in_any_form(form: str) -> None:
    out = io.StringIO()
    write_report(night_report(two_tenants(), ME), form, stream=out, width=200)
    text = out.getvalue()
    assert "myspace/stuck" in text
    found = [name for name in FOREIGN if name in text]
    assert found == []
    assert "another tenant" in text


def test_no_foreign_name_is_in_the_tables(tmp_path: Any) -> None:
    paths = write_report(night_report(two_tenants(), ME), "csv", out=tmp_path / "csv")
    assert paths
    for path in paths:
        assert not [name for name in FOREIGN if name in path.read_text()], path.name


def test_a_violation_is_told_without_names() -> None:
    broken = Verification(
        violations=(
            RuleViolation(rule="r", object="rivalspace/rivalgang", message="of rivalqueue"),
        ),
        rules=1,
    )
    shown = cut_for(two_tenants().model_copy(update={"verification": broken}), ME)
    assert shown.verification is not None
    (one,) = shown.verification.violations
    assert (one.object, one.message) == ("another tenant's gang", "of another tenant's queue")


def test_own_things_stay_with_those_below_the_queue() -> None:
    shown = cut_for(two_tenants(), ME)
    assert {gang.full_name for gang in shown.gangs} == {
        "myspace/myjob",
        "myspace/stuck",
        "myspace/deep",
    }
    assert [queue.name for queue in shown.queues] == ["mine", "mine-low"]
    (waiting,) = shown.waiting
    assert [fix.text for fix in waiting.fixes] == ["ask for 4 GPUs"]
    (reason,) = shown.gangs[0].reasons
    assert reason.data == {"needed": 8}
    assert shown.schedule is not None
    (pool,) = shown.schedule.pools
    assert pool.used == (8, 16, 8, 0, 0, 0, 0, 0)
    assert shown.schedule.lending is None
    stuck = next(gang for gang in shown.schedule.gangs if gang.name == "stuck")
    assert stuck.fixes == ("ask for 4 GPUs",)


def test_the_whole_report_and_other_readers_are_not_cut() -> None:
    result = two_tenants()
    assert cut_for(result, None) is result
    assert cut_for(result, Reader("platform")) is result
    assert cut_for(result, Reader("capacity")) is result


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (Reader("tenant", "minne"), "no queue 'minne'; did you mean 'mine'?"),
        (Reader("service", "chatt"), "no online service 'chatt'; did you mean 'chat'?"),
        (Reader("tenant", "zzz"), "no queue 'zzz'$"),
    ],
)
def test_an_unknown_name_is_told(reader: Reader, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        night_report(two_tenants(), reader)


NAMES = st.from_regex(r"[a-z][a-z0-9-]{1,8}[a-z0-9]", fullmatch=True)


@given(st.sets(NAMES, min_size=1, max_size=6), st.sets(NAMES, max_size=4), st.data())
def test_no_hidden_name_stays_as_a_word(foreign: set[str], own: set[str], data: Any) -> None:
    hidden = HiddenNames(
        gangs=[f"space-x/{name}" for name in sorted(foreign)],
        namespaces=["space-x"],
        queues=sorted(foreign),
        own=own,
    )
    words = st.sampled_from(
        [
            *sorted(foreign | own),
            "space-x",
            "waits",
            "of queue",
            *(f"space-x/{n}-0" for n in foreign),
        ]
    )
    text = " ".join(data.draw(st.lists(words, max_size=8)))
    shown = hidden.out_of(text)
    tokens = set(re.findall(r"[\w./-]+", shown))
    assert not tokens & ((foreign | {"space-x"}) - own)
    assert hidden.touches(text) == (shown != text)
    assert [word for word in shown.split() if word in own] == [
        word for word in text.split() if word in own
    ]


def test_strangers_in_a_shared_namespace_are_hidden_too() -> None:
    hidden = HiddenNames(
        gangs=["shared/theirs"], namespaces=[], queues=[], own={"shared/mine", "shared/odd-pod"}, own_spaces=["shared"]
    )  # fmt: skip
    text = (
        "held by shared/trainer-0, shared/theirs-1, shared/mine-0, shared/odd-pod and shared/mine."
    )
    assert hidden.out_of(text) == (
        "held by another tenant's pod, another tenant's gang, shared/mine-0, shared/odd-pod and shared/mine."
    )
