import re
import time

import pytest
import re2
from hypothesis import example, given, settings
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
    assert not _matches(r"\pL", "a\ud800")


def test_a_pattern_with_all_names_of_a_large_cluster():
    names = [f"node-{number:05}.pool.example.com" for number in range(10_000)]
    matcher = name_matcher(f"^(?:{'|'.join(map(re.escape, names))})$")
    assert matcher is not None
    assert matcher(names[-1])
    assert not matcher("node-10000.pool.example.com")


_PARTS = ["^", "$", "ab", "a", "b-", "[ab]", ".", "a?", "b*", "a+", "|", "(ab)?", "c{0,1}", "(a|b)"]
_PARTS += ["a{2}", "[a-c]{1,2}", r"\.", r"\d", "(", ")"]


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=6).map("".join), st.text("abc-.1", max_size=6))
@example("^(a|b)c$", "ac")
@example("a$", "a")
def test_short_cuts_change_nothing(pattern, name):
    options = re2.Options()
    options.log_errors = False
    try:
        wanted = re2.compile(pattern, options).search(name) is not None
    except re2.error:
        assert name_matcher(pattern) is None
    else:
        assert _matches(pattern, name) is wanted


def test_many_plain_patterns_on_many_names_take_little_time():
    names = [f"node-{number:05}" for number in range(2000)]
    began = time.process_time()
    found = sum(
        _matches(f"^node-0*{leaf:03}[0-9]{{2}}$", name) for leaf in range(20) for name in names
    )
    assert found == 20 * 100
    assert time.process_time() - began < 2.0
