"""Formulation of a reclaim drill: which pods leave so that a service has most GPUs back in time."""
