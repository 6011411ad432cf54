"""Cards of nodes whose GPUs are shared."""
