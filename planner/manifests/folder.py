"""The files of manifests in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.manifests.manifest_file import ManifestFile


def write_folder(files: Sequence[ManifestFile], folder: Path) -> None:
    """Write every file below the folder, which is made where it does not exist.

    Raises
    ------
    OSError
        Something cannot be written.
    """
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
