"""Contexts, credentials and plugins, as people know them from kubectl."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError, UsageError
from planner.live import kubeconfig
from planner.live.api_server import ApiServer
from planner.samples import sample_path
from planner.testing.api_server import FakeApiServer
from planner.usecases.inputs.inputs import is_cluster, read_inputs


def plugin(folder: Path, script: str) -> dict[str, Any]:
    tool = folder / "plugin"
    tool.write_text(f"#!{sys.executable}\n{script}")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    exec_ = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(tool)}
    return {"exec": {**exec_, "interactiveMode": "Never", "env": None, "args": []}}


def token_of(name: str) -> str:
    """A plugin that gives the token which stands in a file."""
    head = "{'apiVersion': 'client.authentication.k8s.io/v1', 'kind': 'ExecCredential'"
    return (
        f"import json, pathlib\nprint(json.dumps({head}, "
        f"'status': {{'token': pathlib.Path({name!r}).read_text()}}}}))\n"
    )


def use(server: FakeApiServer, tmp_path: Path, user: dict[str, Any]) -> None:
    (tmp_path / "kubeconfig").write_text(server.kubeconfig(user=user))


def test_the_token_of_the_context_is_sent(server: FakeApiServer, read: Any) -> None:
    server.tokens = {"good"}
    assert read().nodes
    assert {token for _, _, token in server.requests} == {"good"}


def test_an_unknown_context_names_those_there_are(server: FakeApiServer) -> None:
    with pytest.raises(InputError, match=r"no context 'stage'; there is: prod"):
        read_inputs(["cluster:stage"])


def test_without_a_kubeconfig_the_message_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    words = r"(?i)^cluster of the current context: .*kube-?config"
    with pytest.raises(InputError, match=words) as caught:
        read_inputs(["cluster:"])
    assert caught.value.exit_code == 3


def test_a_damaged_kubeconfig_is_no_traceback(server: FakeApiServer, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text("contexts: [")
    with pytest.raises(InputError, match="cannot be read"):
        read_inputs(["cluster:prod"])


def test_an_expired_token_is_renewed_once(server: FakeApiServer, tmp_path: Path, read: Any) -> None:
    """The plugin gives a new token when it is asked again; the first was refused in the middle of a list."""
    store = tmp_path / "token"
    store.write_text("old")
    use(server, tmp_path, plugin(tmp_path, token_of(str(store))))
    server.tokens = {"old"}

    def expire(request: Any) -> None:
        server.tokens = {"new"}
        store.write_text("new")
        server.respond(request)

    server.acts["/api/v1/pods"] = [expire]
    assert read().pods
    assert {token for _, _, token in server.requests} == {"old", "new"}


def test_credentials_that_stay_refused_are_told(server: FakeApiServer, read: Any) -> None:
    server.tokens = {"another"}
    with pytest.raises(InputError, match="does not accept the credentials of prod") as caught:
        read()
    assert caught.value.findings[0].code == "cluster_credentials"


def test_a_plugin_that_fails_is_told_with_its_words(
    server: FakeApiServer, tmp_path: Path, capfd: Any, read: Any
) -> None:
    fails = "import sys\nsys.stderr.write('session expired, run: login')\nsys.exit(3)\n"
    use(server, tmp_path, plugin(tmp_path, fails))
    with pytest.raises(InputError, match=r"no credentials: .*returned 3.*session expired"):
        read()
    assert capfd.readouterr() == ("", "")


def test_a_plugin_that_is_missing_is_told(server: FakeApiServer, tmp_path: Path, read: Any) -> None:
    user = plugin(tmp_path, "")
    user["exec"]["command"] = str(tmp_path / "no-such-tool")
    use(server, tmp_path, user)
    with pytest.raises(InputError, match="no-such-tool"):
        read()


def test_a_server_that_is_not_there_is_told(server: FakeApiServer, read: Any) -> None:
    path = Path(kubeconfig.os.environ["KUBECONFIG"])
    found = json.loads(path.read_text())
    found["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:9"
    path.write_text(json.dumps(found))
    with pytest.raises(InputError, match="cannot be reached"):
        read()


def test_in_a_pod_the_service_account_is_used(
    server: FakeApiServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from kubernetes.config import incluster_config

    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    for name in ("TOKEN", "CERT"):
        file = tmp_path / name
        file.write_text("of-the-pod")
        monkeypatch.setattr(incluster_config, f"SERVICE_{name}_FILENAME", str(file))
    api = ApiServer()
    assert api.context == kubeconfig.POD
    assert api._configuration.host == "https://10.0.0.1:443"


def test_a_file_of_this_name_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_cluster("cluster:prod")
    Path("cluster:prod").write_bytes(sample_path("demo").read_bytes())
    assert not is_cluster("cluster:prod")
    assert read_inputs(["cluster:prod"]).nodes


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    with pytest.raises(UsageError, match=r"gangplan\[live\]"):
        read_inputs(["cluster:"])


def test_reading_files_loads_nothing_of_the_client(demo: Any) -> None:
    code = (
        "import sys\nfrom planner.usecases.inputs.inputs import read_inputs\n"
        f"read_inputs([{str(sample_path('demo'))!r}])\nprint(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not [one for one in loaded if one.startswith(("kubernetes", "planner.live", "urllib3"))]


def test_a_plugin_that_waits_for_a_person_is_given_up(
    server: FakeApiServer, tmp_path: Path, read: Any
) -> None:
    use(server, tmp_path, plugin(tmp_path, "import time\ntime.sleep(1)\n"))
    try:
        with pytest.raises(InputError, match=r"plugin has not answered within 0\.3 s") as caught:
            read(answer_s=0.3)
        assert caught.value.exit_code == 3
    finally:
        for one in threading.enumerate():
            if one.name == "answer":
                one.join()
