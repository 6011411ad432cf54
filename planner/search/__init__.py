"""The search for a placement plan."""
