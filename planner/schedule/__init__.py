"""When everything starts over a horizon, and that loans are back in time."""
