"""Small questions answered exactly by CP-SAT: does a gang fit, what does it need at least."""
