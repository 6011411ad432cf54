"""Local search on a complete plan."""
