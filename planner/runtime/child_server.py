"""The process that children of a program with several threads are forked from: one thread, solvers loaded."""

from __future__ import annotations

import multiprocessing
import threading
from multiprocessing import forkserver

LOADED = ("planner.search.guarded_search",)
"""Modules that the server loads once for all children; a child that finds them missing loads them itself."""


def start_method() -> str:
    """Fork where it is there and safe (one thread), since it costs nothing; else fork the server; else spawn."""
    methods = multiprocessing.get_all_start_methods()
    if "fork" in methods and threading.active_count() == 1:
        return "fork"
    if "forkserver" in methods:
        _preload()
        return "forkserver"
    return "spawn"


def make_ready() -> None:
    """Let the server load the solvers now, so that the first search does not wait for it; returns at once."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        _preload()
        forkserver.ensure_running()


def _preload() -> None:
    """In force only before the server has started."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(list(LOADED))
