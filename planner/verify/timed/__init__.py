"""The independent check of a schedule, from snapshot, policy and document alone."""
