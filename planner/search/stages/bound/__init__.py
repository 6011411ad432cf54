"""Bounds of the objective levels, proved for the values of a plan."""
