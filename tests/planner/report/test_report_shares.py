from __future__ import annotations

from models.plan import Loan, PlanResult, QueueEntry
from models.resources import Resources
from planner.report.frames import loans_frame, queues_frame
from planner.report.plan_view import PlanView
from planner.report.sections.method import method_section
from planner.report.sections.shares import NOBODY, shares_section

GPU = "nvidia.com/gpu"
GIB = 2**30


def plan(**changes):
    lab = QueueEntry(
        name="lab",
        weight=3,
        deserved=Resources({GPU: 4, "memory": GIB}),
        requested=Resources({GPU: 20}),
        after=Resources({GPU: 10, "memory": 2 * GIB}),
        borrowed=Resources({GPU: 6, "memory": GIB}),
        fair_share=Resources({GPU: 12}),
        loans=(
            Loan(resource=GPU, lender="idle", amount=4),
            Loan(resource=GPU, lender="", amount=2),
            Loan(resource="memory", lender="", amount=GIB),
        ),
    )
    idle = QueueEntry(name="idle", deserved=Resources({GPU: 4}), lent=Resources({GPU: 4}))
    return PlanResult(queues=(lab, idle), **{"fair_share_rule": "joint", **changes})


def section(result, limit=50):
    return shares_section(PlanView(result), "page", limit)


def test_the_fair_share_stands_beside_deserved_and_planned():
    shares, _ = section(plan()).tables
    assert shares.rows == (
        ("lab", "-", "3", "-", "20", "12", "4", "10", "-2"),
        ("idle", "-", "1", "-", "0", "0", "4", "0", "+0"),
    )


def test_every_loan_says_from_whom_and_how_much_with_its_unit():
    found = section(plan())
    assert found.lead == "1 queue uses more than deserved, lent by 1 queue."
    assert found.tables[1].rows == (
        ("lab", "idle", "4 nvidia.com/gpu"),
        ("lab", NOBODY, "2 nvidia.com/gpu"),
        ("lab", NOBODY, "1.0 GiB memory"),
    )
    cut = section(plan(), limit=1).tables[1]
    assert cut.notes == (
        "2 more loans are not shown here; all 3 are in loans.csv (-o csv --out DIR).",
    )


def test_the_rule_is_told_and_documents_without_shares_say_so():
    assert "mix" in section(plan()).points[1]
    assert "on its own" in section(plan(fair_share_rule="per resource")).points[1]
    old = section(plan(fair_share_rule=""))
    assert old.tables[0].rows == ()
    assert len(old.points) == 2
    assert section(PlanResult()).lead == "No queue uses more than it deserves."


def test_loans_and_shares_are_exact_in_the_frames():
    frame = loans_frame(plan())
    assert frame["amount"].tolist() == [4, 2, GIB]
    assert frame["lender"].tolist() == ["idle", "", ""]
    assert queues_frame(plan())["fair_share_gpus"].tolist() == [12, 0]
    assert queues_frame(plan(fair_share_rule=""))["fair_share_cpu_milli"].isna().all()
    assert list(loans_frame(PlanResult()).columns) == ["borrower", "resource", "lender", "amount"]


def told(**policy):
    keys = {key: {"value": value, "origin": origin} for key, (value, origin) in policy.items()}
    points = method_section(PlanView(PlanResult(policy=keys)), "page", 50).points
    return next((point for point in points if point.startswith("Queue model")), "")


def test_the_method_says_which_queue_rules_applied_and_why():
    assert told(
        queue_model=("capacity", "scheduler ConfigMap"),
        hierarchy=(True, "scheduler ConfigMap"),
        evict=(["preempt", "reclaim"], "flag"),
        ancestor_reclaim_level=(2, "file"),
    ) == (
        "Queue model: capacity (from the scheduler ConfigMap), with the queue tree (from the scheduler ConfigMap). "
        "Evictions allowed: preempt and reclaim (from the command line), reclaim looks at 2 levels above the leaf "
        "(from the policy file)."
    )
    assert told(
        queue_model=("proportion", "snapshot"), hierarchy=(False, "default"), evict=([], "default")
    ) == (
        "Queue model: proportion (worked out from the snapshot), without a queue tree (the default). "
        "Evictions allowed: none (the default)."
    )
    assert told() == ""
