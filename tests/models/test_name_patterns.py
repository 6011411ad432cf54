import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.name_patterns import name_matcher, unreadable_pattern


def _matches(pattern, name):
    matcher = name_matcher(pattern)
    assert matcher is not None
    return matcher(name)


def test_a_match_may_be_anywhere_in_the_name():
    assert _matches("rack-[0-9]+", "node-rack-12-a")
    assert _matches("", "n1")
    assert not _matches("^rack", "a-rack")


def test_nested_repeats_take_linear_time():
    name = "a" * 5000 + "b"
    assert not _matches("^(a+)+$", name)
    assert not _matches("^(a|a)*$", name)
    assert not _matches("(a*)*c", name)


@pytest.mark.parametrize("pattern", ["(?<=a)b", r"(a)\1", "a++", "rack-[", "(", r"\Z", "a{1001}"])
def test_what_go_does_not_read_is_unreadable(pattern):
    assert name_matcher(pattern) is None
    assert unreadable_pattern(pattern)


@pytest.mark.parametrize("pattern", [r"\pL", "[[:alpha:]]", r"n1\z", r"\Qn1\E", "(?i)N1"])
def test_what_go_reads_and_python_does_not_is_read(pattern):
    assert unreadable_pattern(pattern) is None
    assert _matches(pattern, "n1")


def test_the_end_is_the_end_of_the_name():
    assert not _matches("n1$", "n1\n")


def test_what_is_not_unicode_matches_nothing():
    assert unreadable_pattern("\ud800")
    assert not _matches("a", "a\ud800")


def test_a_pattern_with_all_names_of_a_large_cluster():
    names = [f"node-{number:05}.pool.example.com" for number in range(10_000)]
    matcher = name_matcher(f"^(?:{'|'.join(map(re.escape, names))})$")
    assert matcher is not None
    assert matcher(names[-1])
    assert not matcher("node-10000.pool.example.com")


_PARTS = ["^", "$", "ab", "a", "b-", "[ab]", ".", "a?", "b*", "a+", "|", "(ab)?", "c{0,1}"]


@given(st.lists(st.sampled_from(_PARTS), max_size=6).map("".join), st.text("abc-", max_size=6))
def test_the_letters_a_pattern_begins_with_change_nothing(pattern, name):
    try:
        wanted = re.search(pattern, name) is not None
    except re.error:
        return
    matcher = name_matcher(pattern)
    assert matcher is None or matcher(name) is wanted
