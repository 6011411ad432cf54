"""The drill as a linear model: which pods leave so that a service has most GPUs back in time."""
