"""Preferred rules of pods: a problem that tells pods apart by them, and their score."""
