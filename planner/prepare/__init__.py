"""From a snapshot to the problem: demands, limits, classes, and back."""
