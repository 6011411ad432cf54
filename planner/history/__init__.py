"""The history: what earlier nights planned and what became of it, in SQLite or PostgreSQL."""
