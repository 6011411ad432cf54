"""Take pictures of the dashboard: ``python -m ui.screenshots [--all --out FOLDER] [--chromium PATH]``.

Starts the dashboard on a free port with a history, plans the demo, schedules the evening sample, drills the night
sample. Takes the pictures that the documentation shows; with ``--all`` every page, light and dark, at 1280 and 1920
pixels. Needs Playwright (extra ``dev``) and a Chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
SHOWN = {**dict.fromkeys(PAGES, "light"), "plan": "dark"}
"""Page to colour scheme of the pictures in the documentation."""
WIDTHS = (1280, 1920)
SCHEMES = ("light", "dark")
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_S = 60.0
LOADED_MS = 120_000


@dataclass(frozen=True)
class Picture:
    """One picture; ``width`` in pixels."""

    page: str
    scheme: str
    width: int = WIDTHS[0]

    @property
    def file(self) -> str:
        """Its file name."""
        wide = "" if self.width == WIDTHS[0] else f"-{self.width}"
        return f"{self.page}-{self.scheme}{wide}.webp"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """Run ``gangplan ui`` with these arguments; gives its address.

    Raises
    ------
    RuntimeError
        The server did not come up in a minute.
    """
    port = free_port()
    command = [sys.executable, "-m", "planner.cli", "ui", "--no-browser", "--port", str(port)]
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _await(f"http://localhost:{port}", server)
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def _await(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        with (
            contextlib.suppress(urllib.error.URLError, ConnectionError),
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer,
        ):
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise RuntimeError("the dashboard did not start")


def settled(page: Any) -> None:
    """Wait until the script of the page has run to its end, nothing old is left, and its charts are drawn."""
    page.wait_for_selector("h1", timeout=LOADED_MS)
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
        " && !document.querySelector('[data-stale=true]')",
        timeout=LOADED_MS,
    )
    page.wait_for_timeout(400)


def plan_demo(page: Any) -> None:
    """Press Plan and wait for the verified plan."""
    page.get_by_role("button", name="Plan", exact=True).click()
    await_plan(page)


def await_plan(page: Any) -> None:
    """Wait for the verified plan.

    Raises
    ------
    RuntimeError
        Planning gave none; the message is what the page says.
    """
    ended = page.get_by_text(re.compile("verified,|no plan$")).first
    ended.wait_for(timeout=120_000)
    settled(page)
    if "verified" not in page.locator("[data-testid=stSidebarUserContent]").inner_text():
        raise RuntimeError(page.locator("[data-testid=stMain]").inner_text())


def open_page(page: Any, name: str) -> None:
    """Go to a page by its link, and wait for its title; the first one has the address of the server."""
    links = page.locator("[data-testid=stSidebarNav] a")
    link = links.first if name == "overview" else links.and_(page.locator(f"[href$='/{name}']"))
    title = link.inner_text().splitlines()[-1].strip()
    link.click()
    page.locator("h1").filter(has_text=title).first.wait_for(timeout=LOADED_MS)
    settled(page)


def schedule_evening(page: Any, address: str) -> None:
    """Open the page Night on the evening sample and schedule it."""
    page.goto(f"{address}/night?sample=evening")
    settled(page)
    page.get_by_role("button", name="Schedule", exact=True).click()
    page.locator("[data-testid=stMetric]").first.wait_for(timeout=120_000)
    settled(page)


def drill_night(page: Any, address: str) -> None:
    """Open the page Drill on the night sample and call 24 GPUs back for its online services."""
    page.goto(f"{address}/drill?sample=night&need=online=24")
    settled(page)
    page.get_by_test_id("stMain").get_by_role("button", name="Drill", exact=True).click()
    page.locator("[data-testid=stMetric]").first.wait_for(timeout=120_000)
    settled(page)


def make_history(folder: Path, nights: int = 7) -> str:
    """A history of the sample's nights; gives its URL."""
    url = f"sqlite:///{folder / 'history.db'}"
    command = [sys.executable, "-m", "planner.testing.sample_history", url, str(nights)]
    subprocess.run(command, check=True, capture_output=True)
    return url


def select_row(page: Any, row: int) -> None:
    """Select a row of the first table; the table is drawn on a canvas, so its place is clicked."""
    grid = page.locator("[data-testid=stDataFrame]").first
    grid.scroll_into_view_if_needed()
    grid.click(position={"x": 16, "y": 35 * row + 17})
    settled(page)


def show(page: Any, address: str, name: str) -> None:
    """Open a page with something to see on it."""
    if name == "night":
        schedule_evening(page, address)
    elif name == "drill":
        drill_night(page, address)
    else:
        open_page(page, name)
    if name == "waiting":
        select_row(page, 1)
    elif name == "history":
        page.get_by_role("tab", name="Trend").click()
        settled(page)


def take(address: str, wanted: Sequence[Picture], chromium: str, out: Path) -> Iterator[Path]:
    """Take pictures of one scheme and width in one session."""
    from playwright.sync_api import sync_playwright

    width, scheme = wanted[0].width, wanted[0].scheme
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        page.goto(address)
        settled(page)
        plan_demo(page)
        for picture in wanted:
            show(page, address, picture.page)
            high = page.evaluate(
                "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
            )
            page.set_viewport_size({"width": width, "height": min(3000, max(900, int(high) + 20))})
            page.wait_for_timeout(600)
            yield saved(page.screenshot(), out / picture.file)
            page.set_viewport_size({"width": width, "height": 900})
        browser.close()


def saved(png: bytes, file: Path) -> Path:
    """The picture as WebP, a quarter of the size of PNG."""
    from PIL import Image

    Image.open(io.BytesIO(png)).convert("RGB").save(file, "WEBP", quality=82, method=6)
    return file


def pictures(*, everything: bool) -> list[Picture]:
    """What the documentation shows, or every page in both schemes and widths."""
    if not everything:
        return [Picture(name, scheme) for name, scheme in SHOWN.items()]
    return [
        Picture(name, scheme, width) for width in WIDTHS for scheme in SCHEMES for name in PAGES
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of the dashboard.")
    parser.add_argument("snapshot", nargs="*")
    parser.add_argument("--out", type=Path, default=Path("docs/images/ui"))
    parser.add_argument(
        "--all", action="store_true", help="every page, light and dark, both widths"
    )
    parser.add_argument("--chromium", default=CHROMIUM)
    found = parser.parse_args(arguments)
    found.out.mkdir(parents=True, exist_ok=True)
    by_session: dict[tuple[int, str], list[Picture]] = {}
    for picture in pictures(everything=found.all):
        by_session.setdefault((picture.width, picture.scheme), []).append(picture)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(*found.snapshot, "--history", make_history(Path(folder))) as address,
    ):
        for wanted in by_session.values():
            for file in take(address, wanted, found.chromium, found.out):
                sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    main()
