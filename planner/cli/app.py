"""The command ``gangplan`` and its verbs; nothing here takes long to load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from planner.cli.verb import Verb, flatten_options
from planner.cli.verbs.compare import compare
from planner.cli.verbs.convert import convert
from planner.cli.verbs.demo import demo
from planner.cli.verbs.doctor import doctor
from planner.cli.verbs.explain import explain
from planner.cli.verbs.history import history
from planner.cli.verbs.inspect import inspect
from planner.cli.verbs.nightly import nightly
from planner.cli.verbs.plan import plan
from planner.cli.verbs.reclaim import reclaim
from planner.cli.verbs.report import report
from planner.cli.verbs.schedule import schedule
from planner.cli.verbs.ui import ui
from planner.cli.verbs.verify import verify
from planner.cli.verbs.whatif import whatif

VERBS: tuple[Callable[..., int], ...] = (
    demo,
    inspect,
    plan,
    explain,
    schedule,
    nightly,
    history,
    reclaim,
    verify,
    report,
    convert,
    compare,
    whatif,
    doctor,
    ui,
)

app = typer.Typer(
    name="gangplan",
    help="Plans gang-scheduled GPU work: provably near-optimal, verified, explained. "
    "It reads exports and recommends; it never touches a cluster.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _verb in VERBS:
    app.command(cls=Verb)(flatten_options(_verb))


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"gangplan {version('gangplan')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Options before the verb."""
