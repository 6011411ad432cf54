"""The dashboard in a real browser: one server for all tests of a worker, a new session for each."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (extra dev)"
)
axe_core = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed (extra dev)"
)

from ui.browsing import (  # noqa: E402
    ARGUMENTS,
    CHROMIUM,
    await_plan,
    drill_night,
    make_history,
    open_page,
    plan_demo,
    schedule_evening,
    select_row,
    serving,
    settled,
)
from ui.screenshots import PAGES  # noqa: E402

FOUND = CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium") or ""
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not FOUND, reason="no Chromium is installed (apt-get install chromium)"),
]
LOCAL = ("http://localhost:", "ws://localhost:", "data:", "blob:")
OWN_QUESTION = ("night", "drill", "whatif", "history")
"""Pages that show figures once they were asked themselves."""
ABSENT_AFTER_S = 8
FOCUSED = """() => {
  const one = document.activeElement, look = getComputedStyle(one), box = one.getBoundingClientRect();
  const around = one.closest('label, [data-baseweb]') || one;
  const words = (one.innerText || one.getAttribute('aria-label') || one.title || '').trim().split('\\n');
  const seen = box.width > 0 || around.getBoundingClientRect().width > 0;
  return {text: words[words.length - 1], tag: one.tagName, outlined: seen};
}"""
"""What has the focus: its last line of text, and whether it can be seen."""
FOREIGN = {"exclude": [["[data-testid=stSidebarNavItems]"]]}
"""Markup of Streamlit's own navigation, which no page can change."""
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "only-node"},
    "status": {
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "4"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def is_fault(message):
    """Errors on the console; Streamlit looks for its server below the page's path first, and finds it above."""
    return message.type == "error" and "/_stcore/" not in message.location.get("url", "")


def serious(axe, page, name):
    """What axe-core finds of impact serious or critical, after a switch to dark and back; the script does not run."""
    found = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme",
            arg=scheme,
        )
        page.wait_for_timeout(300)  # colours fade
        found += [
            f"{name}, {scheme}: {one['id']} ({one['impact']}): {one['nodes'][0]['html'][:150]}"
            for one in axe.run(page, context=FOREIGN).response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    return found


def upload(page, name, content):
    """Open the box, choose one file, and wait until its name is shown.

    The uploader measures its room for names when a file comes: it must be unfolded by then, as it is for
    anyone who presses its button.
    """
    page.get_by_text("Upload an export").click()
    page.get_by_role("button", name="Open the files").wait_for()
    settled(page)
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content}
    )
    page.get_by_text(name).first.wait_for()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    history = make_history(tmp_path_factory.mktemp("history"), nights=2)
    with serving("--history", history) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with playwright_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=FOUND, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture
def visit(browser, address):
    """Opens sessions; an error on the console of any of them fails the test."""
    faults: list[str] = []
    with contextlib.ExitStack() as stack:

        def begin(path=""):
            context = browser.new_context(
                viewport={"width": 1280, "height": 900},
                accept_downloads=True,
                color_scheme="light",
            )
            stack.callback(context.close)
            page = context.new_page()
            page.on(
                "console",
                lambda message: faults.append(message.text) if is_fault(message) else None,
            )
            page.on(
                "request",
                lambda one: None if one.url.startswith(LOCAL) else faults.append(one.url),
            )
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.goto(address + path)
            settled(page)
            return page

        yield begin
    assert not faults


def test_every_page_after_planning_the_demo(visit):
    """Nothing breaks, nothing is wider than 1280 pixels, and axe-core has no serious finding."""
    axe = axe_core.Axe()
    page = visit()
    plan_demo(page)
    found = []
    for name in PAGES:
        open_page(page, name)
        assert page.locator("[data-testid=stException]").count() == 0
        assert page.locator("[data-testid=stMetric]").count() >= 3 or name in OWN_QUESTION
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        found += serious(axe, page, name)
    assert not found, "\n".join(found)
    open_page(page, "waiting")
    select_row(page, 1)
    page.get_by_text("Text for a ticket").wait_for()


