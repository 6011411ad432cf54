"""Seeded instances and measurements; not part of the distribution."""
