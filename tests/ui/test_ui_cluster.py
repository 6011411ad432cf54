"""The dashboard on a running cluster: read again on request, and by itself after an interval."""

from __future__ import annotations

import pytest
import yaml

from planner.samples import sample_path
from planner.testing.api_server import FakeApiServer, failing, serving
from planner.usecases.readings import Readings

pytest.importorskip("kubernetes", reason="the extra live is not installed")
PODS, NODES = "/api/v1/pods", "/api/v1/nodes"


@pytest.fixture
def server(tmp_path, monkeypatch):
    import streamlit as st

    fake = FakeApiServer()
    with serving(fake.respond) as fake.url:
        documents = yaml.safe_load_all(sample_path("demo").read_text(encoding="utf-8"))
        fake.put(one for document in documents for one in document.get("items", [document]))
        (tmp_path / "kubeconfig").write_text(fake.kubeconfig())
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        st.cache_resource.clear()
        yield fake
        st.cache_resource.clear()


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand, for the readings."""
    from ui import session

    now = [0.0]
    monkeypatch.setattr(session, "Readings", lambda every: Readings(every, lambda: now[0]))
    return now


def test_read_again_reads_the_cluster_again(start, server, clock):
    dashboard = start(paths=("cluster:prod",))
    before = dashboard.state.opened.snapshot
    assert before.sources[0].name.startswith("cluster:prod, Kubernetes v1.34.1, read ")
    asked = len(server.asked(PODS))
    dashboard.run()
    assert len(server.asked(PODS)) == asked
    server.lists[NODES].pop()
    clock[0] += 60
    dashboard.press("read-again")
    assert len(dashboard.state.opened.snapshot.nodes) == len(before.nodes) - 1
    assert len(server.asked(PODS)) == asked + 1


def test_after_the_interval_it_is_read_by_itself(start, server, clock):
    dashboard = start(paths=("cluster:prod",), read_every_s=600)
    nodes = len(dashboard.state.opened.snapshot.nodes)
    server.lists[NODES].pop()
    clock[0] = 599.0
    dashboard.run()
    assert len(dashboard.state.opened.snapshot.nodes) == nodes
    clock[0] = 600.0
    dashboard.run()
    assert len(dashboard.state.opened.snapshot.nodes) == nodes - 1


def test_a_reading_that_fails_leaves_the_last_one_open_and_says_so(start, server, clock):
    dashboard = start(paths=("cluster:prod",), read_every_s=600)
    digest = dashboard.state.opened.snapshot.digest
    clock[0] = 600.0
    server.acts[NODES] = [failing(400, "out of order")]
    dashboard.run()
    assert dashboard.state.opened.snapshot.digest == digest
    assert "could not be read again" in dashboard.texts()
    assert "out of order" in dashboard.texts()
    asked = len(server.asked(NODES))
    dashboard.run()
    assert len(server.asked(NODES)) == asked  # not with every run of the script
    clock[0] = 1200.0
    dashboard.run()
    assert "could not be read again" not in dashboard.texts()


def test_a_shared_plan_follows_the_cluster(start, server, clock):
    """Read-only visitors cannot press Plan: another reading is planned by itself."""
    dashboard = start(paths=("cluster:prod",), read_every_s=600, read_only=True)
    dashboard.finish()
    first = dashboard.state.plan.request.key
    server.lists[NODES].pop()
    clock[0] = 600.0
    dashboard.run()
    dashboard.finish()
    assert dashboard.state.plan.request.key != first


def test_clicks_of_several_visitors_mean_one_reading():
    now = [0.0]
    readings = Readings(None, lambda: now[0])
    now[0] = 10.0
    readings.again()
    readings.again()
    assert readings.number() == 2
    now[0] = 10_000.0
    assert readings.number() == 2


def test_demand_of_the_policys_services_is_asked_for_once(start, server, clock):
    from models.policy import parse_policy
    from planner.testing.prometheus import FakePrometheus
    from ui import night

    prometheus = FakePrometheus()
    prometheus.series["needed"] = [({}, lambda at: 4)]
    with serving(prometheus.respond) as prometheus.url:
        query = {"url": prometheus.url, "query": "needed", "range": "2h"}
        policy = parse_policy({"services": [{"name": "online", "prometheus": query}]}, source="p")
        dashboard = start(paths=("cluster:prod",), policy=policy)
        dashboard.open("night")
        dashboard.run()
        found = night._of_policy(dashboard.state.reading, policy)
    assert len(prometheus.requests) == 1
    assert [one.service for one in found.samples] == ["online"]
    assert set(found.samples[0].gpus) == {4}
