from __future__ import annotations

from benchmarks.fair_shares import main, make_tree
from planner.shares.closed_form import tree_shares


def test_the_measured_tree_has_three_levels_and_is_contended():
    tree = make_tree(2000)
    assert len(tree.names) == 2000
    assert [len(rows) for rows in tree.levels] == [2, 100, 1898]
    found = tree_shares(tree)
    top = tree.levels[0]
    assert found[top].sum() == tree.total[0] < tree.demand.sum()


def test_both_ways_are_measured_and_compared(capsys):
    assert main(["--queues", "300", "--programs", "30"]) == 0
    told = capsys.readouterr().out
    assert "300 queues in 3 levels" in told
    assert "ratio" in told
    assert "largest difference between the two: 0 GPU" in told or "1 GPU" in told
