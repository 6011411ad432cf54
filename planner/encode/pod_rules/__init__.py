"""Required rules between pods (affinity, anti-affinity, spread) as capacities and closed nodes of the problem."""
