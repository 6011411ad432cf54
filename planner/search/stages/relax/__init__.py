"""Linear relaxations of large models."""
