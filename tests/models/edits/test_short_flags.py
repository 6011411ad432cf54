from __future__ import annotations

from random import Random

import pytest

from models.edits.catalogue import edit_from
from models.edits.flags import short_flags
from models.edits.scenario import Scenario
from planner.testing.random_edits import random_edits
from planner.testing.random_snapshots import random_case
from planner.usecases.whatif.files import scenario_of_flags


def typed(flags: tuple[tuple[str, str], ...]) -> list[tuple[str, str, str]]:
    """Options as the command line splits them into keys and values."""
    found = []
    for flag, text in flags:
        family = flag.removeprefix("--")
        if family in ("remove", "drain", "fail"):
            found.append((f"{flag} {text}", family, text))
            continue
        first = family in ("set", "pin", "forbid")
        key, _, value = text.partition("=") if first else text.rpartition("=")
        found.append((f"{flag} {text}", key if family == "set" else f"{family}/{key}", value))
    return found


@pytest.mark.parametrize("part", range(4))
def test_short_forms_mean_what_the_scenario_means(part: int) -> None:
    found = 0
    for seed in range(part * 60, part * 60 + 60):
        case = random_case(seed)
        scenario = Scenario("s", random_edits(Random(f"flags/{seed}"), case.snapshot))
        flags = short_flags(scenario)
        if not flags:
            continue
        found += 1
        again = scenario_of_flags(typed(flags))
        wanted = scenario.applied(case.snapshot, case.policy)
        after = again.applied(case.snapshot, case.policy)
        assert after.snapshot.digest == wanted.snapshot.digest, (seed, flags)
        assert after.policy.policy == wanted.policy.policy, (seed, flags)
    assert found > 5


@pytest.mark.parametrize(
    "entries",
    [
        [{"uncordon": {"nodes": "a"}}],
        [{"drain": {"nodes": "a"}}, {"add_nodes": {"like": "a", "count": 1}}],
        [{"drain": {"nodes": ["a", "b"]}}],
        [{"drain": {"nodes": "a", "pods": "keep"}}],
        [{"reprioritise": {"gangs": "n/a", "priority": 1, "priority_class": "x"}}],
        [{"multiply": {"gangs": ["n/a", "n/b"], "factor": 2}}],
        [{"set_gang": {"gangs": "n/a", "topology": None}}],
        [{"set_queue": {"queue": "q", "capability": None}}],
        [{"pin_gang": {"gangs": "team=x", "nodes": "a"}}],
        [{"add_nodes": {"like": "a", "count": 1, "hyper_node": "leaf"}}],
    ],
)
def test_what_has_no_short_form_or_another_order_has_none(
    entries: list[dict[str, object]],
) -> None:
    assert short_flags(Scenario("s", tuple(edit_from(one) for one in entries))) is None


def test_the_words_are_those_of_the_command_line() -> None:
    edits = (
        edit_from({"add_nodes": {"like": "pool/a", "count": 2}}),
        edit_from({"set_queue": {"queue": "q", "weight": 3, "capability": {"gpu": "+8"}}}),
        edit_from({"set_policy": {"evict": ["preempt"]}}),
        edit_from({"scale_demand": {"queue": "q", "factor": "150%"}}),
        edit_from({"pin_gang": {"gangs": "n/a", "nodes": ["a-1", "a-2"]}}),
    )
    assert short_flags(Scenario("s", edits)) == (
        ("--add", "pool/a=2"),
        ("--set", "queue/q.weight=3"),
        ("--set", "queue/q.capability.gpu=+8"),
        ("--set", 'policy.evict=["preempt"]'),
        ("--scale", "q=150%"),
        ("--pin", "n/a=a-1+a-2"),
    )
