"""What if: scenarios, sweeps and marginal values, planned from one base."""
