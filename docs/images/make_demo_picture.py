"""Makes ``demo.svg``: what ``gangplan demo`` prints, as a picture for the front page.

Run it after a change of the tables: ``python docs/images/make_demo_picture.py``.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

WIDTH = 150
LINES = 46
HERE = Path(__file__).resolve().parent


def demo_output() -> str:
    """What the demo writes to a colour terminal of this width."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "planner.cli", "demo", "--deterministic", "--quiet"],
            cwd=folder,
            env={
                **os.environ,
                "FORCE_COLOR": "1",
                "COLORTERM": "truecolor",
                "TERM": "xterm-256color",
                "COLUMNS": str(WIDTH),
            },
            capture_output=True,
            text=True,
            check=True,
        )
    return done.stdout


def picture(output: str) -> str:
    """SVG of the first lines; the fonts are those of the reader, nothing is loaded."""
    lines = output.splitlines()
    shown = [line.rstrip() for line in lines[:LINES]]
    if len(lines) > LINES:
        shown.append("…")
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    console.print("$ gangplan demo", style="bold")
    console.print(Text.from_ansi("\n".join(shown)))
    svg = console.export_svg(title="gangplan demo", theme=MONOKAI, unique_id="demo")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    (HERE / "demo.svg").write_text(picture(demo_output()) + "\n", encoding="utf-8")
