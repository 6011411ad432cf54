from __future__ import annotations

from benchmarks.reclaim import main, make_snapshot, search


def test_whole_nodes_come_back_with_the_fewest_victims_proved():
    outcome, _ = search(make_snapshot(50), 30.0)
    values = {tier.goal.name: (tier.value, tier.bound) for tier in outcome.tiers}
    assert values["gangs_given_up"] == values["pods_evicted"] == (40, 40)
    assert values["eviction_domains"] == (5, 5)
    assert len(outcome.assignment.evicted) == 40


def test_fragmented_jobs_lie_on_several_nodes(capsys):
    snapshot = make_snapshot(10, fragmented=True)
    assert len({pod.node for pod in snapshot.pods if pod.node}) == 10
    assert max(gang.min_member for gang in snapshot.gangs) > 1
    assert main(["--nodes", "10", "--fragmented", "--time-limit", "10"]) == 0
    assert "gangs_given_up" in capsys.readouterr().out
