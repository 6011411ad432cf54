"""Drive the dashboard in a Chromium: serve it, wait for pages, press what a visitor presses.

For pictures, timings and tests. Needs Playwright (extra ``dev``); every ``page`` is one of Playwright's.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ui.messages import Words

ENGLISH = Words("en")
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


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[str]:
    """Run ``gangplan ui`` with these arguments and further variables of its environment; gives its address.

    Raises
    ------
    RuntimeError
        The server did not come up in a minute.
    """
    port = free_port()
    command = [sys.executable, "-m", "planner.cli", "ui", "--no-browser", "--port", str(port)]
    with subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
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


def plan_demo(page: Any, say: Words = ENGLISH) -> None:
    """Press Plan and wait for the verified plan."""
    page.get_by_role("button", name=say("Plan"), exact=True).click()
    await_plan(page, say)


def await_plan(page: Any, say: Words = ENGLISH) -> None:
    """Wait for the verified plan.

    Raises
    ------
    RuntimeError
        Planning gave none; the message is what the page says.
    """
    verified = say("verified, {proof}", proof="")
    ended = re.compile(f"{re.escape(verified.strip())}|{re.escape(say('no plan'))}$")
    page.get_by_text(ended).first.wait_for(timeout=120_000)
    settled(page)
    if verified not in page.locator("[data-testid=stSidebarUserContent]").inner_text():
        raise RuntimeError(page.locator("[data-testid=stMain]").inner_text())


def open_page(page: Any, name: str) -> None:
    """Go to a page by its link, and wait for its title; the first one has the address of the server."""
    links = page.locator("[data-testid=stSidebarNav] a")
    link = links.first if name == "overview" else links.and_(page.locator(f"[href$='/{name}']"))
    title = link.inner_text().splitlines()[-1].strip()
    link.click()
    page.locator("h1").filter(has_text=title).first.wait_for(timeout=LOADED_MS)
    settled(page)


def schedule_evening(page: Any, address: str, say: Words = ENGLISH) -> None:
    """Open the page Night on the evening sample and schedule it."""
    page.goto(f"{address}/night?sample=evening&lang={say.language}")
    settled(page)
    page.get_by_role("button", name=say("Schedule"), exact=True).click()
    page.locator("[data-testid=stMetric]").first.wait_for(timeout=120_000)
    settled(page)


def drill_night(page: Any, address: str, say: Words = ENGLISH) -> None:
    """Open the page Drill on the night sample and call 24 GPUs back for its online services."""
    page.goto(f"{address}/drill?sample=night&need=online=24&lang={say.language}")
    settled(page)
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name=say("Drill"), exact=True).click()
    page.locator("[data-testid=stMetric]").first.wait_for(timeout=120_000)
    settled(page)


def compare(page: Any, say: Words = ENGLISH) -> None:
    """On the page What-if: press Compare and wait until base and scenarios stand side by side."""
    page.get_by_role("button", name=say("Compare"), exact=True).click()
    page.get_by_text(say("Side by side"), exact=True).wait_for(timeout=120_000)
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