def test_a_night_a_drill_and_the_history(visit, address):
    """The evening is scheduled, GPUs are called back, a past plan is opened; axe-core has no serious finding."""
    axe = axe_core.Axe()
    page = visit()
    schedule_evening(page, address)
    page.get_by_text("11 of 11 waiting gangs start within 24 hours", exact=False).wait_for()
    found = serious(axe, page, "night")
    page.get_by_role("tab", name="Loans and their return").click()
    page.get_by_text("Return proof", exact=True).first.wait_for()
    found += serious(axe, page, "night, loans")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="Manifests").click()
    assert zipfile.is_zipfile(waiting.value.path())
    drill_night(page, address)
    page.get_by_text("of 24 GPUs can be back for online", exact=False).wait_for()
    found += serious(axe, page, "drill")
    open_page(page, "history")
    page.get_by_text("2 nights from", exact=False).wait_for()
    found += serious(axe, page, "history")
    page.get_by_role("tab", name="One night").click()
    page.get_by_role("button", name="Open this plan on the page Plan").click()
    settled(page)
    open_page(page, "plan")
    page.get_by_text("This is the plan of the night", exact=False).wait_for()
    assert not found, "\n".join(found)


def test_a_queue_is_edited_in_place_and_a_fix_is_confirmed_and_applied(visit):
    """From the table of queues to a comparison, and from a waiting gang to "starts after this change"."""
    page = visit()
    plan_demo(page)
    open_page(page, "queues")
    grid = page.locator("[data-testid=stDataFrame]").last
    grid.scroll_into_view_if_needed()
    page.wait_for_timeout(
        800
    )  # the table is drawn on a canvas, which takes keys a moment after a click
    grid.click(position={"x": 110, "y": 35 * 2 + 17})
    page.wait_for_timeout(500)
    page.keyboard.type("9")
    page.wait_for_timeout(300)
    page.keyboard.press("Enter")
    page.get_by_text("queue eval: weight 9").wait_for()
    page.get_by_role("button", name="Apply as scenario").click()
    page.get_by_text("Side by side", exact=True).wait_for(timeout=120_000)
    settled(page)
    assert "Queues changed" in page.locator("[data-testid=stMain]").inner_text()
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="HTML report").first.click()
    assert waiting.value.suggested_filename == "gangplan-whatif.html"
    open_page(page, "waiting")
    select_row(page, 2)
    page.get_by_role("button", name="Confirm by planning").click()
    page.get_by_text("Confirmed: the gang starts").first.wait_for(timeout=120_000)
    settled(page)
    page.get_by_role("button", name="Apply as scenario").first.click()
    page.get_by_text("pretrain/moe-1t-dry-run starts after this change").wait_for(timeout=120_000)
    page.get_by_role("button", name="Stop, keep the best").wait_for(state="detached")
    settled(page)
    found = serious(axe_core.Axe(), page, "whatif")
    assert not found, "\n".join(found)
    page.get_by_text("Sweep", exact=True).click()
    grid = page.get_by_role("combobox", name="Parameter 1")
    grid.fill("queue/eval.capability.gpu")
    page.wait_for_timeout(500)  # the list of names follows
    page.keyboard.press("Enter")
    values = page.get_by_role("textbox", name="Values").first
    values.fill("[24, 48]")
    values.press("Enter")
    page.get_by_text("Points to plan: 2").wait_for()
    page.get_by_role("button", name="Plan the grid").click()
    page.get_by_text("Most allocated at the 2 points planned", exact=False).wait_for(
        timeout=120_000
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_downloads_and_a_link_that_restores_the_view(visit):
    page = visit("/waiting?sample=demo&queue=eval&lang=zh")
    assert page.locator("h1").inner_text() == "等待"
    page.get_by_text("只显示 eval", exact=False).wait_for()
    page = visit()
    plan_demo(page)
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="JSON document").click()
    document = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert document["kind"] == "PlanResult"
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="HTML report").click()
    assert waiting.value.suggested_filename == "gangplan-plan.html"


def test_an_upload_replaces_the_cluster_and_keeps_the_plan_aside(visit, tmp_path):
    page = visit()
    plan_demo(page)
    upload(page, "nodes.json", json.dumps(NODE).encode())
    page.get_by_role("button", name="Open the files").click()
    page.get_by_text("0 of 4 GPUs allocated", exact=False).wait_for()
    page.get_by_text("the cluster chosen now has no plan yet", exact=False).wait_for()
    page.get_by_role("button", name="Show that plan").click()
    page.get_by_text("68 of 80 GPUs would be allocated", exact=False).wait_for()


