from __future__ import annotations

import pytest

from models.findings import UsageError
from models.plan import Summary
from planner.usecases.requirements import known_figures, missed_requirements, parse_requirement

SUMMARY = Summary(gpus_after=400, gangs_waiting=3)


@pytest.mark.parametrize(
    "text",
    [
        "gpusAfter>=400",
        "gpusAfter >= 400",
        "gpus_after>=400",
        "gpusAfter>399.5",
        "gangsWaiting<4",
        "gangsWaiting<=3",
        "gangsWaiting=3",
        "gangsWaiting==3",
        "gangsWaiting!=4",
    ],
)
def test_a_requirement_that_holds_is_not_missed(text: str) -> None:
    assert missed_requirements([parse_requirement(text)], SUMMARY) == ()


def test_a_missed_requirement_names_the_figure_and_its_value() -> None:
    missed = missed_requirements([parse_requirement("gpusAfter>=401")], SUMMARY)
    assert missed == ("required gpusAfter>=401, but gpusAfter is 400",)


def test_every_number_of_the_summary_can_be_required() -> None:
    assert {"gpusAfter", "gangsStarted", "gangsWaiting", "podsEvicted"} <= set(known_figures())
    assert "sentence" not in known_figures()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("gpusAftr>=1", "did you mean 'gpusAfter'"),
        ("sentence==1", "no figure"),
        ("gpusAfter", "write it like"),
        ("gpusAfter>=", "write it like"),
        ("gpusAfter>=lots", "not a number"),
        ("gpusAfter>=nan", "not a number"),
        ("gpusAfter>=400 or gangsWaiting<1", "write it like"),
        ("", "write it like"),
    ],
)
def test_a_requirement_that_means_nothing_is_refused(text: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        parse_requirement(text)
