"""Sections of a report: frames in, text tables and figures out; no format is known here."""
