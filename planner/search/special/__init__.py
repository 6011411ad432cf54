"""Special searches of sub-classes: vector packing and node patterns."""
