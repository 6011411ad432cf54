"""Baseline schedulers."""
