"""Horizons and steps that the page Night offers."""

from __future__ import annotations

HORIZONS_H = (12, 24, 36, 48, 72, 168)
BUCKETS_MIN = (0, 5, 15, 30, 60)
"""Minutes; 0 is fine near and coarse far."""
