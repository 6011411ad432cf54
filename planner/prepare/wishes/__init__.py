"""Preferred rules of pods: from a snapshot to wishes, and a problem that tells them apart."""
