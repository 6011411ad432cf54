"""Changes that would start a waiting gang, tried beside the plan."""
