from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.plan import QueueEntry
from models.resources import Resources
from planner.documents.loans import divide, ledger, with_loans

GPU = "nvidia.com/gpu"


def queue(name, deserved, after, **changes):
    return QueueEntry(
        name=name, deserved=Resources({GPU: deserved}), after=Resources({GPU: after}), **changes
    )


def told(*entries, leaves=None):
    names = {entry.name for entry in entries} if leaves is None else leaves
    return {entry.name: entry for entry in with_loans(entries, names)}


def loans(entry):
    return [(loan.lender, loan.amount) for loan in entry.loans]


def test_lenders_give_in_proportion_to_what_they_leave_idle():
    found = told(queue("a", 4, 10), queue("b", 8, 2), queue("c", 8, 5))
    assert found["a"].borrowed == {GPU: 6}
    assert loans(found["a"]) == [("b", 4), ("c", 2)]
    assert (found["b"].lent, found["c"].lent) == ({GPU: 4}, {GPU: 2})
    assert found["b"].borrowed == {}


def test_what_exceeds_all_idle_entitlements_comes_from_nobody():
    found = told(queue("a", 2, 9), queue("b", 4, 1))
    assert loans(found["a"]) == [("b", 3), ("", 4)]
    assert found["b"].lent == {GPU: 3}


def test_queues_with_children_take_no_part():
    found = told(
        queue("lab", 8, 9), queue("lab-a", 4, 9), queue("lab-b", 4, 0), leaves={"lab-a", "lab-b"}
    )
    assert found["lab"].borrowed == {}
    assert loans(found["lab-a"]) == [("lab-b", 4), ("", 1)]


def test_resources_that_nobody_deserves_are_not_borrowed():
    entry = QueueEntry(name="a", after=Resources({GPU: 3, "cpu": 1000}))
    assert told(entry)["a"].borrowed == {}
    listed = QueueEntry(name="b", deserved=Resources({GPU: 0, "cpu": 0}))
    assert told(entry, listed)["a"].borrowed == {GPU: 3}


def test_a_loan_says_from_whom_in_the_document():
    found = told(queue("a", 0, 1), queue("b", 1, 0))
    assert found["a"].model_dump(mode="json")["loans"] == [
        {"resource": GPU, "from": "b", "amount": 1}
    ]


amounts = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 40), max_size=7)


@given(amounts, amounts)
def test_sums_agree(borrowed, idle):
    idle = {name: amount for name, amount in idle.items() if not borrowed.get(name)}
    found = ledger(borrowed, idle)
    assert {name: sum(parts.values()) for name, parts in found.items()} == {
        name: amount for name, amount in borrowed.items() if amount
    }
    lent = {lender: sum(parts.get(lender, 0) for parts in found.values()) for lender in idle}
    assert sum(lent.values()) == min(sum(borrowed.values()), sum(idle.values()))
    assert all(0 <= lent[name] <= amount for name, amount in idle.items())
    assert all(part > 0 for parts in found.values() for part in parts.values())


@given(st.integers(0, 200), amounts)
def test_division_is_within_one_unit_of_the_proportion(amount, among):
    found = divide(amount, among)
    total = sum(among.values())
    assert sum(found.values()) == min(amount, total)
    if total > amount:
        assert all(abs(found[name] - amount * own / total) < 1 for name, own in among.items())
