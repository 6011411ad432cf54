"""How a function becomes a verb: grouped options, and no traceback for any input."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from planner.cli.guard import guarded


class Verb(TyperCommand):
    """A command whose errors become one message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb under the guard; the exit code is what the verb returns."""
        code = guarded(lambda: super(Verb, self).invoke(ctx), verbose=ctx.params.get("verbose", 0))
        raise typer.Exit(code)


def flatten_options(function: Callable[..., int]) -> Callable[..., int]:
    """Let a verb take dataclasses of options: each field becomes an option of its own.

    Typer knows no option groups; without this every verb would repeat a dozen parameters.
    """
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if dataclasses.is_dataclass(hint)
    }
    plain = [p for n, p in inspect.signature(function).parameters.items() if n not in groups]
    parameters = [one.replace(annotation=hints[one.name]) for one in plain]
    for group in groups.values():
        parameters.extend(_parameters_of(group))

    @functools.wraps(function)
    def call(**values: Any) -> int:
        built = {
            name: group(**{f.name: values.pop(f.name) for f in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        return function(**values, **built)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def _parameters_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is dataclasses.MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(group)
    ]
