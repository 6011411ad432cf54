from __future__ import annotations

from data.make_night_demand import TARGET, demand_text, main
from models.horizon import bucket_grid
from models.moments import epoch_seconds
from models.policy import Policy
from planner.samples import sample_path
from planner.usecases.inputs.demand_files import read_demand
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.inputs.lending import LendingSource


def test_the_file_is_what_the_script_writes(tmp_path, capsys):
    assert TARGET.read_text(encoding="utf-8") == demand_text()
    assert main([str(tmp_path / "again.csv")]) == 0
    assert (tmp_path / "again.csv").read_text(encoding="utf-8") == demand_text()
    assert capsys.readouterr().out == "wrote again.csv\n"


def test_the_night_is_lent_and_back_before_the_morning():
    snapshot = read_inputs([sample_path("night")])
    now = epoch_seconds(snapshot.as_of)
    assert now is not None
    horizon = bucket_grid(now, 86_400)
    source = LendingSource(snapshot, Policy(), read_demand([TARGET]))
    limits = source(horizon)
    assert limits is not None
    (pool,) = limits.pools
    assert pool.owned_gpus >= 33
    assert pool.lendable_gpus[0] > 20
    noon = horizon.bucket_at(now + 9 * 3600)
    assert pool.lendable_gpus[noon] <= 3
    assert any(pool.leave_by[:noon])
    assert source.made is not None
    assert source.made.findings == ()
    (judged, _) = limits.forecasts[0].judged
    assert judged.short_low <= 0.05
