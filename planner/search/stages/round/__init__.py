"""From a fractional solution to whole gangs, and restricted models near it."""
