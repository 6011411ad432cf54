from __future__ import annotations

import numpy as np

from models.demand import DemandSamples
from planner.demand.history import regular_history, step_of


def _samples(seconds, gpus):
    return DemandSamples("a", tuple(seconds), tuple(gpus))


def test_the_step_is_the_usual_distance_taken_down_to_a_round_one():
    assert step_of(_samples(range(0, 3000, 300), range(10))) == 300
    assert step_of(_samples([0, 420, 840, 1260], [1] * 4)) == 300
    assert step_of(_samples([0, 15, 30], [1] * 3)) == 300
    assert step_of(_samples([0, 7200, 14400], [1] * 3)) == 3600
    assert step_of(_samples([0], [1])) == 3600


def test_the_highest_value_of_a_step_counts():
    found = regular_history(_samples([0, 60, 120, 310], [1, 9, 2, 3]), step=300)
    assert found.gpus.tolist() == [9, 3]
    assert found.known.all()


def test_values_hold_for_a_while_and_then_are_unknown():
    found = regular_history(_samples([0, 300, 30 * 300], [5, 7, 1]), step=300)
    assert found.gpus[1:30].tolist() == [7] * 29
    assert found.known[:14].all()
    assert not found.known[14:30].any()
    assert found.known[30]


def test_what_holds_after_a_peak_inside_a_step_is_its_last_value():
    found = regular_history(_samples([0, 60, 600], [9, 2, 2]), step=300)
    assert found.gpus.tolist() == [9, 2, 2]


def test_samples_from_now_on_are_left_out_and_none_is_an_empty_history():
    found = regular_history(_samples([0, 300, 600], [1, 2, 3]), step=300, until=600)
    assert found.gpus.tolist() == [1, 2]
    assert found.end == 600
    empty = regular_history(_samples([600], [3]), step=300, until=600)
    assert empty.count == 0
    assert empty.days == 0


def test_days_count_what_is_known(history_of):
    found = history_of([1] * 12 + [None] * 12)
    assert found.days == 0.5
    assert found.until(6).count == 6
    assert np.array_equal(found.until(6).gpus, found.gpus[:6])


def test_only_the_last_eight_weeks_count():
    found = regular_history(_samples([0, 400 * 86_400, 400 * 86_400 + 3600], [9, 1, 2]))
    assert found.count == 2
    assert found.gpus.tolist() == [1, 2]
