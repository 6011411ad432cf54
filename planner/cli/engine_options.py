"""Options of every verb that spreads work over machines."""

from __future__ import annotations

from typing import Annotated

import typer

RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        metavar="ADDRESS",
        help="Ray cluster (host:port, ray://…, auto); without it one is started here.",
        show_default=False,
    ),
]
