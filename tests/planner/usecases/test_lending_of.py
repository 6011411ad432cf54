from __future__ import annotations

import gzip

import pytest

from models.demand import DemandSamples
from models.findings import InputError
from models.horizon import bucket_grid
from models.lending import LendingLimits
from models.policy import parse_policy
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Pod, PodSpec
from planner.testing.by_hand import gpu_node
from planner.testing.random_nodes import GPU
from planner.usecases.inputs.demand_files import read_demand
from planner.usecases.inputs.lending import LendingSource, lending_of, lending_rules

HOUR, DAY = 3600, 86_400
NOW = 1_787_529_600


def _pod(name, node, gpus, **labels):
    return Pod(
        "web",
        name,
        PodSpec(request=Resources({GPU: gpus})),
        node=node,
        phase="Running",
        labels=labels,
    )


SNAPSHOT = Snapshot(
    nodes=(gpu_node("n0", 8), gpu_node("n1", 8)),
    pods=(_pod("a", "n0", 4, app="chat"), _pod("b", "n1", 2, app="chat"), _pod("c", "n1", 1)),
)
POLICY = {"services": [{"name": "chat", "selector": {"app": "chat"}}]}
HORIZON = bucket_grid(NOW, 24 * HOUR)


def _policy(**more):
    raw = {**POLICY, **more}
    return parse_policy(raw, source="policy.yaml")


def _demand(name="chat"):
    seconds = range(NOW - 8 * DAY, NOW, HOUR)
    return DemandSamples(
        name,
        tuple(seconds),
        tuple(12 if 8 <= s // HOUR % 24 < 20 else 2 for s in seconds),
        False,
        "d.csv",
    )


def test_demand_of_a_service_becomes_limits_of_its_pool():
    found = lending_of(SNAPSHOT, _policy(), HORIZON, [_demand()])
    assert found.limits is not None
    (pool,) = found.limits.pools
    assert pool.owned_gpus == 12
    assert pool.lendable_gpus[HORIZON.bucket_at(NOW + 4 * HOUR)] >= 8
    assert pool.lendable_gpus[HORIZON.bucket_at(NOW + 12 * HOUR)] == 0
    morning = HORIZON.bucket_at(NOW + 7 * HOUR)
    assert any(pool.leave_by[max(0, morning - 4) : morning + 3])
    assert found.curves[0].origin == "history"


def test_a_source_makes_limits_when_the_grid_is_known():
    source = LendingSource(SNAPSHOT, _policy(), [_demand()])
    assert source.made is None
    limits = source(HORIZON)
    assert limits == lending_of(SNAPSHOT, _policy(), HORIZON, [_demand()]).limits
    assert source.made is not None
    assert limits is not None
    (quality,) = limits.forecasts
    assert (quality.service, quality.origin, quality.step_s) == ("chat", "history", HOUR)
    assert [one.lead_s for one in quality.judged] == [HOUR, DAY]
    for one in quality.judged:
        assert one.exact_low <= one.short_low + 1e-3 <= one.short_high + 2e-3
        assert one.short_low <= one.short_steps / one.steps <= one.short_high
    assert LendingLimits.model_validate_json(limits.model_dump_json()) == limits


def test_without_demand_the_pods_of_now_are_kept():
    found = lending_of(SNAPSHOT, _policy(), HORIZON)
    assert found.limits is not None
    assert found.limits.pools[0].owned_gpus == 6
    assert set(found.limits.pools[0].lendable_gpus) == {0}
    assert found.findings[0].code == "demand_forecast"


def test_no_service_means_no_limits():
    found = lending_of(SNAPSHOT, parse_policy({}, source="p"), HORIZON)
    assert found.limits is None
    assert found.findings == ()


def test_a_column_and_a_file_without_services_find_theirs():
    raw = {
        "services": [{"name": "chat", "selector": {"app": "chat"}, "demand_column": "chat_gpus"}]
    }
    policy = parse_policy(raw, source="p")
    for name in ("chat_gpus", ""):
        found = lending_of(SNAPSHOT, policy, HORIZON, [_demand(name)])
        assert [one.service for one in found.curves] == ["chat"]
        assert found.curves[0].origin == "history"
    two = parse_policy({"services": [{"name": "a"}, {"name": "b"}]}, source="p")
    with pytest.raises(InputError, match="names no service"):
        lending_of(SNAPSHOT, two, HORIZON, [_demand("")])


def test_a_service_that_only_the_file_names_uses_the_only_pool():
    found = lending_of(SNAPSHOT, parse_policy({}, source="p"), HORIZON, [_demand("other")])
    assert found.limits is not None
    assert found.limits.pools[0].owned_gpus == 12
    nowhere = lending_of(Snapshot(), parse_policy({}, source="p"), HORIZON, [_demand("other")])
    assert nowhere.limits is None
    assert nowhere.findings[0].code == "service_without_pool"


def test_demand_above_what_is_reserved_is_told():
    raw = {"services": [{"name": "chat", "selector": {"app": "chat"}, "reserved_gpus": 5}]}
    future = DemandSamples("chat", (NOW, NOW + HOUR), (3, 9), False, "d.csv")
    found = lending_of(SNAPSHOT, parse_policy(raw, source="p"), HORIZON, [future])
    assert [one.code for one in found.findings] == ["demand_forecast", "demand_above_owned"]


def test_services_own_no_more_than_their_pools_have():
    raw = {"services": [{"name": "chat", "selector": {"app": "chat"}, "reserved_gpus": 500}]}
    found = lending_of(SNAPSHOT, parse_policy(raw, source="p"), HORIZON, [_demand()])
    assert found.limits is not None
    assert found.limits.pools[0].owned_gpus == 16
    assert [one.code for one in found.findings] == ["reserved_above_pool"]
    assert "500 GPUs are reserved for it" in found.findings[0].message


def test_a_pool_of_the_policy_that_no_node_is_in_lends_nothing():
    raw = {"services": [{"name": "chat", "pools": ["typo"]}]}
    found = lending_of(SNAPSHOT, parse_policy(raw, source="p"), HORIZON, [_demand()])
    assert found.limits is not None
    assert found.limits.pools[0].owned_gpus == 0
    assert set(found.limits.pools[0].lendable_gpus) == {0}
    assert "have 0" in found.findings[-1].message


def test_rules_from_levels_or_costs():
    assert lending_rules(_policy()).service_level == 0.95
    rules = lending_rules(_policy(lending={"shortage_cost": 99, "idle_cost": 1}))
    assert (rules.service_level, rules.surge_level) == (0.99, 0.99)
    rules = lending_rules(_policy(lending={"service_level": "99.5%", "deadline_seconds": 60}))
    assert (rules.service_level, rules.deadline_s) == (0.995, 60)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"lending": {"service_level": 1.2}}, "less than 1"),
        ({"lending": {"service_level": "lots"}}, "lending.service_level"),
        ({"lending": {"shortage_cost": 3}}, "together"),
        ({"lending": {"shortage_cost": 1, "idle_cost": 3}}, "exchange the costs"),
        ({"lending": {"deadline": 3}}, "did you mean 'deadline_seconds'"),
        (
            {"services": [{"name": "a", "demand": {"gpus": 1, "window": []}}]},
            "did you mean 'windows'",
        ),
        (
            {
                "services": [
                    {"name": "a", "demand": {"gpus": 1, "windows": [{"window": "8-9", "gpus": 1}]}}
                ]
            },
            "not a window",
        ),
        (
            {
                "services": [
                    {"name": "a", "demand": {"gpus": 1, "windows": [{"windw": "8-9", "gpus": 1}]}}
                ]
            },
            "did you mean 'window'",
        ),
    ],
)
def test_bad_policy_keys_are_told(raw, words):
    with pytest.raises(InputError) as caught:
        parse_policy(raw, source="policy.yaml")
    assert any(words in one.message for one in caught.value.findings)


