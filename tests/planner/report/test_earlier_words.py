"""What a report says about the plan that a plan comes from."""

from __future__ import annotations

import io
import json

import pytest

from models.plan import EarlierPlan
from planner.report.earlier_words import earlier_words
from planner.report.formats import render


def _with(plan, **fields: object):
    known = {"as_of": "2026-03-02T00:00:00Z", "digest": "sha256:0123456789abcdef"}
    earlier = EarlierPlan.model_validate({**known, **fields})
    certificate = plan.certificate.model_copy(update={"earlier": earlier})
    return plan.model_copy(update={"certificate": certificate})


def test_nothing_is_said_without_an_earlier_plan(samples) -> None:
    assert earlier_words(samples.demo_plan()) == ()


def test_every_start_of_the_earlier_plan_is_accounted_for(samples) -> None:
    counts = {"started": 209, "kept": 195, "moved": 2, "waiting": 5, "gone": 7, "added": 24}
    plan = _with(samples.demo_plan(), **counts, searched="changes")
    assert earlier_words(plan) == (
        "From the plan as of 2026-03-02T00:00:00Z (snapshot 0123456789ab): 195 of its 209 starts keep their nodes, "
        "2 start on other nodes, 5 wait now, 7 do not wait here any more; 24 gangs more start; what the change left "
        "open was put beside them rank by rank, and bounded.",
    )


@pytest.mark.parametrize(
    ("searched", "words"),
    [
        ("everything", "all gangs were searched, beginning with that plan"),
        ("anew", "nothing of it could be taken over: everything was planned anew"),
    ],
)
def test_what_was_searched_is_said(samples, searched: str, words: str) -> None:
    plan = _with(samples.demo_plan(), started=1, kept=1, added=1, searched=searched)
    (sentence,) = earlier_words(plan)
    assert sentence.endswith(f": 1 of its 1 start keeps its nodes; 1 gang more starts; {words}.")


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_every_form_says_it(samples, form: str) -> None:
    plan = _with(samples.demo_plan(), started=3, kept=3)
    stream = io.StringIO()
    render(plan, form, stream=stream, width=150)
    assert "3 of its 3 starts keep their nodes" in " ".join(stream.getvalue().split())


def test_json_holds_the_counts(samples) -> None:
    plan = _with(samples.demo_plan(), started=3, kept=2, waiting=1)
    told = json.loads(plan.model_dump_json())["certificate"]["earlier"]
    assert (told["started"], told["kept"], told["waiting"], told["searched"]) == (
        *(3, 2, 1),
        "everything",
    )
    assert told["asOf"] == "2026-03-02T00:00:00Z"
