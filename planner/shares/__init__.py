"""Fair shares of queues: weighted max-min in closed form or as linear programs, and KAI's division."""
