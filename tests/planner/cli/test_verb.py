from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from planner.cli.app import VERBS
from planner.cli.verb import Verb, flatten_options

PROMISED = {
    "whatif",
    "demo",
    "explain",
    "history",
    "inspect",
    "nightly",
    "plan",
    "schedule",
    "reclaim",
    "verify",
    "report",
    "convert",
    "compare",
    "doctor",
    "ui",
}


@dataclasses.dataclass(frozen=True)
class Pair:
    left: Annotated[int, typer.Option("--left")] = 1
    right: Annotated[int, typer.Option("--right")] = 2


def add(name: Annotated[str, typer.Argument()], pair: Pair) -> int:
    """Add."""
    typer.echo(f"{name} {pair.left + pair.right}")
    return pair.right


@dataclasses.dataclass(frozen=True)
class Factor:
    factor: Annotated[int, typer.Option("--factor")]


def scale(factor: Factor) -> int:
    """Scale."""
    return factor.factor


def test_fields_of_a_group_become_options() -> None:
    app = typer.Typer()
    app.command(cls=Verb)(flatten_options(add))
    done = CliRunner().invoke(app, ["sum", "--left", "40"])
    assert done.stdout == "sum 42\n"
    assert done.exit_code == 2  # what the function returned


def test_a_field_without_a_default_is_a_required_option() -> None:
    app = typer.Typer()
    app.command(cls=Verb)(flatten_options(scale))
    assert CliRunner().invoke(app, ["--factor", "3"]).exit_code == 3
    refused = CliRunner().invoke(app, [])
    assert (refused.exit_code, "Missing option" in refused.stderr) == (2, True)


def test_every_promised_verb_is_there_and_documented() -> None:
    assert {verb.__name__ for verb in VERBS} == PROMISED
    assert all(inspect.getdoc(verb) for verb in VERBS)


@pytest.mark.parametrize("verb", sorted(PROMISED))
def test_every_verb_has_help(verb: str, gangplan: object) -> None:
    done = gangplan(verb, "--help")  # type: ignore[operator]
    assert done.exit_code == 0
    assert "Usage" in done.stdout
    spoilt = re.findall(r"MISSING|object at 0x|\w…", done.stdout)
    assert spoilt == [], "a default without words, or a word that the column cuts off"
