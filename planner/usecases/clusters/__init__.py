"""Several independent clusters planned side by side by any executor."""
