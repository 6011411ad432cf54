"""Residual capacity of nodes, and whether pods fit into it."""
