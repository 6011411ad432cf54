"""The planner: from a snapshot to a verified, explained plan."""
