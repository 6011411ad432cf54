from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ui
from ui.parts.text import moment, plain

ADDRESS = re.compile(
    r"(https?://|www(?=\.))[-.\w]+|[-.\w+]+@[-\w]+(\.[-\w]+)+|:[a-z]\S*[:\[]", re.IGNORECASE
)
"""What the browser makes links, icons and colours of, after it has taken backslashes away."""


@pytest.mark.parametrize(
    "name",
    [
        "see https://evil.example/x",
        "HTTP://evil.example",
        "WWW.evil.example",
        "me@evil.example",
        ":material/bolt:",
        ":red[a]",
        ":smile:",
    ],
)
def test_no_address_or_icon_comes_out_of_a_name(name):
    assert ADDRESS.search(name)
    shown = plain(name).replace("\\", "")
    assert not ADDRESS.search(shown)
    assert shown.replace("\u2060", "") == name


@pytest.mark.parametrize(
    "name",
    ["<img src=x onerror=go()>", "[a](b)", "![a](b)", "**a**", "`a`", "$a$", ":material/bolt:"],
)
def test_no_markup_in_a_name_is_read(name):
    shown = plain(name)
    for letter in set(name) & set("<>[]()!*`$:_"):
        assert shown.count("\\" + letter) == name.count(letter)


def test_names_of_kubernetes_stay_as_they_are():
    assert plain("pretrain/moe-1t.dry-run") == "pretrain/moe-1t.dry-run"


def test_a_moment_names_the_zone_in_which_it_is_told() -> None:
    assert moment("2026-09-15T19:00:00Z") == "2026-09-15 19:00:00 UTC"
    assert moment("2026-09-15T19:00:00Z", "Europe/Berlin") == "2026-09-15 21:00:00 Europe/Berlin"
    assert moment("2026-01-15T19:00:00Z", "Europe/Berlin") == "2026-01-15 20:00:00 Europe/Berlin"
    assert moment("some day", "Europe/Berlin") == "some day"


@pytest.mark.parametrize(
    "view", sorted(Path(ui.__file__).with_name("views").glob("*.py")), ids=lambda one: one.stem
)
def test_a_page_holds_no_text_that_streamlit_would_show(view):
    """A bare string below a constant appeared above the title: Streamlit draws it as a paragraph."""
    _, *others = ast.parse(view.read_text(encoding="utf-8")).body
    bare = [one for one in others if isinstance(one, ast.Expr)]
    assert not [one.lineno for one in bare if not isinstance(one.value, ast.Call)]
