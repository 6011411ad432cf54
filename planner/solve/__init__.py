"""Solver backends and the lexicographic search."""
