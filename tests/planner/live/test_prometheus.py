"""Demand from a Prometheus: pieces, gaps, resets, stale and partial answers, and every kind of bad one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from models.findings import InputError
from models.horizon import Horizon
from models.nightly.config import parse_config
from models.plan import PlanResult
from models.policy import Policy, parse_policy
from models.prometheus import PrometheusQuery
from planner.live.prometheus import RangeAnswer, ask_range
from planner.testing.api_server import cut_off, failing, send, serving
from planner.testing.prometheus import FakePrometheus
from planner.usecases.inputs import demand_prometheus
from planner.usecases.inputs.demand_files import read_demand, with_services
from planner.usecases.inputs.lending import lending_of

NOW, STEP = 1_790_000_100, 300
QUERY = "sum by (service) (needed)"


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    fake = FakePrometheus()
    fake.series[QUERY] = [({"service": "chat"}, lambda at: 4), ({"service": "rag"}, lambda at: 2.5)]
    with serving(fake.respond) as fake.url:
        yield fake


def asked(server: FakePrometheus, **changes: Any) -> PrometheusQuery:
    return PrometheusQuery(**{"url": server.url, "query": QUERY, "range": 3600, **changes})


@pytest.fixture(autouse=True)
def at_one_moment(monkeypatch: pytest.MonkeyPatch, naps: Any) -> None:
    """The clock stands still, and waits are not waited for."""
    from planner.live import prometheus

    def ask(query: PrometheusQuery) -> RangeAnswer:
        return ask_range(query, patience=naps.patience(), clock=lambda: NOW)

    monkeypatch.setattr(prometheus, "ask_range", ask)


def demand(server: FakePrometheus, **changes: Any) -> dict[str, Any]:
    found = demand_prometheus.prometheus_demand(asked(server, **changes))
    return {one.service: one for one in found}


def test_each_series_is_a_service_and_parts_of_a_gpu_are_rounded_up(server: FakePrometheus) -> None:
    found = demand(server)
    end = NOW // STEP * STEP
    assert found["chat"].seconds == tuple(range(end - 3600, end + 1, STEP))
    assert set(found["chat"].gpus) == {4}
    assert set(found["rag"].gpus) == {3}
    assert found["chat"].notes == ()
    assert found["chat"].measured
    assert found["chat"].source == f"prometheus {server.url.partition('//')[2]}"


def test_eight_weeks_are_asked_for_in_pieces_and_joined(server: FakePrometheus) -> None:
    found = demand(server, range="56d", step="5m")["chat"]
    assert len(server.requests) == 2
    points = 56 * 288 + 1
    assert len(found.seconds) == points
    assert found.seconds == tuple(range(found.seconds[0], found.seconds[0] + points * 300, 300))
    assert found.notes == ()


def test_gaps_are_gaps_and_told(server: FakePrometheus) -> None:
    """NaN is what a failed scrape leaves; missing values are what staleness leaves."""
    hole = NOW // STEP * STEP - 1800

    def value(at: int) -> float | str | None:
        return None if at == hole else "NaN" if at == hole + STEP else 4

    server.series[QUERY] = [({"service": "chat"}, value)]
    found = demand(server)["chat"]
    assert not {hole, hole + STEP} & set(found.seconds)
    assert found.notes[0].startswith("2 of 13 values are missing between the first and the last")


def test_a_short_series_and_one_that_ended_are_told(server: FakePrometheus) -> None:
    end = NOW // STEP * STEP
    server.series[QUERY] = [
        ({"service": "chat"}, lambda at: 4 if at > end - 86_400 else None),
        ({"service": "rag"}, lambda at: 4 if at < end - 7200 else None),
    ]
    found = demand(server, range="4d")
    assert found["chat"].notes == ("The series is 1.0 days old, 4.0 were asked for.",)
    assert found["rag"].notes == ("The series ended 125 minutes before it was read.",)


def test_counters_become_rates_and_resets_are_counted_on(server: FakePrometheus) -> None:
    """GPU-seconds at 5 GPUs; the process began anew in between and had 600 GPU-seconds at the next value."""
    end = NOW // STEP * STEP
    anew = end - 1500

    def value(at: int) -> float:
        return 5 * (at - (end - 7200)) if at < anew else 600 + 5 * (at - anew)

    labels = {"__name__": "gpu_seconds_total", "service": "chat"}
    server.series["gpu_seconds_total"] = [(labels, value)]
    found = demand(server, query="gpu_seconds_total")["chat"]
    rates = dict(zip(found.seconds, found.gpus, strict=True))
    assert rates.pop(anew - STEP) == 2  # 600 GPU-seconds in 300 s at least
    assert set(rates.values()) == {5}
    assert end not in rates
    assert "began anew 1 times" in found.notes[0]


def test_partial_answers_are_told_in_the_servers_words(server: FakePrometheus) -> None:
    server.warnings = ("store 10.0.0.7 did not answer",)
    found = demand(server)["chat"]
    assert found.notes == ("Prometheus answers in part: store 10.0.0.7 did not answer",)


def test_infinite_and_negative_values_are_left_out(server: FakePrometheus) -> None:
    end = NOW // STEP * STEP
    wrong: dict[int, float | str] = {end: "+Inf", end - STEP: -1}
    server.series[QUERY] = [({"service": "chat"}, lambda at: wrong.get(at, 4))]
    found = demand(server)["chat"]
    assert len(found.seconds) == 11
    assert "2 values are infinite or negative" in found.notes[-1]


@pytest.mark.parametrize(
    ("labels", "changes", "service"),
    [
        ({}, {}, ""),
        ({"app": "chat"}, {}, "chat"),
        ({"__name__": "needed", "app": "chat"}, {}, "chat"),
        ({"service": "chat", "zone": "a"}, {}, "chat"),
        ({"app": "chat", "zone": "a"}, {"service_label": "app"}, "chat"),
    ],
)
def test_labels_name_the_service(
    server: FakePrometheus, labels: dict[str, str], changes: dict[str, str], service: str
) -> None:
    server.series[QUERY] = [(labels, lambda at: 4)]
    assert list(demand(server, **changes)) == [service]


@pytest.mark.parametrize(
    ("series", "changes", "words"),
    [
        ([{"app": "a", "zone": "b"}], {}, "their labels are app, zone"),
        ([{"app": "a"}], {"service_label": "job"}, "no label 'job', only app"),
        ([{"service": "a", "pod": "1"}, {"service": "a", "pod": "2"}], {}, "they differ in pod"),
    ],
)
def test_labels_that_tell_no_service_are_refused(
    server: FakePrometheus, series: Any, changes: dict[str, str], words: str
) -> None:
    server.series[QUERY] = [(labels, lambda at: 4) for labels in series]
    with pytest.raises(InputError, match=words) as caught:
        demand(server, **changes)
    assert caught.value.findings[0].code == "prometheus_labels"


def test_the_token_is_read_from_its_file(server: FakePrometheus, tmp_path: Path) -> None:
    server.tokens = {"secret"}
    token = tmp_path / "token"
    token.write_text("secret\n")
    assert demand(server, token_file=str(token))
    token.write_text("old")
    with pytest.raises(InputError, match=r"does not accept the token \(401\)"):
        demand(server, token_file=str(token))
    with pytest.raises(InputError, match="token file cannot be read: No such file"):
        demand(server, token_file=str(tmp_path / "none"))
    token.write_text("a\nb")
    with pytest.raises(InputError, match="holds no token"):
        demand(server, token_file=str(token))


def test_busy_and_broken_servers_are_asked_again(server: FakePrometheus, naps: Any) -> None:
    server.acts = [failing(503), failing(429, headers={"Retry-After": "3"}), cut_off]
    assert demand(server)["chat"].gpus
    assert naps.slept == [0.5, 3.0, 2.0]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (
            lambda r: send(r, 200, b"<html>", {"Content-Type": "text/html"}),
            "answers with text/html",
        ),
        (lambda r: send(r, 200, {"kind": "PodList"}), "refuses the query"),
        (lambda r: send(r, 200, {"status": "success", "data": {"resultType": "x"}}), "no series"),
        (
            lambda r: send(
                r,
                200,
                {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}}]}},
            ),
            "no labels or values",
        ),
        (
            lambda r: send(
                r,
                200,
                {
                    "status": "success",
                    "data": {
                        "resultType": "matrix",
                        "result": [{"metric": {}, "values": [["x", "y"]]}],
                    },
                },
            ),
            "is no value with its time",
        ),
    ],
    ids=["html", "another api", "no matrix", "no values", "no numbers"],
)
def test_wrong_content_is_told(server: FakePrometheus, act: Any, words: str) -> None:
    server.acts = [act]
    with pytest.raises(InputError, match=words):
        demand(server)


def test_a_bad_query_is_told_in_the_servers_words(server: FakePrometheus) -> None:
    with pytest.raises(InputError, match=r"bad_data: .*parse error.* \(400\) \(query sum\(\)"):
        demand(server, query="sum(")


def test_a_query_without_series_is_told(server: FakePrometheus) -> None:
    server.series[QUERY] = []
    with pytest.raises(InputError, match="gives no value"):
        demand(server)


def test_a_file_may_name_a_query(server: FakePrometheus, tmp_path: Path) -> None:
    server.tokens = {"secret"}
    (tmp_path / "token").write_text("secret")
    file = tmp_path / "demand.yaml"
    text = f"# of the services\nprometheus:\n  url: {server.url}\n  query: {QUERY}\n  range: 1h\n"
    file.write_text(f"{text}  token_file: token\n")
    assert [one.service for one in read_demand([str(file)])] == ["chat", "rag"]
    file.write_text(f"{text}  spte: 5m\n")
    with pytest.raises(InputError, match=r"prometheus\.spte"):
        read_demand([str(file)])


def test_nightly_and_policy_name_queries(server: FakePrometheus, tmp_path: Path) -> None:
    query = {"url": server.url, "query": QUERY, "range": "1h", "token_file": "token"}
    config = parse_config(
        {"inputs": "x", "demand": {"prometheus": query}}, source="n", folder=tmp_path
    )
    (entry,) = config.demand
    assert not isinstance(entry, str)
    assert entry.prometheus.beside(tmp_path).token_file == str(tmp_path / "token")
    for wrong, words in (({"url": "http://a:b@c"}, "password"), ({"qury": "x"}, "mean 'query'")):
        with pytest.raises(InputError, match=words) as caught:
            parse_config({"inputs": "x", "demand": {"prometheus": query | wrong}}, source="n")
        assert "a:b" not in str(caught.value)
    own = {"url": server.url, "query": "one", "range": "1h"}
    policy = parse_policy({"services": [{"name": "chat", "prometheus": own}]}, source="p")
    server.series["one"] = [({"anything": "x", "more": "y"}, lambda at: 7)]
    (found,) = with_services((), policy)
    assert (found.service, set(found.gpus)) == ("chat", {7})
    assert with_services([found], policy) == (found,)
    with pytest.raises(InputError, match="did you mean 'query'"):
        parse_policy({"services": [{"name": "a", "prometheus": {**own, "qury": "x"}}]}, source="p")


def test_what_was_measured_after_the_plan_announces_nothing(server: FakePrometheus) -> None:
    """An old export is planned again: what Prometheus knows of its future must not be used."""
    from models.readers import read_snapshot
    from planner.samples import sample_path

    end = NOW // STEP * STEP
    now = end - 86_400
    server.series[QUERY] = [({"service": "online"}, lambda at: 2 if at < now else 30)]
    samples = demand_prometheus.prometheus_demand(asked(server, range="10d"))
    snapshot = read_snapshot([sample_path("evening")])
    pools = {"name": "online", "selector": {"app": "online"}, "pools": ["H100"]}
    policy: Policy = parse_policy({"services": [pools]}, source="p")
    horizon = Horizon(tuple(range(now, now + 86_401, 3600)))
    (curve,) = lending_of(snapshot, policy, horizon, samples).curves
    assert max(curve.held) < 30
    (file,) = samples
    announced = [type(file)("online", file.seconds, file.gpus)]
    (curve,) = lending_of(snapshot, policy, horizon, announced).curves
    assert max(curve.held) == 30


def test_a_night_keeps_its_demand_and_can_be_repeated_from_it(
    server: FakePrometheus, tmp_path: Path
) -> None:
    """Prometheus knows what came after the night; the folder holds what was known then, and gives the same loans."""
    from planner.nightly.config_file import read_config
    from planner.nightly.run import NightEnd, NightlyOptions, run_night
    from planner.problem.limits import Limits
    from planner.testing.tiny_night import tiny_export

    night = NOW // STEP * STEP - 86_400
    moment = datetime.fromtimestamp(night, UTC).isoformat().replace("+00:00", "Z")
    (tmp_path / "cluster.json").write_text(tiny_export(moment), encoding="utf-8")
    server.series[QUERY] = [
        ({"service": "chat"}, lambda at: 2 if at < night else 8),
        ({"service": "rag"}, lambda at: None if at < night else 1),
    ]
    query = {"url": server.url, "query": QUERY, "range": "10d", "step": STEP}
    policy = {"services": [{"name": "chat", "pools": ["nvidia.com/gpu"], "prometheus": query}]}
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(policy))

    def run(output: str, **keys: Any) -> NightEnd:
        given = {"inputs": "cluster.json", "horizon": "2h", "history": "none", "output": output}
        file = tmp_path / "nightly.yaml"
        file.write_text(yaml.safe_dump({**given, **keys}))
        limits = Limits(time_limit_s=5.0, workers=1, deterministic=True)
        return run_night(read_config(file), NightlyOptions(limits))

    first = run("a", policy="policy.yaml", demand={"prometheus": query})
    assert "demand.csv" in [one.path for one in first.run.files]
    (kept,) = read_demand([first.folder / "demand.csv"])
    assert kept.service == "chat"
    assert kept.seconds == tuple(range(NOW // STEP * STEP - 10 * 86_400, night, STEP))
    assert set(kept.gpus) == {2}
    server.series.clear()  # what was known then is not there any more
    there = first.folder
    asked_before = len(server.requests)
    again = run(
        "b",
        inputs=str(there / "snapshot.json.gz"),
        policy=str(there / "policy.yaml"),
        demand=str(there / "demand.csv"),
    )
    assert len(server.requests) == asked_before
    plans = [
        PlanResult.model_validate_json((one.folder / "plan.json").read_bytes())
        for one in (first, again)
    ]
    one, other = (plan.schedule for plan in plans)
    assert one is not None
    assert other is not None
    assert one.lending is not None
    assert one == other


def test_notes_become_findings(server: FakePrometheus) -> None:
    from models.readers import read_snapshot
    from planner.samples import sample_path

    server.warnings = ("in part",)
    samples = demand_prometheus.prometheus_demand(asked(server))
    policy = parse_policy({"services": [{"name": "chat", "pools": ["H100"]}]}, source="p")
    horizon = Horizon(tuple(range(NOW, NOW + 86_401, 3600)))
    found = lending_of(read_snapshot([sample_path("evening")]), policy, horizon, samples).findings
    told = [one for one in found if one.code == "demand_incomplete"]
    assert [one.object for one in told] == ["service/chat", "service/rag"]
