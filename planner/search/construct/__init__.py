"""Construction heuristics: insertion, ejection and relocation of gangs."""
