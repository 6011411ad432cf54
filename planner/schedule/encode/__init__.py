"""From a snapshot to work over time: who holds what until when, what may start where, and when."""
