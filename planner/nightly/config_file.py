"""Reading ``nightly.yaml``."""

from __future__ import annotations

from pathlib import Path

from models.findings import Finding, InputError
from models.nightly.config import NightlyConfig, parse_config
from planner.usecases.inputs.policies import load_yaml


def read_config(path: Path) -> NightlyConfig:
    """The configuration in a file; its relative paths count from the file's folder.

    Raises
    ------
    InputError
        Not readable, not YAML, or as :func:`models.nightly.config.parse_config`.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # not UTF-8, or a path with a zero byte
        raise _unreadable(path, "is not UTF-8 text") from error
    return parse_config(load_yaml(text, str(path)), source=str(path), folder=path.parent)


def _unreadable(path: Path, what: str) -> InputError:
    remedy = "give a YAML file with the key inputs"
    return InputError(
        f"{path}: {what}",
        [Finding("nightly_config_unreadable", "error", str(path), what, remedy)],
    )
