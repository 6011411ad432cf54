"""A policy file that a browser sent; read from memory by the reader of the command line, never written anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.findings import Finding, InputError
from models.policy import Policy
from planner.usecases.inputs.policies import policy_of_text

MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class PolicyFile:
    """A policy with the name of its file."""

    name: str
    policy: Policy


def policy_of_upload(name: str, data: bytes) -> PolicyFile:
    """The policy in an uploaded file.

    Raises
    ------
    InputError
        Larger than 1 MiB, no UTF-8 text, or what :func:`planner.usecases.inputs.policies.policy_of_text` refuses.
    """
    file = Path(name.replace("\\", "/")).name or "policy"
    if len(data) > MOST_BYTES:
        raise _fault(file, "is larger than 1 MiB, which no policy is", "give a policy file (YAML)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fault(file, "is not UTF-8 text", "save the file as UTF-8") from error
    return PolicyFile(file, policy_of_text(text, file))


def _fault(file: str, what: str, remedy: str) -> InputError:
    finding = Finding("policy_unreadable", "error", file, what, remedy)
    return InputError(f"{file}: {what}", (finding,))
