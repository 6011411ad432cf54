"""What is decided before a model is built: aggregation of nodes and eligibility of gangs."""
