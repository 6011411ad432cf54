from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from models.plan import Certificate, PlanResult, Summary, Tier, Verification
from planner.documents.headline import headline


def tier(name: str, gap: float | None) -> Tier:
    bound = None if gap is None else 1000 + int(1000 * gap)
    return Tier(name=name, sense="max", unit="GPU", value=1000, bound=bound, gap=gap)


def sentence(
    *tiers: Tier, evict: tuple[str, ...] = (), proved: bool = False, **figures: Any
) -> str:
    summary = Summary(gpus_allocatable=2000, gpus_before=500, gpus_after=1500, **figures)
    certificate = Certificate(
        tiers=tiers, seconds=1.25, properties="proved" if proved else "maximal"
    )
    plan = PlanResult(summary=summary, certificate=certificate, verification=Verification())
    return headline(
        plan,
        SimpleNamespace(
            policy=SimpleNamespace(evict=evict),
            limits=SimpleNamespace(broken=None, root_lacks=()),
        ),
        (),
    )  # type: ignore[arg-type]


def test_numbers_have_separators_and_nouns_agree() -> None:
    text = sentence(tier("covered.1.gpus", 0.0), gangs_started=1200, gangs_waiting=3, gangs_grown=1)
    assert text == (
        "1,200 of 1,203 waiting gangs can start now, 1 running gang can grow; 1,500 of 2,000 GPUs allocated "
        "(75 %, now 25 %). Proved optimal in 1.2 s. Verified: 0 violations."
    )
    assert sentence(gangs_waiting=1).startswith("0 of 1 waiting gang can start now; ")
    assert sentence().startswith("No gang waits; ")


@pytest.mark.parametrize(
    ("gaps", "proved", "words"),
    [
        ({"covered.1.gpus": 0.0, "packing": 0.2}, True, "Starts proved optimal in 1.2 s"),
        (
            {"covered.1.gpus": 0.0, "covered.1.gangs": 0.1, "packing": None},
            False,
            "GPUs of the starts proved optimal in 1.2 s, 2 other tiers open",
        ),
        (
            {"covered.1.gpus": 0.004},
            False,
            "GPUs of the starts proved within 0.40 % of the best in 1.2 s",
        ),
        (
            {"covered.1.gpus": 0.004, "rest.1.gpus": 8.0},
            False,
            "Found in 1.2 s, far from proved: a longer time limit would tell more",
        ),
        ({"covered.1.gpus": None}, False, "Found in 1.2 s, no bound proved"),
    ],
)
def test_the_proof_is_told_in_words_that_help(
    gaps: dict[str, float | None], proved: bool, words: str
) -> None:
    tiers = [tier(name, gap) for name, gap in gaps.items()]
    assert f". {words}. " in sentence(*tiers, proved=proved, gangs_started=1)


def test_a_rank_that_starts_next_to_nothing_is_told_apart() -> None:
    """Its 60 GPUs are 6,000 % of what it starts, and 2 % of all that starts."""
    last = Tier(name="rest.2.gpus", sense="max", unit="GPU", value=0, bound=60, gap=60.0)
    text = sentence(tier("covered.1.gpus", 0.0), tier("rest.1.gpus", 0.0), last, gangs_started=1)
    assert (
        "GPUs of the starts proved within 3.00 % of the best in 1.2 s, "
        "the most open in rest.2.gpus (0 of at most 60)."
    ) in text


def test_what_was_left_out_is_counted() -> None:
    text = sentence(gangs_waiting=3078, gangs_unsupported=3078)
    assert text.endswith("3,078 gangs wait because of rules that are not modelled yet.")
    text = sentence(gangs_waiting=1, gangs_unsupported=1, evict=("preempt", "reclaim"))
    assert text.endswith(
        "1 gang waits because of rules that are not modelled yet. "
        "Nothing has to be evicted (preempt and reclaim allowed)."
    )
