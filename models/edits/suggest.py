"""The nearest known names for one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from models.checks.wording import names_text
from models.edits.edit import EditError


def unknown(what: str, name: str, known: Iterable[str]) -> EditError:
    """The error for a name that does not exist, with the nearest one that does."""
    names = sorted(set(known))
    folded = {one.casefold(): one for one in names}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    if near:
        remedy = f"did you mean {folded[near[0]]!r}?"
    elif names:
        remedy = f"known: {names_text(names)}"
    else:
        remedy = f"the snapshot holds no {what}"
    return EditError(f"there is no {what} {name!r}", remedy)
