"""The reclaim drill: who leaves so that a service has its GPUs back by a deadline, and how fast."""
