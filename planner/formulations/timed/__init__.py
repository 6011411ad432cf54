"""When everything starts: class and start columns over rows of room."""
