"""Take pictures of the dashboard: ``python -m ui.screenshots [--all --out FOLDER] [--chromium PATH]``.

Starts the dashboard on a free port with a history, plans the demo, compares two scenarios with it, schedules the
evening sample, drills the night sample. Takes the pictures that the documentation shows; with ``--all`` every page,
light and dark, at 1280 and 1920 pixels, and in Chinese. Needs Playwright (extra ``dev``) and a Chromium, for Chinese
also a font (Debian: ``fonts-noto-cjk``).
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ui.browsing import (
    ARGUMENTS,
    CHROMIUM,
    compare,
    drill_night,
    make_history,
    open_page,
    plan_demo,
    schedule_evening,
    select_row,
    serving,
    settled,
)
from ui.messages import Words

PAGES = (
    "overview",
    "inventory",
    "queues",
    "waiting",
    "plan",
    "night",
    "drill",
    "whatif",
    "history",
    "proof",
)
LATER = ("night", "drill")
"""Pages that open another sample; they come last, so that the others show the planned demo."""
SCENARIOS = (
    {"name": "one more node", "edits": [{"add_nodes": {"count": 1, "like": "h100-4"}}]},
    {
        "name": "more for pretrain",
        "edits": [
            {"set_queue": {"queue": "pretrain", "deserved": {"gpu": "+16"}}},
            {"set_queue": {"queue": "pretrain", "capability": {"gpu": "+16"}}},
        ],
    },
)
"""What the page What-if compares."""
SHOWN = {**dict.fromkeys(PAGES, "light"), "plan": "dark"}
"""Page to colour scheme of the pictures in the documentation."""
WIDTHS = (1280, 1920)
SCHEMES = ("light", "dark")


@dataclass(frozen=True)
class Picture:
    """One picture; ``width`` in pixels."""

    page: str
    scheme: str
    width: int = WIDTHS[0]
    language: str = "en"

    @property
    def file(self) -> str:
        """Its file name."""
        wide = "" if self.width == WIDTHS[0] else f"-{self.width}"
        spoken = "" if self.language == "en" else f"-{self.language}"
        return f"{self.page}-{self.scheme}{wide}{spoken}.webp"


def show(page: Any, address: str, name: str, say: Words) -> None:
    """Open a page with something to see on it."""
    if name == "night":
        schedule_evening(page, address, say)
    elif name == "drill":
        drill_night(page, address, say)
    else:
        open_page(page, name)
    if name == "waiting":
        select_row(page, 2)
    elif name == "whatif":
        compare(page, say)
    elif name == "history":
        page.get_by_role("tab", name=say("Trend")).click()
    settled(page)


def take(address: str, wanted: Sequence[Picture], chromium: str, out: Path) -> Iterator[Path]:
    """Take pictures of one scheme, width and language in one session."""
    from playwright.sync_api import sync_playwright

    width, scheme, say = wanted[0].width, wanted[0].scheme, Words(wanted[0].language)
    query = urlencode(
        [("lang", say.language), *(("scenario", json.dumps(one)) for one in SCENARIOS)]
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        page.goto(f"{address}/?{query}")
        settled(page)
        plan_demo(page, say)
        for picture in sorted(wanted, key=lambda one: one.page in LATER):
            show(page, address, picture.page, say)
            _grow(page, width)
            yield saved(page.screenshot(), out / picture.file)
            page.set_viewport_size({"width": width, "height": 900})
        browser.close()


def _grow(page: Any, width: int) -> None:
    """As high as the page is; what a higher window draws may make the page higher again."""
    for _ in range(2):
        high = page.evaluate(
            "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
        )
        page.set_viewport_size({"width": width, "height": min(3600, max(900, int(high) + 20))})
        page.mouse.move(width - 3, 3)  # away from buttons and table rows
        page.wait_for_timeout(600)


def saved(png: bytes, file: Path) -> Path:
    """The picture as WebP, a quarter of the size of PNG."""
    from PIL import Image

    Image.open(io.BytesIO(png)).convert("RGB").save(file, "WEBP", quality=82, method=6)
    return file


def pictures(*, everything: bool) -> list[Picture]:
    """What the documentation shows, or every page in both schemes and widths, and in Chinese."""
    if not everything:
        return [Picture(name, scheme) for name, scheme in SHOWN.items()]
    found = [
        Picture(name, scheme, width) for width in WIDTHS for scheme in SCHEMES for name in PAGES
    ]
    return [*found, *(Picture(name, "light", language="zh") for name in PAGES)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of the dashboard.")
    parser.add_argument("snapshot", nargs="*")
    parser.add_argument("--out", type=Path, default=Path("docs/images/ui"))
    parser.add_argument(
        "--all",
        action="store_true",
        help="every page, light and dark, both widths, and in Chinese",
    )
    parser.add_argument("--chromium", default=CHROMIUM)
    found = parser.parse_args(arguments)
    found.out.mkdir(parents=True, exist_ok=True)
    by_session: dict[tuple[int, str, str], list[Picture]] = {}
    for picture in pictures(everything=found.all):
        by_session.setdefault((picture.width, picture.scheme, picture.language), []).append(picture)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(*found.snapshot, "--history", make_history(Path(folder))) as address,
    ):
        for wanted in by_session.values():
            for file in take(address, wanted, found.chromium, found.out):
                sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
