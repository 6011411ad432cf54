"""Exact packing of small clusters whose gangs are pods without GPUs: few nodes, every amount counted."""
