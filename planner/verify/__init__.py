"""The independent checker; it imports models only."""
