"""Helpers for tests of rules and plans."""
