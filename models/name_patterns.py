"""Regular expressions that users write for names, read as Volcano reads them: RE2, the syntax of Go's ``regexp``.

Matching takes time linear in the name, whatever the pattern: ``(a+)+$`` cannot hold up a plan. Look-around and
back-references are not part of the language; Go refuses them as well.
Source: https://github.com/google/re2/wiki/Syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import re2

_MEMORY: Final = 256 << 20
"""Bytes that one pattern may need: lists of all names of a large cluster are long patterns."""
_ATOM: Final = r"(?:[A-Za-z0-9_.-]|\\[.d-]|\[[A-Za-z0-9-]+\])"
_REPEAT: Final = r"(?:[?*+]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})"
_PLAIN: Final = re.compile(rf"\^?(?:{_ATOM}{_REPEAT}?|[(|]|\)(?!{_REPEAT}))*\$?")
"""Patterns without repeats of groups, whose words mean the same to Python."""
_MOST_REPEATS, _MOST_GROUPS, _LONGEST = 2, 2, 500
_BEGINNING: Final = re.compile(r"(\^?)([A-Za-z0-9_/-]*)([?*+{]?)")


def name_matcher(pattern: str) -> Callable[[str], bool] | None:
    """
    Whether a name holds a match, as ``regexp.MatchString`` (not anchored).

    Parameters
    ----------
    pattern
        The expression; the empty one matches every name.

    Returns
    -------
    Callable or None
        None where the pattern cannot be read, see `unreadable_pattern`.
    """
    compiled = _compiled(pattern)
    if isinstance(compiled, str):
        return None
    plain = _plain(pattern)
    if plain is not None:
        return lambda name: plain.search(name) is not None
    anchored, literal = _beginning(pattern)

    def matches(name: str) -> bool:
        # Most names are told apart by what the pattern begins with; the engine is asked about the others.
        begins = name.startswith(literal) if anchored else literal in name
        return begins and _holds(compiled, name)

    return matches


def unreadable_pattern(pattern: str) -> str | None:
    """Why the pattern cannot be read, in the words of RE2; None where it can."""
    compiled = _compiled(pattern)
    return compiled if isinstance(compiled, str) else None


@cache
def _compiled(pattern: str) -> re2._Regexp[str] | str:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(pattern, options)
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    except re2.error as error:
        told = error.args[0] if error.args else b""
        return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)


@cache
def _plain(pattern: str) -> re.Pattern[str] | None:
    """The same pattern for Python's engine, several times as fast, where it cannot take long: few repeats and groups.

    With ``r`` repeats and ``g`` groups it takes at most about ``length ** (r + 1) * alternatives ** g`` steps.
    """
    repeats = len(re.findall(r"[?*+{]", pattern)) + (not pattern.startswith("^"))
    if (
        len(pattern) > _LONGEST
        or repeats > _MOST_REPEATS
        or pattern.count("(") > _MOST_GROUPS
        or not _PLAIN.fullmatch(pattern)
    ):
        return None
    return re.compile(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern, re.ASCII)


def _beginning(pattern: str) -> tuple[bool, str]:
    """Whether every match is at the beginning of the name, and the letters that every match begins with."""
    found = _BEGINNING.match(pattern)
    if found is None or "|" in pattern:
        return False, ""
    literal = found[2][:-1] if found[3] else found[2]  # the last letter may be missing
    return found[1] == "^" and not (found[3] and not found[2]), literal


def _holds(compiled: re2._Regexp[str], name: str) -> bool:
    try:
        return compiled.search(name) is not None
    except UnicodeEncodeError:  # no name that Kubernetes accepts
        return False
