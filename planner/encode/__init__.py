"""From a snapshot to the integer problem: demands, limits, eligibility and rules."""
