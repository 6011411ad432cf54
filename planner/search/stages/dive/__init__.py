"""Diving: columns of the relaxation are fixed one after another."""
