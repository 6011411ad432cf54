"""Lists of a running cluster into the intake, page by page; whoever speaks to the API server hands the pages in."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final, Protocol

from models.findings import Finding
from models.readers.file_reader import FileResult, ObjectReader
from models.readers.intake import Intake
from models.readers.json_stream import JsonStream
from models.readers.problems import BadFile
from models.readers.text_source import TextSource
from models.snapshot import Source

_MOST_TRIES: Final = 5
_AGAIN: Final = "read again; if it stays, look for a proxy between here and the API server"


class ListExpired(Exception):
    """The moment that a list shows is gone at the server (410): what came of it is void, it begins anew."""


class ListAbsent(Exception):
    """The cluster does not serve a kind, or the account may not list it; then ``finding`` says what is missing."""

    def __init__(self, finding: Finding | None = None) -> None:
        super().__init__(finding.message if finding else "not served")
        self.finding = finding


class Listing(Protocol):
    """All objects of one kind.

    Attributes
    ----------
    name
        What messages call it: ``cluster:prod pods``.
    api_version, kind
        Of its objects, for lists whose items do not repeat them.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def api_version(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102

    def page(self, token: str, round_: int) -> bytes:
        """One page; ``token`` is "" for the first, else what the page before named to go on.

        ``round_`` counts how often the list began anew.

        Raises
        ------
        ListExpired, ListAbsent
            See there.
        BadFile
            The server cannot be asked.
        """


class ClusterSource(Protocol):
    """A running cluster.

    Attributes
    ----------
    name
        As it was given: ``cluster:prod``.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    def listings(self) -> Iterator[Listing]:
        """What is read, in order."""

    def title(self) -> str:
        """Name, version of the server and time of reading."""


def read_cluster(cluster: ClusterSource, intake: Intake) -> FileResult:
    """Read all kinds of a running cluster into the intake.

    Raises
    ------
    BadFile
        A kind cannot be read to its end.
    """
    findings: list[Finding] = []
    absent: list[Finding] = []
    objects = 0
    for listing in cluster.listings():
        try:
            taken, faults = _read_listing(listing, intake)
        except ListAbsent as gap:
            absent += [gap.finding] if gap.finding else []
        else:
            objects += taken
            findings += faults
    if not objects and absent:
        findings += absent  # nothing may be read at all: these are why
    for one in absent:
        intake.note(one)
    return FileResult(Source(cluster.title(), "cluster", objects), findings)


def _read_listing(listing: Listing, intake: Intake) -> tuple[int, list[Finding]]:
    """Number of objects, and faults of single ones; a list that expires or breaks begins anew a few times."""
    for number in range(_MOST_TRIES):
        try:
            return _Pages(listing, intake, number).read()
        except ListExpired:
            fault = BadFile(
                "cluster_list_expired",
                f"the list expired {_MOST_TRIES} times while it was read (410 Gone)",
                "read again when the cluster is quieter; the API server forgets old states after minutes",
            )
        except BadFile as error:
            if error.code not in ("file_damaged", "file_refused", "format_unknown"):
                raise
            fault = BadFile(
                "cluster_answer_damaged", f"the answer is no list of objects: {error}", _AGAIN
            )
        intake.forget(listing.name)
    raise BadFile(fault.code, f"{listing.name}: {fault}", fault.remedy)


class _Pages:
    """One walk through the pages of a list."""

    def __init__(self, listing: Listing, intake: Intake, number: int) -> None:
        self._listing, self._number = listing, number
        self._reader = ObjectReader(
            listing.name, intake, remedy="correct the object in the cluster, or report it as a bug"
        )
        self._version = ""

    def read(self) -> tuple[int, list[Finding]]:
        token, more = "", True
        while more:
            token = self._take(self._listing.page(token, self._number))
            more = bool(token)
        return self._reader.taken, self._reader.findings

    def _take(self, page: bytes) -> str:
        """Take the objects of a page; the token of the next one, "" at the end."""
        stream = JsonStream(TextSource(BytesIO(page)))
        of_all = {
            "apiVersion": self._listing.api_version,
            "kind": f"{self._listing.kind}List",
        }
        for value, head in stream.elements():
            if head is not None:
                self._reader.take(value, of_all)
            elif isinstance(value, dict) and value.get("kind") == self._listing.kind:
                self._reader.take(value, None)  # an object that was asked for by name
            else:
                raise BadFile("format_unknown", "it has no items", _AGAIN)
        about: Any = stream.head.get("metadata")
        about = about if isinstance(about, dict) else {}
        version = str(about.get("resourceVersion") or "")
        if self._version and version != self._version:
            raise ListExpired  # pages of two moments
        self._version = version
        token = about.get("continue")
        return token if isinstance(token, str) else ""
