"""Foreign names made safe for shells, comments, Markdown and file names."""

from __future__ import annotations

import hashlib
import re
import shlex

_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_FILE_NAME = 80


def words(*parts: str) -> str:
    """A command line in which every part is one word for a POSIX shell, whatever it holds."""
    return " ".join(shlex.quote(part) for part in parts)


def one_line(text: str) -> str:
    """Text for a comment or a sentence: everything that could end the line or drive a terminal is made visible."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in text.encode("utf-8", "backslashreplace").decode("utf-8")
    )


def code(text: str) -> str:
    """A Markdown code span, also inside a table; backticks become apostrophes."""
    return f"`{one_line(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def file_part(text: str) -> str:
    """Part of a file name: other characters become dashes, and a digest then keeps different texts apart."""
    plain = _FILE_NAME.sub("-", text).lstrip(".")[:_LONGEST_FILE_NAME]
    if plain == text:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}"
