"""Makes ``demo.svg`` (what ``gangplan demo`` prints) and ``live.svg`` (from a running cluster to every night).

The cluster of the second is a small server that behaves like an API server and holds the demo.
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

import yaml
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


WALK = (
    "plan cluster: -o json --out plan.json",
    "report plan.json -o html --out plan.html",
    "nightly --config nightly.yaml",
)


def walk() -> list[tuple[str, str]]:
    """The commands of the front page with what they say; lines of progress are left out."""
    from planner.samples import sample_path
    from planner.testing.api_server import FakeApiServer, serving

    found, fake = [], FakeApiServer()
    with serving(fake.respond) as fake.url, tempfile.TemporaryDirectory() as folder:
        documents = yaml.safe_load_all(sample_path("demo").read_text(encoding="utf-8"))
        fake.put(one for document in documents for one in document.get("items", [document]))
        Path(folder, "kubeconfig").write_text(fake.kubeconfig(), encoding="utf-8")
        Path(folder, "nightly.yaml").write_text('inputs: "cluster:"\n', encoding="utf-8")
        for words in WALK:
            done = subprocess.run(
                [sys.executable, "-m", "planner.cli", *words.split()],
                cwd=folder,
                env={**os.environ, "KUBECONFIG": f"{folder}/kubeconfig", "COLUMNS": str(WIDTH)},
                capture_output=True,
                text=True,
                check=True,
            )
            said = (line for line in done.stderr.splitlines() if not line.startswith(" "))
            found.append((words, "\n".join(said)))
        files = sorted(one.name for one in Path(folder, "nightly", "latest").iterdir())
        found.append(("ls nightly/latest", "  ".join(files)))
    return found


def walk_picture(steps: list[tuple[str, str]]) -> str:
    """SVG of the walk."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    for words, said in steps:
        console.print(f"$ {words if words.startswith('ls') else f'gangplan {words}'}", style="bold")
        console.print(Text(said), soft_wrap=False)
    title = "cluster, plan, report, every night"
    svg = console.export_svg(title=title, theme=MONOKAI, unique_id="live")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


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
    (HERE / "live.svg").write_text(walk_picture(walk()) + "\n", encoding="utf-8")
    (HERE / "demo.svg").write_text(picture(demo_output()) + "\n", encoding="utf-8")