def test_an_upload_that_cannot_be_read_is_explained(visit):
    page = visit()
    upload(page, "bad.json", b'{"kind": "List", "items": [')
    page.get_by_role("button", name="Open the files").click()
    page.get_by_text("what helps", exact=False).first.wait_for()
    assert "36 of 80 GPUs allocated" in page.locator("[data-testid=stMain]").inner_text()
    page.locator("summary").filter(has_text="Policy").click()
    page.get_by_role("button", name="Use this file").wait_for()
    settled(page)
    policy = page.locator("[data-testid=stSidebar] input[type=file]").last
    for text, told in (
        (b"#" * 1_200_000, "No file was taken: choose one of up to 1 MB."),
        (b"queue_modl: capacity", "queue_model"),
    ):
        policy.set_input_files({"name": "p.yaml", "mimeType": "text/yaml", "buffer": text})
        page.get_by_text("p.yaml").first.wait_for()
        settled(page)
        page.get_by_role("button", name="Use this file").click()
        page.get_by_test_id("stSidebar").get_by_text(told, exact=False).first.wait_for()


def test_two_sessions_do_not_disturb_each_other(visit):
    first, second = visit(), visit()
    plan_demo(first)
    second.get_by_text("not planned yet").wait_for()
    second.get_by_role("button", name="Plan", exact=True).click()
    open_page(first, "proof")
    await_plan(second)
    assert first.locator("h1").inner_text() == "Proof and data"


@pytest.fixture(scope="module")
def long_search(tmp_path_factory):
    """A server whose plan takes minutes, and which gives closed pages a few seconds."""
    path = tmp_path_factory.mktemp("large") / "large.json.gz"
    sizes = "--nodes 300 --gangs 600 --queues 12 --pods 1800 --seed 3"
    command = [sys.executable, str(ROOT / "benchmarks" / "generate.py"), *sizes.split()]
    subprocess.run([*command, "--out", str(path)], check=True, capture_output=True)
    with serving(str(path), GANGPLAN_ABSENT_AFTER_S=str(ABSENT_AFTER_S)) as found:
        yield found


def begin_long_search(page, address):
    """Plan with a limit of ten minutes, until the first bound is shown."""
    page.set_default_timeout(120_000)
    page.goto(address)
    settled(page)
    page.get_by_label("Time limit (s)").fill("600")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Plan", exact=True).click()
    page.get_by_text("bound", exact=False).first.wait_for(timeout=120_000)


def searches(address):
    """Processes that search for the server at this address: children of the process that it forks them from."""
    port = address.rpartition(":")[2]
    parents, servers = {}, set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):  # it may end meanwhile
            words = (entry / "cmdline").read_bytes().split(b"\0")
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
            if port.encode() in words and b"ui" in words:
                servers.add(int(entry.name))
    children = {pid for pid, parent in parents.items() if parent in servers}
    return {pid for pid, parent in parents.items() if parent in children}


def test_a_long_search_is_stopped_and_its_best_plan_kept(browser, long_search):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    begin_long_search(page, long_search)
    page.get_by_role("button", name="Stop, keep the best").click()
    page.get_by_text("this is the best plan found until then", exact=False).wait_for(
        timeout=120_000
    )
    page.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_closed_tab_leaves_no_search_running(browser, long_search):
    context = browser.new_context()
    begin_long_search(context.new_page(), long_search)
    assert len(searches(long_search)) == 1
    context.close()
    end = time.monotonic() + 10 * ABSENT_AFTER_S
    while searches(long_search) and time.monotonic() < end:
        time.sleep(0.5)
    assert not searches(long_search)


def test_the_keyboard_alone_plans_and_leads_to_another_page(visit):
    """Tab reaches every link and control in the order of the page, focus can be seen, Enter and Space work."""
    page = visit()
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        assert found["outlined"], found
        seen.append(found["text"])
        if (found["text"], found["tag"]) == ("Plan", "BUTTON"):
            break
    assert seen.index("Inventory") < seen.index("Waiting") < seen.index("Proof and data")
    page.keyboard.press("Enter")
    await_plan(page)
    assert page.locator("h1").inner_text() == "Overview"
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["text"]


def test_the_server_keeps_to_localhost_and_protects_forms(address):
    with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
        assert answer.status == 200
    config = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert "enableXsrfProtection = true" in config
    assert 'address = "localhost"' in config
    assert "postScriptGC = false" in config
