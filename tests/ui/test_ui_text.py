from __future__ import annotations

import re

import pytest

from ui.parts.text import plain

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
