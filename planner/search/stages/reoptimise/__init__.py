"""Planning again from an earlier plan: warm starts and what a change leaves open."""
