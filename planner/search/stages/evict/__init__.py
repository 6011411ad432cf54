"""Evictions: victims, cuts for plans that break their rules, and repair."""
