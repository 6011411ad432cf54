"""``metadata`` of an object: names, labels, kept annotations, owner; equal texts and maps are shared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from models.readers.annotations import is_kept
from models.readers.fields import BadObject, as_text, mapping, mappings, printable, shown, text
from models.readers.times import Clock, read_time

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?")
_NO_LABELS: Final[Mapping[str, str]] = {}


def valid_name(value: str, key: str) -> str:
    """A name as Kubernetes could have accepted it.

    Raises
    ------
    BadObject
        Empty, longer than 253 characters, or with characters that no name has (control characters, markup).
    """
    if not _NAME.fullmatch(value):
        raise BadObject(f"{key} {shown(value)} is not a name that Kubernetes accepts")
    return value


@dataclass(frozen=True, slots=True)
class Meta:
    """What is kept of ``metadata``; owner is the controlling one, else the first, with its API group."""

    namespace: str
    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    created: str
    owner_kind: str = ""
    owner_name: str = ""
    owner_group: str = ""
    terminating: bool = False
    ends: str = ""
    uid: str = ""

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class MetaReader:
    """Reads metadata; keeps one copy of every text and of every label map."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._texts: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._maps: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}

    def read(self, raw: Mapping[str, Any], *, namespaced: bool = True) -> Meta:
        """Metadata of one object; a missing namespace is ``default``."""
        meta = mapping(raw, "metadata")
        owner_kind, owner_name, owner_group = self._owner(meta)
        return Meta(
            namespace=self.name(text(meta, "namespace") or "default", "namespace")
            if namespaced
            else "",
            name=self.name(text(meta, "name"), "name"),
            labels=self.labels(meta, "labels"),
            annotations=self.annotations(meta),
            created=self.clock.read(meta.get("creationTimestamp")),
            owner_kind=owner_kind,
            owner_name=owner_name,
            owner_group=owner_group,
            terminating=bool(meta.get("deletionTimestamp")),
            ends=_end(meta.get("deletionTimestamp")),
            uid=_uid(meta.get("uid")),
        )

    def name(self, value: str, key: str) -> str:
        """A valid name, shared."""
        found = self._names.get(value)
        if found is None:
            found = self._names[value] = valid_name(value, key)
        return found

    def share(self, value: str, key: str) -> str:
        """A printable text, shared."""
        found = self._texts.get(value)
        if found is None:
            found = self._texts[value] = printable(value, key)
        return found

    def labels(self, raw: Mapping[str, Any], key: str) -> Mapping[str, str]:
        """A map of texts, sorted by key, shared."""
        listed = mapping(raw, key)
        return self._shared_map(listed, key) if listed else _NO_LABELS

    def annotations(self, meta: Mapping[str, Any]) -> Mapping[str, str]:
        """The kept annotations."""
        listed = mapping(meta, "annotations")
        kept = {key: value for key, value in listed.items() if is_kept(key)} if listed else None
        return self._shared_map(kept, "annotations") if kept else _NO_LABELS

    def _shared_map(self, listed: Mapping[str, Any], where: str) -> Mapping[str, str]:
        share = self.share
        entries = tuple(
            [
                (
                    share(key, where),
                    share(value if type(value) is str else _scalar(value, key), where),
                )
                for key, value in sorted(listed.items())
            ]
        )
        found = self._maps.get(entries)
        if found is None:
            found = self._maps[entries] = dict(entries)
        return found

    def _owner(self, meta: Mapping[str, Any]) -> tuple[str, str, str]:
        owners = mappings(meta, "ownerReferences")
        if not owners:
            return "", "", ""
        chosen = next((owner for owner in owners if owner.get("controller") is True), owners[0])
        kind, name = text(chosen, "kind"), text(chosen, "name")
        group = text(chosen, "apiVersion").rpartition("/")[0]
        return (
            self.share(kind, "ownerReferences"),
            self.name(name, "owner name") if name else "",
            self.share(group, "ownerReferences"),
        )


def _end(value: Any) -> str:
    """When a terminating object is gone; it may lie ahead, so no clock learns from it. "" where it cannot be read."""
    try:
        return read_time(str(value)[:40]) if value else ""
    except BadObject:
        return ""


def _uid(value: Any) -> str:
    """A uid, "" where it is none; nothing that is planned depends on it."""
    return value if isinstance(value, str) and value.isprintable() else ""


def _scalar(value: Any, key: str) -> str:
    return "" if value is None else as_text(value, key)
