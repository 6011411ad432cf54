"""Use cases: what the command line and the dashboard call."""
