"""Seconds from the click on *Compare* to the numbers on the page, in a real browser.

Usage: ``python benchmarks/whatif_page.py cluster.json.gz [--time-limit 60] [--chromium PATH]``. Serves the snapshot,
plans it, then loads one scenario after the other on the page What-if and compares it. Seconds are by the clock, from
the click until the verdict on the scenario stands on the page, and until the search for a better answer has ended.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if not __package__:  # run as a file: the folder above makes the packages importable
    sys.path.insert(0, str(ROOT))

from models.edits.scenario import Scenario  # noqa: E402
from models.edits.short import short_edits  # noqa: E402
from models.snapshot import Snapshot  # noqa: E402
from planner.usecases.cluster_session import open_files  # noqa: E402
from ui.browsing import ARGUMENTS, CHROMIUM, await_plan, serving, settled  # noqa: E402
from ui.whatif.sharing import scenario_yaml  # noqa: E402


def scenarios(snapshot: Snapshot) -> dict[str, bytes]:
    """One scenario file per kind of edit, with names of this cluster."""
    nodes = [node.name for node in snapshot.nodes]
    waiting = Counter(gang.queue for gang in snapshot.gangs if not snapshot.pods_of(gang))
    queue = waiting.most_common(1)[0][0]
    asked = {
        "add": short_edits(f"add/{nodes[3]}", 4),
        "drain": short_edits("drain", nodes[len(nodes) // 20]),
        "weight": short_edits(f"queue/{queue}.weight", 9),
        "capability": short_edits(f"queue/{queue}.capability.gpu", "+32"),
        "deserved": short_edits(f"queue/{queue}.deserved.gpu", "+64"),
        "scale": short_edits(f"scale/{queue}", 1.5),
    }
    return {name: scenario_yaml(Scenario(name, edits)) for name, edits in asked.items()}


def load(page: Any, name: str, text: bytes) -> None:
    """Load a scenario file on the page."""
    form = page.locator("[data-testid=stForm]").filter(has_text="Scenario files")
    if not form.is_visible():
        page.get_by_text("Load a scenario file", exact=True).click()
    form.locator("input[type=file]").set_input_files(
        {"name": f"{name}.yaml", "mimeType": "application/yaml", "buffer": text}
    )
    page.get_by_text(f"{name}.yaml").first.wait_for()
    form.get_by_role("button", name="Load", exact=True).click()
    page.get_by_role("radio", name=name, exact=True).wait_for()
    settled(page)


def compared(page: Any, name: str) -> tuple[float, float]:
    """Press Compare; seconds until a verdict on this scenario is read, and until the last one is."""
    start = time.perf_counter()
    button = page.get_by_role("button", name="Compare", exact=True)
    button.click()
    page.locator("[data-testid=stMain] li strong").get_by_text(name, exact=True).wait_for(
        timeout=120_000
    )
    first = time.perf_counter() - start
    button.wait_for(timeout=120_000)
    return first, time.perf_counter() - start


def main() -> None:
    """Serve, plan, compare one scenario after the other."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Time what-if answers in the browser.")
    parser.add_argument("snapshot")
    parser.add_argument("--time-limit", type=int, default=60)
    parser.add_argument("--chromium", default=CHROMIUM)
    given = parser.parse_args()
    asked = scenarios(open_files((given.snapshot,)).snapshot)
    with serving(given.snapshot) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{address}/whatif")
        settled(page)
        page.get_by_label("Time limit (s)").fill(str(given.time_limit))
        page.keyboard.press("Enter")
        settled(page)
        start = time.perf_counter()
        page.get_by_role("button", name="Plan", exact=True).click()
        await_plan(page)
        print(f"plan of the base: {time.perf_counter() - start:.2f} s")
        for name, text in asked.items():
            load(page, name, text)
            first, last = compared(page, name)
            print(f"{name}: {first:.2f} s, searched to the end: {last:.2f} s", flush=True)
            settled(page)
        browser.close()


if __name__ == "__main__":
    main()
