"""The schedule as a linear model: class and start columns over capacity per bucket."""
