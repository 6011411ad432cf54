"""Stages of the search, by what they do."""
