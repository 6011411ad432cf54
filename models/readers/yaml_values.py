"""YAML from parser events: fast, bounded in depth and expansion, dropping bulky fields unread.

PyYAML's C parser is quick while its construction of values is not, and its recursion is unbounded in C. Here plain
Python values are built from events. Unquoted text is read as kubectl reads it; fractions and times stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, Protocol

import yaml

from models.readers.json_stream import Element
from models.readers.problems import BadFile, damaged, hostile

try:
    from yaml import CSafeLoader as EventLoader
except ImportError:  # PyYAML built without libyaml: slower, same events
    from yaml import SafeLoader as EventLoader  # type: ignore[assignment]

_DEEPEST: Final = 100
_FREE_NODES: Final = 1_000_000
_MOST_IN_OBJECT: Final = 1_000_000  # keys and values of one element of a list
_MOST_IN_DOCUMENT: Final = 10_000_000  # of a document that is no list
_LARGEST_EXPANSION: Final = 10
_RESOLVED_STARTS: Final = frozenset("0123456789+-~nNtTfFyYoO")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_INTEGER: Final = re.compile(r"[+-]?(?:0x[0-9a-fA-F_]+|0b[01_]+|0o?[0-7_]+|[1-9][0-9_]*|0)")
_PLAIN_TAGS: Final = {
    "tag:yaml.org,2002:str": "text",
    "tag:yaml.org,2002:int": "plain",
    "tag:yaml.org,2002:float": "plain",
    "tag:yaml.org,2002:bool": "plain",
    "tag:yaml.org,2002:null": "plain",
    "!": "text",
}
_COLLECTION_TAGS: Final = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
# Lists and maps under these keys say nothing about scheduling. Single values are kept: a label may be called "env".
_DROPPED: Final = frozenset(
    {
        "addresses",
        "args",
        "binaryData",
        "command",
        "controlledValues",
        "daemonEndpoints",
        "dnsConfig",
        "env",
        "envFrom",
        "fieldsV1",
        "hostAliases",
        "hostIPs",
        "image",
        "imagePullSecrets",
        "images",
        "lastState",
        "lifecycle",
        "livenessProbe",
        "managedFields",
        "nodeInfo",
        "podIPs",
        "readinessProbe",
        "securityContext",
        "startupProbe",
        "volumeDevices",
        "volumeMounts",
        "volumes",
        "volumesAttached",
        "volumesInUse",
    }
)


class Readable(Protocol):
    """Something that hands out text in pieces."""

    def read(self, size: int = ...) -> str:
        """The next piece, "" at the end."""
        ...


def yaml_elements(source: Readable) -> Iterator[Element]:
    """Each element of a top-level list or of ``items``, with the fields before it; other documents as a whole."""
    return _Builder(source, dropped=_DROPPED).elements()


def read_yaml_text(text: str, *, where: str) -> Any:
    """The first document of a text inside an object.

    Raises
    ------
    BadFile
        It is no YAML, or too deep or too expanding.
    """
    try:
        values = [value for value, _ in _Builder(text, dropped=frozenset()).elements()]
    except BadFile as error:
        raise BadFile(error.code, f"{where}: {error}", error.remedy) from None
    return values[0] if values else None


def refuse_alias_bomb(text: str) -> None:
    """For text that another loader will build: stop before its aliases stand for a huge value.

    Raises
    ------
    BadFile
        Aliases expand it out of all proportion, or it is too deep or no YAML.
    """
    if "&" in text and "*" in text:
        for _ in _Builder(text, dropped=frozenset()).elements():
            pass


class _Builder:
    def __init__(self, source: Readable | str, *, dropped: frozenset[str]) -> None:
        self._loader = EventLoader(source)
        self._dropped = dropped
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._hidden: set[str] = set()
        self._events, self._nodes, self._last = 0, 0, _MOST_IN_DOCUMENT

    def elements(self) -> Iterator[Element]:
        event = self._next()
        while event.__class__ is not yaml.StreamEndEvent:
            if event.__class__ is yaml.DocumentStartEvent:
                self._anchors, self._hidden = {}, set()
                self._last = self._events + _MOST_IN_DOCUMENT
                yield from self._document(self._next())
            event = self._next()

    def _next(self) -> Any:
        try:
            event = self._loader.get_event()
        except yaml.YAMLError as error:
            raise damaged(_explain(error)) from None
        except (UnicodeError, ValueError) as error:
            raise damaged(f"the text is not YAML: {error}") from None
        self._events += 1
        return event

    def _document(self, event: Any) -> Iterator[Element]:
        if event.__class__ is yaml.SequenceStartEvent and not event.anchor:
            yield from self._sequence_elements(None)
        elif event.__class__ is yaml.MappingStartEvent and not event.anchor:
            yield from self._mapping_elements()
        else:
            value = self._value(event, 0)
            if value is not None:
                yield value, None

    def _mapping_elements(self) -> Iterator[Element]:
        head: dict[str, Any] = {}
        streamed = False
        while (event := self._next()).__class__ is not yaml.MappingEndEvent:
            key, event = self._key(event), self._next()
            if key == "items" and event.__class__ is yaml.SequenceStartEvent and not event.anchor:
                streamed = True
                yield from self._sequence_elements(head)
                self._last = self._events + _MOST_IN_DOCUMENT
            else:
                self._put(head, key, event, 1)
                self._check_size()
        if not streamed:
            yield head, None

    def _sequence_elements(self, head: dict[str, Any] | None) -> Iterator[Element]:
        while (event := self._next()).__class__ is not yaml.SequenceEndEvent:
            self._last = self._events + _MOST_IN_OBJECT
            yield self._value(event, 1), head

    def _key(self, event: Any) -> str:
        if event.__class__ is not yaml.ScalarEvent:
            raise damaged(f"line {event.start_mark.line + 1}: a key that is not plain text")
        return str(event.value)

    def _value(self, event: Any, depth: int) -> Any:
        kind = event.__class__
        if kind is yaml.ScalarEvent:
            value = _scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, 1)
            return value
        if kind is yaml.AliasEvent:
            return self._alias(event)
        if event.tag not in _COLLECTION_TAGS:
            raise _unknown_tag(event)
        if depth > _DEEPEST:
            raise hostile(
                f"line {event.start_mark.line + 1}: nested more than {_DEEPEST} levels deep"
            )
        before = self._nodes
        value = self._sequence(depth) if kind is yaml.SequenceStartEvent else self._mapping(depth)
        if event.anchor:
            self._anchors[event.anchor] = (value, self._nodes - before)
        return value

    def _sequence(self, depth: int) -> list[Any]:
        values = []
        while (event := self._next()).__class__ is not yaml.SequenceEndEvent:
            values.append(self._value(event, depth + 1))
            if self._events > self._last:
                self._check_size()
        self._grow(len(values) + 1)
        return values

    def _mapping(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        follow, scalar = self._next, yaml.ScalarEvent
        while (event := follow()).__class__ is not yaml.MappingEndEvent:
            key = event.value if event.__class__ is scalar else self._key(event)
            event = follow()
            if event.__class__ is scalar and not event.anchor and event.tag is None:
                values[key] = _plain(event.value) if event.implicit[0] else event.value
            else:
                self._put(values, key, event, depth + 1)
            if self._events > self._last:
                self._check_size()
        self._grow(len(values) + 1)
        return values

    def _put(self, values: dict[str, Any], key: str, event: Any, depth: int) -> None:
        if key in self._dropped and event.__class__ is not yaml.ScalarEvent:
            self._skip(event)
        elif key == "<<" and event.__class__ is not yaml.ScalarEvent:
            merged = self._value(event, depth)
            for source in merged if isinstance(merged, list) else [merged]:
                if not isinstance(source, dict):
                    raise damaged(
                        f"line {event.start_mark.line + 1}: '<<' merges something that is no mapping"
                    )
                for name, value in source.items():
                    values.setdefault(name, value)
                self._grow(len(source))
        else:
            values[key] = self._value(event, depth)

    def _alias(self, event: Any) -> Any:
        found = self._anchors.get(event.anchor)
        if found is None:
            why = (
                "is inside a field that is dropped"
                if event.anchor in self._hidden
                else "is not defined before it"
            )
            raise damaged(
                f"line {event.start_mark.line + 1}: the anchor of alias *{event.anchor} {why}"
            )
        self._grow(found[1])
        return found[0]

    def _skip(self, event: Any) -> None:
        """Drop a list or mapping unread; an alias is dropped without looking at its anchor."""
        level = 0
        starts, ends = (
            (yaml.MappingStartEvent, yaml.SequenceStartEvent),
            (yaml.MappingEndEvent, yaml.SequenceEndEvent),
        )
        while True:
            kind = event.__class__
            if kind in ends:
                level -= 1
            elif kind is not yaml.AliasEvent:
                if event.anchor:
                    self._hidden.add(event.anchor)
                level += kind in starts
            if level <= 0:
                return
            if level > _DEEPEST:
                raise hostile(
                    f"line {event.start_mark.line + 1}: nested more than {_DEEPEST} levels deep"
                )
            event = self._next()

    def _check_size(self) -> None:
        if self._events > self._last:
            raise hostile("one object has more keys and values than any cluster stores")

    def _grow(self, nodes: int) -> None:
        """Count values with aliases expanded, so that a small text cannot stand for a huge one."""
        self._nodes += nodes
        if self._nodes > _FREE_NODES + _LARGEST_EXPANSION * self._events:
            raise hostile("aliases expand the text out of all proportion")


def _scalar(event: Any) -> Any:
    if event.tag is None:
        return _plain(event.value) if event.implicit[0] else event.value
    kind = _PLAIN_TAGS.get(event.tag)
    if kind is None:
        raise _unknown_tag(event)
    return event.value if kind == "text" else _plain(event.value)


def _unknown_tag(event: Any) -> BadFile:
    tag = str(event.tag)[:60]
    return damaged(f"line {event.start_mark.line + 1}: the tag {tag} is not supported")


def _plain(text: str) -> Any:
    """Value of unquoted text; most is text, which its first character tells."""
    return _resolve(text) if not text or text[0] in _RESOLVED_STARTS else text


@lru_cache(maxsize=65_536)
def _resolve(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 40 or not _INTEGER.fullmatch(text):
        return text
    digits = text.replace("_", "").lstrip("+")
    octal = digits.lstrip("-").startswith("0") and digits.lstrip("-")[1:].isdigit()
    try:
        return int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        return text


def _explain(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"the text is not YAML: {error.problem} (line {error.problem_mark.line + 1})"
    return f"the text is not YAML: {str(error).splitlines()[0][:120]}"