def test_files_of_every_kind(tmp_path):
    text = "time,service,gpus\n2026-08-20T12:00:00Z,chat,3\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    (one,) = read_demand([tmp_path / "a.csv.gz"])
    assert (one.service, one.gpus) == ("chat", (3,))
    (tmp_path / "b.csv").write_text(text)
    with pytest.raises(InputError, match="as well"):
        read_demand([tmp_path])
    with pytest.raises(InputError, match="cannot be read"):
        read_demand([tmp_path / "none.csv"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no file"):
        read_demand([tmp_path / "empty"])


def test_parquet_of_every_time_type(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from datetime import UTC, datetime

    from pyarrow import parquet

    moments = [datetime(2026, 8, 20, 12, tzinfo=UTC), datetime(2026, 8, 20, 13, tzinfo=UTC)]
    columns = {
        "zone": pyarrow.array(moments, pyarrow.timestamp("ns", tz="Europe/Berlin")),
        "plain": pyarrow.array(moments, pyarrow.timestamp("us")),
        "text": pyarrow.array([one.isoformat() for one in moments]),
        "seconds": pyarrow.array([int(one.timestamp()) for one in moments]),
    }
    for name, time in columns.items():
        table = pyarrow.table(
            {
                "time": time,
                "service": pyarrow.array(["chat", "chat"]).dictionary_encode(),
                "gpus": pyarrow.array([3.2, 5.0]),
            }
        )
        parquet.write_table(table, tmp_path / f"{name}.parquet")
        (one,) = read_demand([tmp_path / f"{name}.parquet"])
        assert (one.service, one.gpus) == ("chat", (4, 5)), name
        assert one.seconds == tuple(int(moment.timestamp()) for moment in moments), name


def test_bad_parquet_is_told(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "d.parquet"
    parquet.write_table(pyarrow.table({"time": [0], "service": ["a"], "gpus": [None]}), path)
    with pytest.raises(InputError, match="row 1: None is not a number of GPUs"):
        read_demand([path])
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="no readable Parquet file"):
        read_demand([path])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InputError) as caught:
        read_demand([path])
    assert "gangplan[parquet]" in caught.value.findings[0].remedy
