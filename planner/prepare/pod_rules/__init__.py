"""Required rules between pods (affinity, anti-affinity, spread) as rooms and closed nodes of the placement problem."""
