"""Filling and repair, until no waiting gang fits beside the plan."""
