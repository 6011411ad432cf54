"""A running cluster read page by page, from a server that behaves like an API server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.readers import read_snapshot
from models.readers.kinds import KINDS
from planner.samples import sample_path
from planner.testing.api_server import FakeApiServer, cut_off, failing, hang_up, send

PODS = "/api/v1/pods"


def from_files() -> Any:
    return read_snapshot([sample_path("demo")])


@pytest.mark.parametrize("page", [500, 7, 1])
def test_the_cluster_is_the_same_as_its_export(
    server: FakeApiServer, naps: Any, page: int, read: Any
) -> None:
    live = read(page=page)
    assert live.digest == from_files().digest
    assert live.findings == ()
    queries = server.asked(PODS)
    assert len(queries) == -(-len(server.lists[PODS]) // page)
    assert all(query["limit"] == str(page) for query in queries)
    assert naps.slept == []


def test_the_source_names_context_version_and_time(
    server: FakeApiServer, read: Any, demo: Any
) -> None:
    (source,) = read().sources
    assert source.name.startswith("cluster:prod, Kubernetes v1.34.1, read 20")
    assert source.format == "cluster"
    assert source.objects == len(demo)


def test_secrets_are_never_asked_for_and_one_config_map_only(
    server: FakeApiServer, read: Any
) -> None:
    read()
    paths = {path for path, _, _ in server.requests}
    assert not [path for path in paths if "secret" in path]
    assert [path for path in paths if "configmap" in path] == [
        "/api/v1/namespaces/volcano-system/configmaps/volcano-scheduler-configmap"
    ]


def test_kinds_that_are_not_served_do_not_exist(server: FakeApiServer, read: Any) -> None:
    volcano = {"hypernodes.topology.volcano.sh", "jobs.batch.volcano.sh"}
    server.unserved = {*volcano, "podgroups.scheduling.volcano.sh"}  # its group has queues still
    live = read()
    assert {"HyperNode.topology.volcano.sh", "Job.batch.volcano.sh"} <= live.missing_kinds.keys()
    assert "PodGroup.scheduling.volcano.sh" in live.missing_kinds
    assert live.findings == ()
    assert live.queues


def test_another_version_of_a_group_is_read(server: FakeApiServer, read: Any) -> None:
    old = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
    node = {"metadata": {"name": "leaf"}, "spec": {"tier": 1, "members": []}, "kind": "HyperNode"}
    server.lists.pop(old, None)
    server.put([{**node, "apiVersion": "topology.volcano.sh/v1beta2"}])
    assert [one.name for one in read().hyper_nodes] == ["leaf"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.full_resource)
def test_a_kind_that_may_not_be_listed_is_a_finding_with_the_missing_rule(
    server: FakeApiServer, kind: Any, read: Any
) -> None:
    server.forbidden = {kind.full_resource}
    (finding,) = [one for one in read().findings if one.object == f"kind/{kind.full_name}"]
    essential = kind.kind in ("Node", "Pod")
    assert finding.code == ("cluster_hidden" if essential else "kind_forbidden")
    assert finding.severity == ("error" if essential else "warning")
    assert "system:serviceaccount:gangplan:gangplan" in finding.message
    group = kind.group or '""'
    rule = f"{{apiGroups: [{group}], resources: [{kind.resource}], verbs: [list]}}"
    assert rule in finding.remedy


def test_a_config_map_that_may_not_be_read_is_a_finding(server: FakeApiServer, read: Any) -> None:
    path = "/api/v1/namespaces/volcano-system/configmaps/volcano-scheduler-configmap"
    server.acts[path] = [failing(403, "forbidden")]
    (finding,) = read().findings
    assert "resourceNames: [volcano-scheduler-configmap], verbs: [get]" in finding.remedy


def test_an_account_without_any_right_is_refused_with_every_rule(
    server: FakeApiServer, read: Any
) -> None:
    server.forbidden = {kind.full_resource for kind in KINDS}
    server.objects.clear()
    with pytest.raises(InputError, match="may not list nodes") as caught:
        read()
    assert len(caught.value.findings) == len(KINDS)


def test_an_expired_list_is_read_anew_and_what_came_of_it_is_dropped(
    server: FakeApiServer, read: Any, demo: Any
) -> None:
    """The first page held a pod that is gone in the list which was read to its end."""
    pods = server.lists[PODS]
    gone = {**pods[0], "metadata": {**pods[0]["metadata"], "name": "a-pod-that-goes"}}
    pods.insert(0, gone)

    def expire(request: Any) -> None:
        server.lists[PODS] = pods[1:]
        server.version += 1
        failing(410, "The provided continue parameter is too old")(request)

    server.acts[PODS] = [lambda request: server._list(request, PODS, {"limit": "5"}), expire]
    live = read(page=5)
    assert live.digest == from_files().digest
    assert live.sources[0].objects == len(demo)
    assert live.findings == ()


def test_pages_of_two_moments_are_read_anew(server: FakeApiServer, read: Any) -> None:
    def other_moment(request: Any) -> None:
        server.version += 1
        server._list(request, PODS, {"limit": "5", "continue": "5"})

    server.acts[PODS] = [lambda request: server._list(request, PODS, {"limit": "5"}), other_moment]
    assert read(page=5).digest == from_files().digest
    assert [query.get("continue") for query in server.asked(PODS)[:4]] == [None, "5", None, "5"]


def test_a_list_that_always_expires_is_given_up(server: FakeApiServer, read: Any) -> None:
    server.acts[PODS] = [failing(410)] * 20
    with pytest.raises(InputError, match="expired 5 times") as caught:
        read()
    assert caught.value.findings[0].code == "cluster_list_expired"
    assert int(server.asked(PODS)[-1]["limit"]) > int(server.asked(PODS)[0]["limit"])


def test_a_busy_server_is_asked_again_when_it_says(
    server: FakeApiServer, naps: Any, read: Any
) -> None:
    server.acts[PODS] = [failing(429, headers={"Retry-After": "7"}), failing(503), failing(429)]
    assert read().digest == from_files().digest
    assert naps.slept == [7.0, 1.0, 2.0]


def test_a_busy_server_may_name_a_date_or_a_long_time(
    server: FakeApiServer, naps: Any, read: Any
) -> None:
    """The long time is waited for, not cut short; where it is more than there is, the message comes at once."""
    from datetime import UTC, datetime, timedelta
    from email.utils import format_datetime

    when = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    server.acts[PODS] = [
        failing(429, headers={"Retry-After": when}),
        failing(503, headers={"Retry-After": "300"}),
        failing(429, headers={"Retry-After": "soon"}),
    ]
    assert read().digest == from_files().digest
    assert 80 < naps.slept[0] <= 90
    assert naps.slept[1:] == [300.0, 2.0]
    server.acts[PODS] = [failing(429, headers={"Retry-After": "86400"})]
    with pytest.raises(InputError, match=r"next try is 86,400 s away"):
        read()
    assert len(naps.slept) == 3


def test_a_server_that_stays_busy_is_an_error_with_its_words(
    server: FakeApiServer, naps: Any, read: Any
) -> None:
    server.acts[PODS] = [failing(429, "too many requests")] * 5
    with pytest.raises(InputError, match=r"too many requests \(429\)"):
        read()
    assert len(naps.slept) == 4


@pytest.mark.parametrize("act", [cut_off, hang_up], ids=["cut off", "hung up"])
def test_broken_connections_are_repeated(
    server: FakeApiServer, naps: Any, act: Any, read: Any
) -> None:
    server.acts[PODS] = [act, act]
    assert read().digest == from_files().digest
    assert naps.slept == [0.5, 1.0]
    server.acts[PODS] = [act] * 5
    with pytest.raises(InputError, match="the connection broke") as caught:
        read()
    assert caught.value.findings[0].code == "cluster_unreachable"


def test_a_slow_server_is_given_up(server: FakeApiServer, read: Any) -> None:
    import time

    server.acts[PODS] = [lambda request: time.sleep(0.3)] * 2
    with pytest.raises(InputError, match="does not answer in time"):
        read(attempts=2, answer_s=0.05)


def trickle(request: Any) -> None:
    """A byte every 20 ms: no pause is long enough for a time-out of the connection."""
    import time

    body = b'{"kind":"PodList",' + b" " * 10_000
    request.send_response(200)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    for byte in body:
        request.wfile.write(bytes((byte,)))
        request.wfile.flush()
        time.sleep(0.02)


def test_an_answer_that_trickles_is_given_up(server: FakeApiServer, read: Any) -> None:
    server.acts[PODS] = [trickle] * 2
    with pytest.raises(InputError, match=r"no whole answer within 0\.3 s"):
        read(attempts=2, answer_s=0.3)


def test_a_whole_read_has_a_time_limit(server: FakeApiServer, read: Any) -> None:
    """Every page is in time, all of them together are not."""
    import time

    def slow(request: Any) -> None:
        time.sleep(0.2)
        query = server.requests[-1][1]
        server._list(request, PODS, query)

    server.acts[PODS] = [slow] * 50
    with pytest.raises(InputError, match=r"not given? everything within 0\.7 s") as caught:
        read(page=1, total_s=0.7)
    assert caught.value.findings[0].code == "cluster_unreachable"


@pytest.mark.parametrize("act", [trickle, failing(429, headers={"Retry-After": "60"})])
def test_reading_stops_at_once_where_it_is_asked_to(
    server: FakeApiServer, read: Any, act: Any
) -> None:
    import time

    from planner.live.patience import stoppable

    server.acts[PODS] = [act] * 5
    began = time.monotonic()
    with (
        pytest.raises(KeyboardInterrupt),
        stoppable(lambda: time.monotonic() > began + 0.3),
    ):
        read(sleep=time.sleep)
    assert time.monotonic() - began < 10
    assert server.asked(PODS)


def test_a_signal_ends_a_nightly_run_that_reads(server: FakeApiServer, tmp_path: Path) -> None:
    """SIGTERM while the server is silent: exit code 130 within seconds, not after a time-out of the connection."""
    import signal
    import subprocess
    import sys
    import time

    done = threading.Event()
    server.acts[PODS] = [lambda request: done.wait(60) and None] * 5
    (tmp_path / "nightly.yaml").write_text('inputs: "cluster:"\nhistory: none\noutput: out\n')
    words = [
        sys.executable,
        "-m",
        "planner.cli",
        "nightly",
        "--config",
        str(tmp_path / "nightly.yaml"),
    ]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 60
        while not server.asked(PODS) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 130, said
    finally:
        process.kill()
        done.set()
    assert not [one for one in (tmp_path / "out").iterdir() if one.name[0].isdigit()]


def test_json_that_is_broken_though_whole_is_read_anew(server: FakeApiServer, read: Any) -> None:
    broken = b'{"kind":"PodList","items":[{"metadata":'
    server.acts[PODS] = [lambda request: send(request, 200, broken)]
    assert read().digest == from_files().digest
    server.acts[PODS] = [lambda request: send(request, 200, broken)] * 5
    with pytest.raises(InputError, match="no list of objects") as caught:
        read()
    assert caught.value.findings[0].code == "cluster_answer_damaged"


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        (b"<html>log in</html>", {"Content-Type": "text/html"}, "text/html, not with JSON"),
        (b'{"kind":"Status"}', {}, "no list of objects"),
        (b"[]", {}, "not with JSON"),
        (b"", {}, "not with JSON"),
    ],
)
def test_wrong_content_is_told(
    server: FakeApiServer, body: bytes, headers: dict[str, str], words: str, read: Any
) -> None:
    server.acts[PODS] = [lambda request: send(request, 200, body, headers)] * 9
    with pytest.raises(InputError, match=words):
        read()


def test_a_redirect_is_not_followed(server: FakeApiServer, read: Any) -> None:
    server.acts[PODS] = [lambda request: send(request, 302, b"", {"Location": "https://login"})]
    with pytest.raises(InputError, match="it redirects /api/v1/pods to https://login"):
        read()


def test_an_invalid_object_names_kind_and_object(server: FakeApiServer, read: Any) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ml"}}
    container = {"name": "c", "resources": {"requests": {"cpu": "many"}}}
    server.put([{**pod, "spec": {"containers": [container]}}])
    with pytest.raises(InputError, match="cluster:prod pods: Pod ml/p") as caught:
        read()
    assert "in the cluster" in caught.value.findings[0].remedy


def test_files_and_a_cluster_are_merged(server: FakeApiServer, tmp_path: Path) -> None:
    from planner.usecases.inputs.inputs import read_inputs

    extra = tmp_path / "queue.yaml"
    extra.write_text(
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: more}\n"
    )
    found = read_inputs(["cluster:", str(extra)])
    assert "more" in found.queue_by_name
    assert len(found.sources) == 2
    assert len(found.nodes) == len(from_files().nodes)
