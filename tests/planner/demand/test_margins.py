from __future__ import annotations

import numpy as np
import pytest

from planner.demand.forecast import forecast_steps, judge, own_models
from planner.demand.margins import MarginRules, choose_from, independent_part
from planner.demand.replays import Replays
from planner.demand.rules import LendingRules
from planner.demand.score import score


def test_score_counts_short_steps_and_lent_gpus():
    known = np.array([True, True, True, False])
    found = score(np.array([5, 5, 20, 0]), np.array([5, 8, 3, 9]), known, 10)
    assert (found.steps, found.short, found.worst_short_gpus) == (3, 1, 3)
    assert found.lent_gpu_steps == 5 + 2 + 0  # in the short step only what demand leaves
    assert found.idle_gpu_steps == 5 + 2 + 7
    assert found.short_rate == pytest.approx(1 / 3)
    assert found.wilson.low < 1 / 3 < found.wilson.high
    assert score(known[:0], known[:0], known[:0], 10).lent_share == 1.0


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_a_margin_that_is_reached_keeps_the_level_in_its_replay(waves, level):
    history = waves(10)
    book = Replays(history, own_models(history))
    rules = MarginRules(level)
    margin = choose_from(book.at(24), history, rules, lead=24, owned=60)
    assert margin is not None
    assert margin.reached
    assert margin.replay.short_rate <= rules.allowed * rules.spare
    assert margin.replay.lent_share > 0.8
    held = np.minimum(book.levels(margin.model, 24)[:, margin.level], 60)
    counted = score(held[48:].astype(int), history.gpus[48:], history.known[48:], 60)
    assert counted.short <= margin.replay.short + 24


def test_a_higher_level_never_lends_more(waves):
    history = waves(8, seed=3)
    book = Replays(history, own_models(history))
    shares = []
    for level in (0.8, 0.9, 0.95, 0.98):
        margin = choose_from(book.at(1), history, MarginRules(level), lead=1, owned=60)
        assert margin is not None
        shares.append(margin.replay.lent_share)
    assert shares == sorted(shares, reverse=True)


def test_lasting_errors_are_few_observations():
    rng = np.random.default_rng(1)
    assert independent_part(rng.normal(size=4000)) > 0.9
    assert independent_part(np.repeat(rng.normal(size=40), 100)) < 0.02
    assert independent_part(np.zeros(10)) == 1.0


def test_too_short_a_history_says_so_and_holds_what_was_seen(history_of):
    history = history_of([3, 9, 4, 4, 5, 6] * 3)
    found = forecast_steps(history, LendingRules(), owned=20, steps=48)
    assert len(found.held) == 48
    assert "give at least two days of history" in found.notes[0]
    assert found.held[24:30].tolist() == [9] * 6  # 18:00 to 24:00 were never seen
    assert found.held[-1] == 6
    assert (found.surge >= found.held).all()


def test_no_history_holds_everything(history_of):
    found = forecast_steps(history_of([]), LendingRules(), owned=20, steps=5)
    assert found.held.tolist() == [20] * 5
    assert found.margins == ()
    assert found.judged is None


def test_nights_are_lent_and_days_are_held(waves):
    history = waves(9, step=1800)
    found = forecast_steps(history, LendingRules(), owned=60, steps=48)
    assert found.held[8:14].max() < 12
    assert found.held[20:36].min() >= 40
    assert (found.surge >= found.held).all()
    assert (found.held >= found.expected).all()
    assert found.judged is not None
    assert found.judged_ahead is not None
    assert found.judged_ahead.lent_share > 0.8
    assert found.judged_ahead.short_rate <= 0.05


def test_judgement_uses_the_first_days_for_the_margin_and_the_following_for_the_score(
    waves, history_of
):
    history = waves(9)
    calm = judge(Replays(history, own_models(history)), MarginRules(), lead=1, owned=99)
    wild = history_of([*history.gpus[: 6 * 24].tolist(), *([99, 0] * 36)])
    found = judge(Replays(wild, own_models(wild)), MarginRules(), lead=1, owned=99)
    assert calm is not None
    assert found is not None
    assert calm.steps == found.steps == 72
    assert found.short >= 5 > calm.short
    assert found.worst_short_gpus > 50 > calm.worst_short_gpus


def test_where_no_rule_can_be_kept_the_careful_hold_most_and_the_others_lend_most(history_of):
    """Every day is higher than the one before, on too few days to be sure of a level."""
    history = history_of([day * 10 + (hour >= 8) * 5 for day in range(4) for hour in range(24)])
    book = Replays(history, own_models(history))
    careful, other = (
        choose_from(book.at(24), history, MarginRules(0.99, careful=careful), lead=24, owned=99)
        for careful in (True, False)
    )
    assert careful is not None
    assert other is not None
    assert not careful.reached
    assert not other.reached
    assert (careful.quantile, careful.beyond) == (1.0, 0.0)
    assert other.replay.short <= careful.replay.short
    # Ten GPUs more than yesterday is exactly right.
    assert (other.model, other.replay.short, other.replay.lent_share) == ("yesterday", 0, 1.0)
    assert careful.replay.lent_share < 1.0
