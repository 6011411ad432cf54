from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest

from models.plan import FindingEntry, PlanResult, QueueEntry, Reason
from planner.report.formats import render
from planner.report.markdown import escaped

HOSTILE = (
    "<script>alert(1)</script>",
    "\x1b[2J\x1b]0;owned\x07",
    "a|b\nc",
    "=HYPERLINK(1)",
    "\u202egnp.exe",
    '"><img src=x onerror=alert(1)>',
    "[bold red]x[/]",
    "]]></style><b>",
    "{{ 7*7 }}",
    "[x](javascript:alert(1))",
)


@pytest.fixture(scope="module")
def hostile(samples):
    base = samples.demo_plan()
    gangs = [
        samples.gang(
            f"ns/{name}",
            name,
            "wait",
            minimum=1,
            gpus=1,
            reasons=(Reason(code=name, message=f"{name}: needs 1 GPU", data={name: name}),),
        )
        for name in HOSTILE
    ]
    gangs.append(
        samples.gang("ns/start", HOSTILE[0], "start", minimum=1, gpus=1, where={HOSTILE[5]: 1})
    )
    nodes = tuple(
        samples.node(name, name, 0, 0, conditions=("NotReady",)).model_copy(update={"pool": name})
        for name in HOSTILE
    )
    finding = FindingEntry(
        code=HOSTILE[0], severity="error", object=HOSTILE[1], message=HOSTILE[2], remedy=HOSTILE[4]
    )
    return base.model_copy(
        update={
            "gangs": tuple(gangs),
            "nodes": nodes,
            "queues": tuple(QueueEntry(name=name, parent=name) for name in HOSTILE),
            "policy": {name: {"value": name, "origin": "file"} for name in HOSTILE},
            "summary": base.summary.model_copy(update={"sentence": HOSTILE[0]}),
            "snapshot": base.snapshot.model_copy(
                update={
                    "findings": (finding,),
                    "missing_kinds": {HOSTILE[0]: HOSTILE[5]},
                    "ignored": {HOSTILE[0]: 1},
                    "sources": HOSTILE,
                }
            ),
        }
    )


def text_of(result, fmt, **options):
    stream = io.StringIO()
    render(result, fmt, stream=stream, width=140, **options)
    return stream.getvalue()


class Elements(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.words.append(data)


def test_html_shows_hostile_names_as_text_only(hostile, samples):
    page, plain = Elements(), Elements()
    page.feed(text_of(hostile, "html"))
    plain.feed(text_of(samples.demo_plan(), "html"))
    assert page.tags <= plain.tags
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not any(name.startswith("on") for name in page.attributes)
    shown = " ".join(page.words)
    assert "<script>alert(1)</script>" in shown
    assert "{{ 7*7 }}" in shown
    assert "\\x1b[2J" in shown


@pytest.mark.parametrize("fmt", ["table", "wide", "md", "html"])
def test_no_control_or_bidirectional_character_reaches_a_reader(hostile, fmt):
    text = text_of(hostile, fmt)
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert "\u202e" not in text


def test_colour_is_ours_alone(hostile):
    text = text_of(hostile, "table", color=True)
    assert "\x1b[" in text
    assert "\x1b[2J" not in text
    assert "\x1b]0;" not in text
    assert "[bold red]x[/]" in text


def test_markdown_tables_keep_their_shape(hostile):
    lines = text_of(hostile, "md").splitlines()
    widths = []
    for line in lines:
        if line.startswith("| "):
            widths.append(line.replace("\\|", "").count("|"))
            continue
        assert len(set(widths)) <= 1
        widths = []
    assert "<script>" not in "\n".join(lines).replace("\\<", "")


def test_markdown_escapes_what_would_be_markup():
    assert escaped("a|b") == "a\\|b"
    assert escaped("[x](y)") == "\\[x\\](y)"
    assert escaped("- item") == "\\- item"
    assert escaped("1. item") == "1\\. item" or escaped("1. item") == "\\1. item"
    assert escaped("a_b*c`d") == "a\\_b\\*c\\`d"


def test_csv_cells_are_no_formulas_and_rows_keep_their_shape(hostile, tmp_path):
    for path in render(hostile, "csv", out=tmp_path):
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))
        assert len({len(row) for row in rows}) == 1
        cells = [cell for row in rows[1:] for cell in row]
        assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
        assert not any(ord(character) < 32 for cell in cells for character in cell)


def test_json_and_yaml_keep_names_exactly(hostile):
    import yaml

    assert PlanResult.model_validate_json(text_of(hostile, "json")) == hostile
    assert PlanResult.model_validate(yaml.safe_load(text_of(hostile, "yaml"))) == hostile
