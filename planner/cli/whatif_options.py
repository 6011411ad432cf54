"""Options of ``gangplan whatif``: what varies, and how it is computed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from planner.cli.engine_options import RayAddress
from planner.cli.values import parse_duration, parse_effort

Texts = list[str] | None


@dataclass(frozen=True)
class EditOptions:
    """What varies: files, or short forms that make one scenario together."""

    scenario: Annotated[
        list[Path] | None,
        typer.Option(
            "--scenario",
            metavar="FILE",
            help="Scenario file (YAML: name, edits). May be repeated.",
            show_default=False,
        ),
    ] = None
    add: Annotated[
        Texts,
        typer.Option(
            "--add",
            metavar="NODES=N",
            help="N more nodes like these (node, pool or GPU model), like a100=4.",
            show_default=False,
        ),
    ] = None
    remove: Annotated[
        Texts,
        typer.Option("--remove", metavar="NODES", help="Nodes that go.", show_default=False),
    ] = None
    drain: Annotated[
        Texts,
        typer.Option(
            "--drain",
            metavar="NODES",
            help="Nodes to drain: name, glob, pool/NAME, model/NAME or key=value.",
            show_default=False,
        ),
    ] = None
    fail: Annotated[
        Texts,
        typer.Option("--fail", metavar="NODES", help="Nodes that break.", show_default=False),
    ] = None
    set_: Annotated[
        Texts,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="queue/NAME.FIELD, gang/NAMESPACE/NAME.FIELD or policy.KEY, like queue/eval.weight=4.",
            show_default=False,
        ),
    ] = None
    multiply: Annotated[
        Texts,
        typer.Option(
            "--multiply",
            metavar="GANG=N",
            help="A gang N times in all; the copies wait.",
            show_default=False,
        ),
    ] = None
    scale: Annotated[
        Texts,
        typer.Option(
            "--scale",
            metavar="QUEUE=FACTOR",
            help="A queue's waiting gangs times a factor, like eval=1.5.",
            show_default=False,
        ),
    ] = None
    pin: Annotated[
        Texts,
        typer.Option(
            "--pin",
            metavar="GANG=NODES",
            help="Place a gang only on these nodes, like team/train=a-1+a-2.",
            show_default=False,
        ),
    ] = None
    forbid: Annotated[
        Texts,
        typer.Option(
            "--forbid",
            metavar="GANG=NODES",
            help="Place a gang not on these nodes.",
            show_default=False,
        ),
    ] = None
    name: Annotated[
        str,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Name of the scenario of the short forms.",
            show_default=False,
        ),
    ] = ""
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Save the short forms as a scenario file.",
            show_default=False,
        ),
    ] = None
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep",
            metavar="FILE",
            help="Sweep file (YAML: scenario, grid): one plan per point of the grid.",
            show_default=False,
        ),
    ] = None
    marginal: Annotated[
        bool,
        typer.Option(
            "--marginal",
            help="What one more node of each kind and one more GPU of quota per queue is worth.",
            show_default=False,
        ),
    ] = False


@dataclass(frozen=True)
class RunOptions:
    """How scenarios are planned, and what is kept of them."""

    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            metavar="PLAN",
            help="Plan document of this snapshot to begin with, instead of planning the base.",
            show_default=False,
        ),
    ] = None
    effort: Annotated[
        float,
        typer.Option(
            "--effort",
            parser=parse_effort,
            metavar="DURATION",
            help="Integer search per scenario beyond the relaxations; 0 for none.",
            show_default="3s",
        ),
    ] = 3.0
    demand: Annotated[
        Texts,
        typer.Option(
            "--demand",
            metavar="FILE",
            help="Demand of online services (CSV or Parquet): compare schedules, not plans for now.",
            show_default=False,
        ),
    ] = None
    horizon: Annotated[
        float | None,
        typer.Option(
            "--horizon",
            parser=parse_duration,
            metavar="DURATION",
            help="How far to schedule, with --demand.",
            show_default="24h",
        ),
    ] = None
    bucket: Annotated[
        float | None,
        typer.Option(
            "--bucket",
            parser=parse_duration,
            metavar="DURATION",
            help="Length of all buckets of a schedule, like 15m.",
            show_default="fine near, coarse far",
        ),
    ] = None
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="DIR",
            help="Keep scenario, edited snapshot and plan of each scenario here.",
            show_default=False,
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="Points of a sweep planned at a time (engine local).",
            show_default="cores",
        ),
    ] = None
    engine: Annotated[
        str, typer.Option("--engine", metavar="ENGINE", help="Runs a sweep: local or ray.")
    ] = "local"
    ray_address: RayAddress = None
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            metavar="FILE",
            help="Journal of a sweep; a sweep that was interrupted goes on from it.",
            show_default="SWEEP.journal.jsonl here",
        ),
    ] = None
