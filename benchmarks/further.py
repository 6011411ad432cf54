"""The benchmarks that are commands of their own, one after another; what they print becomes sections of a document."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Further:
    """A script beside this file, its options, and the heading of what it prints."""

    title: str
    script: str
    options: Sequence[str] = ()
    is_table: bool = True

    @property
    def command(self) -> str:
        """As one would type it."""
        return " ".join(["python", f"benchmarks/{self.script}", *self.options])


FULL: Sequence[Further] = (
    Further("Again after a small change", "replan.py"),
    Further("Small clusters", "small_clusters.py", ("--instances", "288")),
    Further("The same answer every time", "deterministic.py"),
    Further("Topology at scale", "topology.py", is_table=False),
)


def further_sections(chosen: Sequence[Further] = FULL) -> Iterator[str]:
    """Heading, command and output of each; one that ends with an error or a missed check says so."""
    for place, one in enumerate(chosen):
        print(f"measuring {one.title.lower()} …", file=sys.stderr)
        if place:
            yield ""
        yield f"## {one.title}"
        yield ""
        yield f"`{one.command}`"
        yield ""
        yield from _told(one)


def _told(one: Further) -> Iterator[str]:
    script = Path(__file__).with_name(one.script)
    done = subprocess.run(
        [sys.executable, str(script), *one.options],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    yield from lines if one.is_table else ["```", *lines, "```"]
    if done.returncode:
        yield ""
        yield f"Ended with exit code {done.returncode}."
