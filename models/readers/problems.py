"""What can be wrong with an input file as a whole."""

from __future__ import annotations

from models.findings import Finding


class BadFile(Exception):
    """A file that cannot be read to its end.

    Attributes
    ----------
    code
        Stable name of the fault.
    remedy
        What a person can do about it.
    """

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code, self.remedy = code, remedy

    def finding(self, name: str) -> Finding:
        """The fault as a finding about the file."""
        return Finding(self.code, "error", name, str(self), self.remedy)


def damaged(message: str) -> BadFile:
    """Content that ends early or breaks its own syntax."""
    return BadFile("file_damaged", message, "export it again; the file may be cut off or edited")


def unknown_format(message: str) -> BadFile:
    """Content that is none of the formats."""
    remedy = (
        "give kubectl output (-o json or -o yaml), a snapshot file, or an openb node or pod list"
    )
    return BadFile("format_unknown", message, remedy)


def hostile(message: str) -> BadFile:
    """Content that would take unreasonable time or memory; no export looks like this."""
    return BadFile(
        "file_refused", message, "export it again with kubectl; no cluster prints such a file"
    )
