"""Take the pictures of the walk-through in ``docs/ui.md``: ``python -m ui.walkthrough [--out FOLDER]``.

From ``gangplan ui`` on the demo to the gang that starts after a change. Needs what :mod:`ui.browsing` needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ui.browsing import (
    ARGUMENTS,
    CHROMIUM,
    LOADED_MS,
    await_plan,
    open_page,
    select_row,
    serving,
    settled,
)
from ui.screenshots import saved

DRAWN = "![...document.querySelectorAll('[data-testid=stSkeleton]')].some(one => one.offsetParent)"
"""No chart or table that can be seen is still to come."""
GANG = "pretrain/moe-1t-dry-run"
ROW = 2
"""Its row among the gangs that wait in the plan of the demo."""


def steps(page: Any) -> Iterator[str]:
    """Walk from the opened demo to the changed cluster; gives the name of each step when the page shows it."""
    yield "open"
    page.get_by_role("button", name="Plan", exact=True).click()
    await_plan(page)
    open_page(page, "waiting")
    select_row(page, ROW)
    _to_top(page, f"Why {GANG} waits")
    yield "why"
    page.get_by_role("button", name="Confirm by planning").click()
    page.get_by_text("Confirmed: the gang starts").first.wait_for(timeout=LOADED_MS)
    settled(page)
    _to_top(page, "What would start it")
    yield "fix"
    page.get_by_role("button", name="Apply as scenario").first.click()
    page.get_by_text(f"{GANG} starts after this change").wait_for(timeout=LOADED_MS)
    settled(page)
    _to_top(page, "Side by side")
    yield "starts"


def _to_top(page: Any, text: str) -> None:
    """Scroll until this heading is the first thing to see."""
    heading = page.get_by_text(text, exact=True).first
    heading.evaluate("one => one.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(800)


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Take pictures of the walk-through.")
    parser.add_argument("--out", type=Path, default=Path("docs/images/ui"))
    parser.add_argument("--chromium", default=CHROMIUM)
    found = parser.parse_args()
    found.out.mkdir(parents=True, exist_ok=True)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found.chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme="light")
        page.goto(address)
        settled(page)
        for number, step in enumerate(steps(page), 1):
            page.wait_for_function(DRAWN, timeout=LOADED_MS)
            file = saved(page.screenshot(), found.out / f"walk-{number}-{step}.webp")
            sys.stdout.write(f"{file}\n")
        browser.close()


if __name__ == "__main__":
    main()
