"""Independent jobs on several processes or machines: one interface, local processes or Ray behind it."""
