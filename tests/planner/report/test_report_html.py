from __future__ import annotations

import io
import re
import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from models.plan import PlanResult
from planner.report.formats import render

VOID = {"meta", "link", "br", "hr", "img", "input"}


def page_of(result, **options) -> str:
    stream = io.StringIO()
    render(result, "html", stream=stream, **options)
    return stream.getvalue()


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(demo):
    return page_of(demo)


def test_page_is_well_formed_and_its_contents_lead_somewhere(page):
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert len(balance.ids) == len(set(balance.ids))
    assert {link.removeprefix("#") for link in balance.links} <= set(balance.ids)
    assert len(balance.links) == 10


def test_page_needs_nothing_from_elsewhere(page):
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#)""", page)
    assert "@import" not in page
    assert set(re.findall(r"url\(([^)]*)\)", page)) <= {"#hatch", "#dots", "#cross"}
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_charts_are_described(page):
    drawings = re.findall(r"<svg viewBox.*?</svg>", page, flags=re.DOTALL)
    assert len(drawings) == 6
    for drawing in drawings:
        root = ElementTree.fromstring(drawing)
        names = [child.tag.split("}")[1] for child in root]
        assert names[:2] == ["title", "desc"]
        assert root[0].text
        assert root[1].text


def test_sections_stand_in_reading_order(page):
    heads = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert heads == [
        "Decisions", "Queues", "Shares and loans", "Starts", "Waiting and why", "Topology", "GPU map",
        "Method and proof", "Findings", "Appendix",
    ]  # fmt: skip


def test_key_figures_carry_units(page):
    values = re.findall(r'<dd class="value">([^<]*)</dd>', page)
    assert values == [
        "31 GPUs", "45 GPUs", "53 GPUs", "72 GPUs", "3 gangs", "2 gangs", "proved optimal", "0 violations",
    ]  # fmt: skip


def test_numeric_headings_carry_units_or_name_what_they_count(page):
    heads = re.findall(
        r'<th scope="col" class="n">([^<]*)(?:<span class="unit">([^<]*)</span>)?', page
    )
    without = {name for name, unit in heads if not unit}
    assert without <= {"WEIGHT", "PRIORITY", "VALUE", "BOUND", "GAP", "TIME"}


def test_tiers_show_value_bound_and_gap_with_units(page):
    assert "20 GPUs</td>" in page
    assert "12.50 %" in page


def test_a_tier_without_bound_says_so(medium):
    page = page_of(medium)
    assert ">not proved<" in page
    assert '<dd class="value">within 0.40 %</dd>' in page


def test_empty_states_are_worded():
    page = page_of(PlanResult())
    for words in (
        "No gang waits.",
        "No gang starts.",
        "The snapshot has no queue.",
        "No node of the snapshot has GPUs.",
        "Nothing was found wrong.",
        "Nothing to decide",
        "No tier is reported.",
    ):
        assert words in page


def test_the_command_to_repeat_it_is_in_the_appendix(demo, page):
    assert (
        "gangplan plan nodes.json pods.json podgroups.json queues.json --policy POLICY.yaml" in page
    )
    assert "gangplan demo &amp;&amp; x" in page_of(demo, command="gangplan demo && x")


def test_up_to_two_thousand_gangs_are_listed_one_by_one(medium):
    page = page_of(medium)
    waiting = [gang.full_name for gang in medium.gangs if gang.decision == "wait"]
    assert all(f">{name}</td>" in page for name in waiting)
    assert len(page.encode()) < 2_000_000


def test_the_largest_cluster_fits_into_a_mail_quickly(samples):
    plan = samples.large_plan(nodes=12_500, gangs=10_000, queues=40)
    started = time.process_time()
    page = page_of(plan)
    assert time.process_time() - started < 5
    assert len(page.encode()) < 2_000_000
    waiting = sum(gang.decision == "wait" for gang in plan.gangs)
    assert f"Grouped: {waiting:,} gangs in" in page
    assert "gangs.csv" in page


def test_long_reasons_make_the_tables_group_earlier_and_say_so(samples):
    from models.plan import Reason

    text = "needs more than there is, in every dimension that it asks for; " * 20
    gangs = tuple(
        samples.gang(
            f"ns/gang-{index}", f"q-{index % 7}", "wait", minimum=1, gpus=index % 97,
            reasons=(Reason(code="quota", message=f"{text}{index}"),),
        )
        for index in range(1_990)
    )  # fmt: skip
    page = page_of(PlanResult(gangs=gangs))
    assert len(page.encode()) < 2_000_000
    assert "Tables of more than 500 rows" in page or "Tables of more than 1,000 rows" in page
    assert "Grouped: 1,990 gangs" in page
    assert "more classes" in page or "For the example:" in page
