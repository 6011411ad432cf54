"""Searches of whole sub-classes of clusters, called where they apply."""
