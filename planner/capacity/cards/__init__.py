"""Residual capacity of shared cards."""
