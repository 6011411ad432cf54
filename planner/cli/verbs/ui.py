"""``gangplan ui``: the dashboard in a browser, served from this machine."""

from __future__ import annotations

import contextlib
import importlib.util
import ipaddress
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from models.findings import Finding, InputError, UsageError
from planner.cli.option_groups import SNAPSHOT_HELP, PolicyOptions, TalkOptions
from planner.cli.talk import Talk
from planner.cli.values import parse_duration

DEFAULT_UPLOAD_MB = 200
THEME = {
    "theme.light.primaryColor": "#0060A0",
    "theme.light.textColor": "#16181F",
    "theme.dark.primaryColor": "#5BB0E8",
}

Snapshots = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SNAPSHOT", help=f"{SNAPSHOT_HELP} Without one: the demo.", show_default=False
    ),
]
Demand = Annotated[
    list[str] | None,
    typer.Option(
        "--demand",
        metavar="FILE",
        help="Demand of the snapshot's online services, for the page Night. May be repeated.",
        show_default=False,
    ),
]
History = Annotated[
    str,
    typer.Option(
        "--history",
        metavar="URL",
        help="Past nights for the page History: a database (sqlite:///PATH, postgresql://…), or the folder that holds "
        "the dated folders.",
        show_default=False,
    ),
]
Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")]
Port = Annotated[
    int | None,
    typer.Option(
        "--port", metavar="N", min=1, max=65535, help="Port.", show_default="8501, or the next free"
    ),
]
Upload = Annotated[
    int, typer.Option("--max-upload", metavar="MB", min=1, max=10_000, help="Largest upload in MB.")
]
ReadEvery = Annotated[
    float | None,
    typer.Option(
        "--read-every",
        parser=parse_duration,
        metavar="DURATION",
        help="Read a running cluster again after this time, like 10m.",
        show_default="on request only",
    ),
]
ReadOnly = Annotated[
    bool,
    typer.Option(
        "--read-only",
        help="Visitors see one plan of the given snapshot and change nothing.",
        show_default=False,
    ),
]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Do not open a browser.", show_default=False)
]


def ui(
    policy: PolicyOptions,
    talking: TalkOptions,
    snapshot: Snapshots = None,
    demand: Demand = None,
    history: History = "",
    host: Host = "localhost",
    port: Port = None,
    max_upload: Upload = DEFAULT_UPLOAD_MB,
    read_every: ReadEvery = None,
    read_only: ReadOnly = False,
    no_browser: NoBrowser = False,
) -> int:
    """Serve the dashboard on this machine and open it in a browser."""
    talk = Talk(talking)
    from planner.usecases.inputs.demand_files import demand_path
    from planner.usecases.inputs.inputs import is_cluster, snapshot_path

    paths = [str(snapshot_path(one)) for one in snapshot or ()]
    demands = [str(demand_path(one)) for one in demand or ()]
    _check([*paths, *demands], policy)
    if read_every and not any(map(is_cluster, paths)):
        raise UsageError("--read-every reads a running cluster again: name one, like cluster:")
    app = _app_file()
    if not _is_local(host):
        talk.note(
            f"listening on {host}: everyone who reaches this address sees the cluster and can plan; "
            "put an authenticating proxy in front of it (docs/ui.md)"
        )
    from streamlit.web.cli import main

    from planner.runtime.child_server import make_ready

    make_ready()
    with _history(history) as url:
        sys.argv = [
            "streamlit",
            "run",
            str(app),
            *_server_flags(host, port, max_upload, no_browser=no_browser),
            "--",
            *([f"--history={url}"] if url else []),
            *([f"--read-every={max(1, round(read_every))}"] if read_every else []),
            *_app_arguments(paths, demands, policy, max_upload, read_only=read_only),
        ]
        main(standalone_mode=False)
    return 0


def _check(paths: list[str], policy: PolicyOptions) -> None:
    """Refuse before the server starts what no page could open."""
    from planner.usecases.inputs.inputs import is_cluster
    from planner.usecases.inputs.policies import policy_keys, read_policy

    if "-" in paths:
        raise UsageError(
            "the dashboard reads its snapshot again for every visitor, so standard input will not do: "
            "save it to a file"
        )
    missing = [path for path in paths if not is_cluster(path) and not Path(path).exists()]
    if missing:
        message = "cannot be read: there is no such file or folder"
        finding = Finding("file_unreadable", "error", missing[0], message, "check the path")
        raise InputError(f"{missing[0]}: {message}", [finding])
    policy_keys(policy.set_policy or ())
    if policy.policy is not None:
        read_policy(policy.policy)


@contextlib.contextmanager
def _history(given: str) -> Iterator[str]:
    """URL of a history that can be opened; nights of a folder are read into one of their own, gone with the server."""
    if not given:
        yield ""
    elif Path(given).is_dir():
        from planner.history.opening import open_history
        from planner.nightly.importing import import_nights

        with tempfile.TemporaryDirectory(prefix="gangplan-history-") as folder:
            url = f"sqlite:///{folder}/{Path(given).resolve().name}.db"
            with open_history(url) as history:
                import_nights(history, [Path(given)])
            yield url
    else:
        from planner.usecases.past_nights import open_past

        open_past(given).close()
        yield given


def _app_file() -> Path:
    """The script that Streamlit runs; the dashboard is above the planner, so it is found and not imported."""
    for package in ("streamlit", "altair"):
        if importlib.util.find_spec(package) is None:
            raise UsageError(
                f"the dashboard needs {package}: install it with `pip install 'gangplan[ui]'`"
            )
    found = importlib.util.find_spec("ui")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        app = Path(folder) / "app.py"
        if app.is_file():
            return app
    raise UsageError("this installation of gangplan lacks the dashboard; install it again")


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _server_flags(host: str, port: int | None, max_upload: int, *, no_browser: bool) -> list[str]:
    settings: dict[str, object] = {
        "server.address": host,
        "server.headless": str(no_browser).lower(),
        "server.enableXsrfProtection": "true",
        "server.enableCORS": "true",
        "server.maxUploadSize": max_upload,
        "server.showEmailPrompt": "false",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "runner.postScriptGC": "false",  # every run of a script would search the whole cluster for cycles
        "client.toolbarMode": "minimal",
        "runner.magicEnabled": "false",
        "client.showErrorDetails": "none",
        **THEME,
    }
    if port is not None:
        settings["server.port"] = port
    return [f"--{name}={value}" for name, value in settings.items()]


def _app_arguments(
    paths: list[str],
    demand: list[str],
    policy: PolicyOptions,
    max_upload: int,
    *,
    read_only: bool,
) -> list[str]:
    found = [f"--max-upload={max_upload}", *(f"--demand={one}" for one in demand)]
    if policy.policy is not None:
        found.append(f"--policy={policy.policy}")
    found += [f"--set-policy={one}" for one in policy.set_policy or ()]
    if policy.allow_incomplete:
        found.append("--allow-incomplete")
    if read_only:
        found.append("--read-only")
    return [*found, "--", *paths]
