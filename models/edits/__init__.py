"""Scenarios: readable, validated edits of a snapshot and its policy. The base is never changed."""
