"""The integer problem: linear model, limits, progress and raw solutions."""
