"""Chinese."""

CHINESE: dict[str, str] = {}
