"""Formulations: problems to linear models."""
