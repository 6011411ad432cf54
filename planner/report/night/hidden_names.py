"""Names that a tenant may not read, taken out of texts that others wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable

from models.plan import Fix, Reason

_LONGEST_ALTERNATION = 5_000


class HiddenNames:
    """Foreign names by kind; a name that is also one of the tenant's own stays readable."""

    def __init__(
        self,
        *,
        gangs: Iterable[str],
        namespaces: Iterable[str],
        queues: Iterable[str],
        own: set[str],
        own_spaces: Iterable[str] = (),
    ) -> None:
        told = dict.fromkeys(namespaces, "another tenant's namespace")
        told |= dict.fromkeys(queues, "another tenant's queue")
        for full in gangs:
            told[full] = "another tenant's gang"
            told.setdefault(full.partition("/")[2], "another tenant's gang")
        self._own = frozenset(own)
        self._told = {name: words for name, words in told.items() if name and name not in own}
        self._patterns = tuple(self._compiled())
        spaces = "|".join(map(re.escape, sorted(own_spaces)))
        self._own_space = re.compile(rf"(?<![\w./-])(?:{spaces})/[\w./-]*\w") if spaces else None

    @property
    def names(self) -> frozenset[str]:
        """Every hidden name."""
        return frozenset(self._told)

    def _compiled(self) -> Iterable[re.Pattern[str]]:
        # Long names first: a full name goes before the namespace that it begins with.
        ordered = sorted(self._told, key=lambda name: (-len(name), name))
        for start in range(0, len(ordered), _LONGEST_ALTERNATION):
            names = "|".join(map(re.escape, ordered[start : start + _LONGEST_ALTERNATION]))
            # A pod's name begins with its gang's: what follows belongs to the name.
            yield re.compile(rf"(?<![\w./-])({names})(?!\w)(?:[./-]\w+)*")

    def out_of(self, text: str) -> str:
        """The text with words in place of hidden names, and of longer names that begin with one."""
        for pattern in self._patterns:
            text = pattern.sub(self._words, text)
        return text if self._own_space is None else self._own_space.sub(self._stranger, text)

    def _words(self, match: re.Match[str]) -> str:
        return match[0] if match[0] in self._own else self._told[match[1]]

    def _stranger(self, match: re.Match[str]) -> str:
        """A pod or gang beside own ones in a shared namespace; own pods are named for their gangs."""
        mine = any(match[0] == name or match[0].startswith(f"{name}-") for name in self._own)
        return match[0] if mine else "another tenant's pod"

    def touches(self, text: str) -> bool:
        """Whether the text holds a hidden name."""
        return self.out_of(text) != text

    def reasons(self, given: Iterable[Reason]) -> tuple[Reason, ...]:
        """Reasons whose sentences name nobody else; numbers stay, other data goes."""
        return tuple(
            Reason(
                code=one.code,
                message=self.out_of(one.message),
                data={key: value for key, value in one.data.items() if isinstance(value, int)},
            )
            for one in given
        )

    def fixes(self, given: Iterable[Fix]) -> tuple[Fix, ...]:
        """Changes that concern nobody else."""
        return tuple(
            one
            for one in given
            if not self.touches(" ".join((one.text, *one.objects, str(list(one.edits)))))
        )
