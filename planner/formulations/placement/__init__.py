"""Gang placement at one instant."""
