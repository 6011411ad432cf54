"""Database URLs without what is secret in them."""

from __future__ import annotations

import re
from urllib.parse import unquote

_USER_INFO = re.compile(r"(?P<before>://[^/:@\s]*):(?P<secret>[^\s]*)@")
_KEYS = re.compile(
    r"(?P<before>\b(?:ssl)?pass(?:word|wd|phrase)?\s*=\s*)(?P<secret>[^&\s'\"]+|'[^']*')", re.I
)
_HIDDEN = "***"
_SHORT = 4
"""Secrets below this length occur in ordinary words: a text that may hold one is not shown at all."""


def redact_url(text: str) -> str:
    """The URL with every password replaced by ``***``; works for text that is no URL, too."""
    shown = _USER_INFO.sub(rf"\g<before>:{_HIDDEN}@", text)
    return _KEYS.sub(rf"\g<before>{_HIDDEN}", shown)


def without_secrets(message: str, url: str) -> str:
    """A driver's message without the passwords of the URL that it may repeat; "" where that cannot be told."""
    secrets = {
        found.group("secret") for rule in (_USER_INFO, _KEYS) for found in rule.finditer(url)
    }
    secrets |= {unquote(secret) for secret in secrets}
    secrets.discard("")
    if any(len(secret) < _SHORT and secret in message for secret in secrets):
        return ""
    for secret in sorted(secrets, key=len, reverse=True):
        message = message.replace(secret, _HIDDEN)
    return redact_url(message)
