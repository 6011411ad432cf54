"""Reductions that can be undone: classes of nodes and gangs, and solutions back to pods."""
