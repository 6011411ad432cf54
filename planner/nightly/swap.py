"""Put a new folder in the place of an old one, so that at every moment one of both is there."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)


def replace_folder(new: Path, target: Path, aside: Path) -> Path | None:
    """Move ``new`` to ``target``; returns where the folder that was there is now, None if there was none.

    Where the file system can exchange two names this is one step. Elsewhere the old folder first moves ``aside``; a
    process that dies in between leaves it there, and :meth:`NightFolders.clean` moves it back.

    Raises
    ------
    OSError
        Nothing has moved then.
    """
    if not target.exists():
        new.rename(target)
        return None
    if exchange(new, target):
        return new
    target.rename(aside)
    try:
        new.rename(target)
    except OSError:
        aside.rename(target)
        raise
    return aside


def exchange(one: Path, two: Path) -> bool:
    """Exchange two names in one step (``renameat2`` of Linux); False where that does not exist.

    Raises
    ------
    OSError
        It exists and failed.
    """
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return False
    arguments = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(two), _RENAME_EXCHANGE)
    if function(*arguments) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(two))


def sync_folder(path: Path) -> None:
    """Make the names in a folder last through a power failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems
            raise
    finally:
        os.close(handle)
