"""Checks on a snapshot that need no solver: one function per finding, each with a remedy."""

from models.checks.registry import REGISTRY
from models.checks.run import check_snapshot

__all__ = ["REGISTRY", "check_snapshot"]
