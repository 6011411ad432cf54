"""Which running pods may leave for whom, and what is free after they left."""
