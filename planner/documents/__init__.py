"""The parts of the plan document."""
